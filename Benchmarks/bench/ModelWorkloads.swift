import Apus
import ApusGraph
import ApusONNX

/// An ONNX file to measure, and its inputs.
struct ModelFile {
  let path: String
  /// An `.npz` whose entries are named as the model's inputs.
  var inputs: String?

  /// The file's name without folder and extension.
  var stem: String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return name.hasSuffix(".onnx") ? String(name.dropLast(5)) : name
  }

  /// - Parameter cacheFolder: where its weights are kept as they were laid out; nowhere when nil.
  func session(_ precision: Execution.Precision, cacheFolder: String? = nil) throws -> InferenceSession {
    let options = InferenceSession.Options(precision: precision, cacheFolder: cacheFolder)
    return try InferenceSession(ONNXModel(path: path), options: options)
  }

  func values() throws -> [String: GraphValue] {
    guard let inputs else { throw UsageError("--model \(path): give its inputs with --inputs FILE.npz") }
    let file = try NPZFile(path: inputs)
    return try Dictionary(
      file.arrayNames.map { ($0, .tensor(try file.anyTensor(named: $0))) }, uniquingKeysWith: { first, _ in first })
  }
}

/// Models of other people, `exact` and `fast`. The result to compare is the first output.
func modelWorkloads(_ files: [ModelFile]) -> [Workload] {
  files.flatMap { file in
    Execution.Precision.allCases.map { precision in
      Workload(
        name: "onnx\(precision == .fast ? "-fast" : "")/\(file.stem)", shape: "", cost: .operations(0),
        twin: Twin(onnx: file.path, inputs: file.inputs)
      ) {
        let session = try file.session(precision)
        let inputs = try file.values()
        let graph = session.model.graph
        let first = graph.outputs.first.map { graph.values[$0].name } ?? ""
        return {
          guard case .tensor(let output)? = try session.run(inputs)[first] else { return nil }
          return try output.converted(to: Float.self)
        }
      }
    }
  }
}
