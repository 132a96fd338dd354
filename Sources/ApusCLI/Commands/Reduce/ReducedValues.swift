import Apus
import ApusGraph
import ApusONNX

/// The values that belong to a reduced model: a safetensors file, or a folder of `.pb` when the path ends in a slash.
struct ReducedValues {
  let path: String

  private var isFolder: Bool { path.hasSuffix("/") }

  static func path(besideModel model: String) -> String {
    (model.hasSuffix(".onnx") ? String(model.dropLast(".onnx".count)) : model) + ".safetensors"
  }

  /// Adds what is written to a plan.
  func plan(_ files: inout FilePlan) {
    files.writes(path, as: "--data", isFolder ? .folder : .file, endings: FileKind.weights.extensions)
  }

  /// - Throws: ``CommandFailure`` where a file that is read would be written over.
  func check(_ part: ParityReduction) throws {
    guard isFolder else { return }
    for message in messages(of: part) { try CheckedFiles.current.check(message.file) }
  }

  func write(_ part: ParityReduction) throws {
    if isFolder {
      try makeFolder(at: path)
      for (name, value, file) in messages(of: part) { try ValueFile.write(value, named: name, to: file) }
      return
    }
    guard path.hasSuffix(".safetensors") else {
      throw CommandFailure(
        .usage, "--data \(path): expected a name that ends in .safetensors, or a folder with / at its end")
    }
    var writer = SafetensorsWriter(metadata: ["made by": "apus reduce"])
    for (name, value) in part.inputs.merging(part.outputs, uniquingKeysWith: { first, _ in first }) {
      guard case .tensor(let tensor) = value else {
        throw CommandFailure(
          .badData, "'\(name)' is \(value.type), which safetensors cannot hold; give --data a folder, FOLDER/")
      }
      try writer.add(tensor, named: name)
    }
    try writer.write(toPath: path)
  }

  /// The values as the folder has them.
  private func messages(of part: ParityReduction) -> [(name: String, value: GraphValue, file: String)] {
    let graph = part.graph
    let groups = [(graph.inputs, part.inputs, "input"), (graph.outputs, part.outputs, "output")]
    return groups.flatMap { ids, values, prefix in
      ids.enumerated().compactMap { index, id in
        let name = graph.values[id].name
        return values[name].map { (name, $0, "\(path)\(prefix)_\(index).pb") }
      }
    }
  }

  /// What was written, as the model's inputs and outputs.
  func read(for model: any GraphModel) throws -> (inputs: [String: GraphValue], outputs: [String: GraphValue]) {
    let graph = model.graph
    let (inputs, outputs) = (graph.inputs.map { graph.values[$0].name }, graph.outputs.map { graph.values[$0].name })
    guard let set = try DataSets.read([path], of: model, defaults: outputs).first else { return ([:], [:]) }
    return (try set.values(named: inputs), try set.values(named: outputs))
  }
}
