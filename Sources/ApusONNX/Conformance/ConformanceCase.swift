import Apus

/// One test of the ONNX backend test suite: a folder with `model.onnx` and `test_data_set_0`, `test_data_set_1`, …,
/// each with `input_0.pb`, `output_0.pb` and so on.
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
  public let folder: String
  /// The largest differences allowed, relative and absolute.
  public let tolerance: Tolerance

  public init(folder: String, name: String, tolerance: Tolerance) {
    self.folder = folder
    self.name = name
    self.tolerance = tolerance
  }

  /// Runs the test on as many data sets as there are (`dataSets`).
  public func run(dataSets: Int) -> Outcome {
    do {
      let session = try Session(Model(contentsOf: folder + "/model.onnx"))
      for set in 0..<dataSets {
        if let difference = try difference(session, folder: "\(folder)/test_data_set_\(set)") {
          return .wrong("data set \(set): \(difference)")
        }
      }
      return isRandom(session.model.graph) ? .nondeterministic : .passed
    } catch let error as ONNXError {
      if case .unsupported = error { return .unsupported("\(error)") }
      return .wrong("\(error)")
    } catch {
      return .wrong("\(error)")
    }
  }

  private func isRandom(_ graph: Graph) -> Bool {
    graph.nodes.contains { node in
      Operators.byName[node.operatorName]?.isDeterministic == false || node.subgraphs.values.contains(where: isRandom)
    }
  }

  /// What differs first; nil when all is as expected.
  private func difference(_ session: Session, folder: String) throws -> String? {
    let graph = session.model.graph
    var inputs: [String: Value] = [:]
    for (index, id) in graph.inputs.enumerated() {
      let info = graph.values[id]
      guard fileExists("\(folder)/input_\(index).pb") else { continue }
      inputs[info.name] = try ValueFile.read("\(folder)/input_\(index).pb", type: info.type)
    }
    let outputs = try session.run(inputs)
    let isRandom = isRandom(graph)
    for (index, id) in graph.outputs.enumerated() {
      let info = graph.values[id]
      guard fileExists("\(folder)/output_\(index).pb") else { continue }
      let expected = try ValueFile.read("\(folder)/output_\(index).pb", type: info.type)
      guard let value = outputs[info.name] else { return "output '\(info.name)' is missing" }
      if let difference = try value.difference(from: expected, within: tolerance, comparingNumbers: !isRandom) {
        return "output '\(info.name)': \(difference)"
      }
    }
    return nil
  }
}
