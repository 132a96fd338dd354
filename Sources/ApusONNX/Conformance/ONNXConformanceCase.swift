import Apus
import ApusGraph
import FoundationEssentials

/// One test of an ``ONNXConformanceSuite``.
public struct ONNXConformanceCase: ConformanceCase {
  /// The folder of the test, such as `test_relu`.
  public let name: String
  private let files: any ConformanceFiles

  init(name: String, files: any ConformanceFiles) {
    self.name = name
    self.files = files
  }

  /// The operator of the model's first node; of a test that spells an operator with others (`…_expanded…`), that of the
  /// test which it is made from.
  public func subject() throws -> (operator: OperatorName, opset: Int)? {
    var source = name
    if let range = name.utf8.firstRange(of: "_expanded".utf8) {
      let base = String(name[..<range.lowerBound])
      if try files.file("\(base)/model.onnx") != nil { source = base }
    }
    guard let proto = try message(of: source), let node = proto.graph.nodes.first else { return nil }
    let subject = OperatorName(domain: node.domain, type: node.opType)
    let opset = (source == name ? proto : try message(of: name) ?? proto).opsetImports.first {
      OperatorName(domain: $0.domain, type: "").domain == subject.domain
    }
    return (subject, Int(clamping: opset?.version ?? 1))
  }

  /// Reads `model.onnx` of the test's folder.
  /// - Throws: ``GraphError/graph(_:)`` where it is missing, ``ONNXFileError`` for one that cannot be read.
  public func model() throws -> any GraphModel {
    guard let proto = try message(of: name) else { throw GraphError.graph("the test has no model.onnx") }
    return try ONNXModel(proto)
  }

  private func message(of test: String) throws -> ModelProto? {
    guard let file = try files.file("\(test)/model.onnx") else { return nil }
    return try file.withUnsafeBytes { try ModelProto.read(bytes: $0, name: "\(test)/model.onnx") }
  }

  // MARK: Data sets

  private func path(_ dataSet: Int, _ file: String) -> String { "\(name)/test_data_set_\(dataSet)/\(file).pb" }

  /// The folders `test_data_set_0`, `test_data_set_1` … up to the first without an `output_0.pb`.
  public func dataSetCount() throws -> Int {
    var count = 0
    while try files.file(path(count, "output_0")) != nil { count += 1 }
    return count
  }

  /// The values of `input_0.pb`, `input_1.pb` … under the names of the graph's inputs; those without a file are
  /// missing.
  public func inputs(_ dataSet: Int, of graph: Graph) throws -> [String: GraphValue] {
    var inputs: [String: GraphValue] = [:]
    for (index, id) in graph.inputs.enumerated() {
      inputs[graph.values[id].name] = try value(path(dataSet, "input_\(index)"), of: graph.values[id])
    }
    return inputs
  }

  /// The value of `output_INDEX.pb`, read as the type that the graph declares; nil without such a file, or such an output.
  public func expected(_ dataSet: Int, output index: Int, of graph: Graph) throws -> GraphValue? {
    guard graph.outputs.indices.contains(index) else { return nil }
    return try value(path(dataSet, "output_\(index)"), of: graph.values[graph.outputs[index]])
  }

  private func value(_ path: String, of info: Graph.ValueInfo) throws -> GraphValue? {
    guard let file = try files.file(path) else { return nil }
    return try file.withUnsafeBytes { bytes in
      try ValueFile.read(bytes: bytes, name: file.name, as: info.type ?? .tensor(nil, nil)).value
    }
  }

  // MARK: Tolerance

  private struct ToleranceFile: Decodable {
    let rtol: Double
    let atol: Double
  }

  private struct ToleranceError: ApusError, CustomStringConvertible {
    let file: String
    let fault = Fault.data

    var description: String { "\(file): an object of JSON with the numbers rtol and atol was expected" }
  }

  /// What `tolerance.json` of the test's folder says; rtol 1e-3 and atol 1e-7 without one, as in ONNX's own runner.
  /// - Throws: an error that names the file, where it says something else.
  public func tolerance() throws -> Tolerance {
    guard let file = try files.file("\(name)/tolerance.json") else {
      return Tolerance(relative: 1e-3, absolute: 1e-7)
    }
    guard
      let numbers = file.withUnsafeBytes({ try? JSONDecoder().decode(ToleranceFile.self, from: Data($0)) })
    else { throw ToleranceError(file: file.name) }
    return Tolerance(relative: numbers.rtol, absolute: numbers.atol)
  }
}
