import Apus
import FoundationEssentials

/// One test of a ``ConformanceSuite``.
public struct ConformanceCase: Sendable {
  /// What came out of a test.
  public enum Outcome: Sendable, Hashable {
    case passed
    /// The outputs are not those expected, or the model could not be run.
    case wrong(String)
    /// The test needs something that Apus says it does not have.
    case unsupported(String)
    /// The outputs depend on chance; their types, shapes and kinds of values are right.
    case nondeterministic
  }

  public let name: String
  private let files: any ConformanceFiles

  init(name: String, files: any ConformanceFiles) {
    self.name = name
    self.files = files
  }

  /// The operator that the test is about, and the version of the operators that its model asks for.
  ///
  /// That is the model's first node; of a test that spells an operator with others (`…_expanded…`), that of the test
  /// which it is made from. Nil when there is no node.
  public func subject() throws -> (operator: OperatorName, opset: Int)? {
    var source = name
    if let range = name.utf8.firstRange(of: "_expanded".utf8) {
      let base = String(name[..<range.lowerBound])
      if try files.file("\(base)/model.onnx") != nil { source = base }
    }
    guard let proto = try model(of: source), let node = proto.graph.nodes.first else { return nil }
    let subject = OperatorName(domain: node.domain, type: node.opType)
    let opset = (source == name ? proto : try model(of: name) ?? proto).opsetImports.first {
      OperatorName(domain: $0.domain, type: "").domain == subject.domain
    }
    return (subject, Int(clamping: opset?.version ?? 1))
  }

  private func model(of test: String) throws -> ModelProto? {
    guard let file = try files.file("\(test)/model.onnx") else { return nil }
    return try file.withUnsafeBytes { try ModelProto.read(bytes: $0, name: "\(test)/model.onnx") }
  }

  /// Runs the test on every data set.
  public func run(options: Session.Options = .init()) -> Outcome {
    do {
      guard let model = try model() else { return .wrong("it has no model.onnx") }
      let session = try Session(model, options: options)
      let tolerance = try tolerance()
      let isRandom = Self.isRandom(model.graph)
      var set = 0
      while try files.file("\(name)/test_data_set_\(set)/output_0.pb") != nil {
        let folder = "\(name)/test_data_set_\(set)"
        if let difference = try difference(session, folder, tolerance, comparingNumbers: !isRandom) {
          return .wrong("data set \(set): \(difference)")
        }
        set += 1
      }
      guard set > 0 else { return .wrong("it has no data set") }
      return isRandom ? .nondeterministic : .passed
    } catch let error as ONNXError {
      if case .unsupported = error { return .unsupported("\(error)") }
      return .wrong("\(error)")
    } catch {
      return .wrong("\(error)")
    }
  }

  private struct ToleranceFile: Decodable {
    let rtol: Double
    let atol: Double
  }

  private func tolerance() throws -> Tolerance {
    guard let file = try files.file("\(name)/tolerance.json") else {
      return Tolerance(relative: 1e-3, absolute: 1e-7)
    }
    let numbers = try file.withUnsafeBytes { try JSONDecoder().decode(ToleranceFile.self, from: Data($0)) }
    return Tolerance(relative: numbers.rtol, absolute: numbers.atol)
  }

  /// The model; nil when there is none.
  func model() throws -> Model? { try model(of: name).map { try Model($0) } }

  /// The inputs of every data set.
  func dataSets(_ graph: Graph) throws -> [[String: Value]] {
    var results: [[String: Value]] = []
    while try files.file("\(name)/test_data_set_\(results.count)/output_0.pb") != nil {
      results.append(try inputs(graph, "\(name)/test_data_set_\(results.count)"))
    }
    return results
  }

  /// The outputs for every data set.
  func outputs(options: Session.Options) throws -> [[String: Value]] {
    guard let model = try model() else { return [] }
    let session = try Session(model, options: options)
    return try dataSets(model.graph).map { try session.run($0) }
  }

  private func inputs(_ graph: Graph, _ folder: String) throws -> [String: Value] {
    var inputs: [String: Value] = [:]
    for (index, id) in graph.inputs.enumerated() {
      let info = graph.values[id]
      guard let file = try files.file("\(folder)/input_\(index).pb") else { continue }
      inputs[info.name] = try Self.value(file, of: info)
    }
    return inputs
  }

  private static func isRandom(_ graph: Graph) -> Bool {
    graph.nodes.contains { node in
      Operators.byName[node.operatorName]?.isDeterministic == false || node.subgraphs.values.contains(where: isRandom)
    }
  }

  private static func value(_ file: MappedFile, of info: Graph.ValueInfo) throws -> Value {
    try file.withUnsafeBytes { bytes in
      try ValueFile.read(bytes: bytes, name: file.name, as: info.type ?? .tensor(nil, nil)).value
    }
  }

  /// What differs first in a data set; nil when all is as expected.
  private func difference(
    _ session: Session, _ folder: String, _ tolerance: Tolerance, comparingNumbers: Bool
  ) throws -> String? {
    let graph = session.model.graph
    let outputs = try session.run(inputs(graph, folder))
    for (index, id) in graph.outputs.enumerated() {
      let info = graph.values[id]
      guard let file = try files.file("\(folder)/output_\(index).pb") else { continue }
      let expected = try Self.value(file, of: info)
      guard let value = outputs[info.name] else { return "output '\(info.name)' is missing" }
      let difference = try value.difference(from: expected, within: tolerance, comparingNumbers: comparingNumbers)
      if let difference { return "output '\(info.name)': \(difference)" }
    }
    return nil
  }
}
