import Apus
import ArgumentParser

/// A script that records what is inside a model elsewhere: one of `Weights/reference`, which the command has inside.
enum ReferenceScript: String, CaseIterable, ExpressibleByArgument {
  case torch, onnxruntime, coreml

  private struct Module {
    let name: String
    let bytes: [UInt8]

    static let file = Module(name: "reference_file.py", bytes: PackageResources.reference_file_py)
    static let torch = Module(name: "torch_reference.py", bytes: PackageResources.torch_reference_py)
    static let onnx = Module(name: "onnx_reference.py", bytes: PackageResources.onnx_reference_py)
    static let coreml = Module(name: "coreml_reference.py", bytes: PackageResources.coreml_reference_py)
  }

  private var script: Module {
    switch self {
    case .torch: .torch
    case .onnxruntime: .onnx
    case .coreml: .coreml
    }
  }

  /// What the script imports, which must lie beside it.
  private var modules: [Module] { self == .coreml ? [.torch, .file] : [.file] }

  /// How the script is run.
  private func usage(_ path: String) -> String {
    switch self {
    case .torch:
      """
        pip install torch onnx numpy
        python \(path) MY_FILE:FUNCTION MODEL.onnx --output reference.safetensors
      """
    case .onnxruntime:
      """
        pip install onnx onnxruntime numpy safetensors
        python \(path) MODEL.onnx --inputs inputs.npz --output reference.safetensors
      """
    case .coreml:
      """
        pip install torch coremltools onnx numpy
        python \(path) MY_FILE:FUNCTION MODEL.mlpackage --output reference.safetensors
      """
    }
  }

  /// Where the script goes, and then what it imports.
  /// - Parameter output: the script's own path; nil for its name, here.
  private func places(_ output: String?) -> [(path: String, bytes: [UInt8])] {
    let path = output ?? script.name
    let folder = path.contains("/") ? parentFolder(of: path) + "/" : ""
    return [(path, script.bytes)] + modules.map { (folder + $0.name, $0.bytes) }
  }

  /// Adds what is written to a plan.
  func plan(_ output: String?, _ files: inout FilePlan) {
    for (path, _) in places(output) { files.writes(path, as: "--output") }
  }

  /// Writes the script and what it imports.
  /// - Parameter output: the script's path, at which a file may be replaced; nothing else is.
  /// - Throws: ``CommandFailure`` where other files have the names; ``FileError``.
  func write(to output: String?) throws -> Written {
    let places = places(output)
    for (path, bytes) in places.dropFirst(output == nil ? 0 : 1) where fileExists(path) {
      guard try MappedFile(path: path).withUnsafeBytes({ $0.elementsEqual(bytes) }) else {
        throw CommandFailure(.inputOutput, "\(path): is another file already; give another folder with --output")
      }
    }
    for (path, bytes) in places {
      try AtomicFile.create(at: path) { file in try bytes.withUnsafeBytes { try file.append($0) } }
    }
    return Written(script: output ?? script.name, modules: places.dropFirst().map(\.path))
  }

  /// The files that were written.
  struct Written: Encodable {
    var script: String
    /// What the script imports.
    var modules: [String]
  }

  /// What was written, and how it is run.
  func text(_ written: Written) -> String {
    let names = ([written.script] + written.modules).map { ErrorReport.oneLine($0) }.joined(separator: ", ")
    return "\(names)\n\(usage(ErrorReport.oneLine(written.script)))\n"
  }
}
