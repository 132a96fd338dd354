import Apus
import ApusPlatform

/// The files of a command line, none of which is written over another: for the files inside folders, whose names are
/// known only when they are made.
struct CheckedFiles: Sendable {
  /// Those of the command that runs.
  @TaskLocal static var current = CheckedFiles()

  private var inputs: [FileIdentity: (path: String, input: FilePlan.Input)] = [:]
  private var folders: [FileIdentity: FilePlan.Input] = [:]
  private var outputs: [FileIdentity: FilePlan.Output] = [:]

  /// Checks a file before it is written.
  /// - Throws: ``CommandFailure`` where it is one that is read, or written under another option.
  func check(_ path: String) throws {
    guard let (identity, kind) = FileIdentity.of(path) else { return }
    var files = self
    try files.add(FilePlan.Output(path: path, role: "", kind: .file), identity, kind)
  }

  /// The same files and more that are read, which only the command found out.
  /// - Throws: ``CommandFailure`` where one of them is to be written.
  func reading(_ paths: [String], as role: String) throws -> CheckedFiles {
    var files = self
    for path in paths {
      let input = FilePlan.Input(path: path, role: role)
      if let (identity, _) = FileIdentity.of(path), let output = outputs[identity] { throw Self.same(output, input) }
      files.add(input)
    }
    return files
  }

  /// Checks the files with weights of a model, once that is open.
  /// - Throws: ``CommandFailure`` where one of them is to be written.
  func checkData(_ paths: [String]) throws { _ = try reading(paths, as: "the model's data") }

  /// Adds what is read: a file, or those of a folder.
  mutating func add(_ input: FilePlan.Input) {
    if input.path == "-" {
      if let identity = FileIdentity.ofFile(STDIN_FILENO) { inputs[identity] = ("-", input) }
    } else {
      add(input, at: input.path, depth: 0)
    }
  }

  private mutating func add(_ input: FilePlan.Input, at path: String, depth: Int) {
    // What is not there is for the command to miss.
    guard let (identity, kind) = FileIdentity.of(path) else { return }
    switch kind {
    case .file where depth == 0 || inputs[identity] == nil: inputs[identity] = (path, input)
    case .folder where depth < input.depth:
      folders[identity] = input
      let input = (try? FileFormat(of: path)) == .coreMLPackage ? input.readingPackage(at: depth) : input
      for name in (try? folderNames(at: path)) ?? [] { add(input, at: "\(path)/\(name)", depth: depth + 1) }
    case .file, .folder, .absent, .other: break
    }
  }

  /// Adds what is written.
  /// - Throws: ``CommandFailure`` where it is something that was added before.
  mutating func add(
    _ output: FilePlan.Output, _ identity: FileIdentity, _ kind: FileIdentity.Kind
  ) throws {
    if kind == .other { return }
    if let (path, input) = inputs[identity], path == input.path || input.isRead(path) {
      throw Self.same(output, input, inside: path)
    }
    if output.kind == .folder, let input = folders[identity] {
      throw CommandFailure(
        .usage,
        "\(output.text) is the folder of \(input.text), whose files are read; expected another folder to write to")
    }
    if let other = outputs[identity], other.kind == .file || output.kind == .file {
      throw CommandFailure(.usage, "\(other.text) and \(output.text) are the same file; expected two to write to")
    }
    outputs[identity] = output
  }

  private static func same(
    _ output: FilePlan.Output, _ input: FilePlan.Input, inside path: String? = nil
  ) -> CommandFailure {
    let place = path.flatMap { $0 == input.path ? nil : " (\($0))" } ?? ""
    return CommandFailure(
      .usage, "\(output.text) and \(input.text)\(place) are the same file; expected another one to write to")
  }
}
