import Foundation
import Testing

@testable import Apus

/// How a run of `apus` ended.
struct CommandResult {
  var status: Int32
  var output: String
  var errors: String

  var lines: [String] { output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init) }

  /// The output as one JSON object.
  var object: [String: Any] {
    get throws {
      try #require(JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
    }
  }
}

/// Runs the executable that was built beside the tests.
enum Command {
  static let executable: URL = {
    #if os(Linux)
      let runner = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      return runner.deletingLastPathComponent().appending(path: "apus")
    #else
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL ?? Bundle.main.bundleURL
      return bundle.deletingLastPathComponent().appending(path: "apus")
    #endif
  }()

  /// A process that is ready to run, its input empty.
  static func process(_ arguments: [String], environment: [String: String] = [:]) -> Process {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    var variables = ProcessInfo.processInfo.environment
    for name in variables.keys where name.hasPrefix("APUS_") { variables[name] = nil }
    process.environment = variables.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    return process
  }

  static func run(
    _ arguments: String..., input: String? = nil, environment: [String: String] = [:]
  ) throws -> CommandResult {
    try run(arguments, input: input, environment: environment)
  }

  static func run(
    _ arguments: [String], input: String? = nil, environment: [String: String] = [:]
  ) throws -> CommandResult {
    try TemporaryFolder.with { folder in
      let process = process(arguments, environment: environment)
      // Files, not pipes: no output is too long for them.
      let (output, errors) = (folder.file("output"), folder.file("errors"))
      try Data().write(to: output)
      try Data().write(to: errors)
      process.standardOutput = try FileHandle(forWritingTo: output)
      process.standardError = try FileHandle(forWritingTo: errors)
      if let input {
        let file = folder.file("input")
        try Data(input.utf8).write(to: file)
        process.standardInput = try FileHandle(forReadingFrom: file)
      }
      try process.run()
      process.waitUntilExit()
      try #require(process.terminationReason == .exit, "killed by signal \(process.terminationStatus)")
      return CommandResult(
        status: process.terminationStatus, output: try String(contentsOf: output, encoding: .utf8),
        errors: try String(contentsOf: errors, encoding: .utf8))
    }
  }
}

/// A folder that is gone after use.
struct TemporaryFolder {
  let url: URL

  static func with<Result>(_ body: (TemporaryFolder) throws -> Result) throws -> Result {
    let url = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: url) }
    return try body(TemporaryFolder(url: url))
  }

  func file(_ name: String) -> URL { url.appending(path: name) }

  func path(_ name: String) -> String { file(name).path(percentEncoded: false) }
}

extension TemporaryFolder {
  /// Writes a `.npy` file and returns its path.
  func npy<Scalar: TensorScalar>(_ name: String, _ elements: [Scalar], shape: [Int]) throws -> String {
    let path = path(name + ".npy")
    try NPYFile.write(AnyTensor(Tensor(elements, shape: shape)), toPath: path)
    return path
  }

  /// Writes a safetensors file and returns its path.
  func safetensors(
    _ name: String, _ tensors: [(String, AnyTensor)], metadata: [String: String] = [:]
  ) throws -> String {
    let path = path(name + ".safetensors")
    var writer = SafetensorsWriter(metadata: metadata)
    for (name, tensor) in tensors { try writer.add(tensor, named: name) }
    try writer.write(toPath: path)
    return path
  }
}
