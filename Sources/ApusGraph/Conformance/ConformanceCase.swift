import Apus

/// A test of a format or of its operators: a model, inputs for it, and the outputs that are right.
///
/// How such tests lie in files is the format's matter; how they are judged is the same for all.
public protocol ConformanceCase: Sendable {
  /// The test's name, unique in its suite.
  var name: String { get }
  /// The operator that the test is about, and the version of the operators that its model asks for; nil when there is
  /// none.
  func subject() throws -> (operator: OperatorName, opset: Int)?
  /// - Throws: what reading a model throws, also where there is none.
  func model() throws -> any GraphModel
  /// The number of sets of inputs and outputs.
  func dataSetCount() throws -> Int
  /// The inputs of a data set by name, for `graph`.
  func inputs(_ dataSet: Int, of graph: Graph) throws -> [String: GraphValue]
  /// The right value of output number `index` in a data set; nil when the test has none.
  func expected(_ dataSet: Int, output index: Int, of graph: Graph) throws -> GraphValue?
  /// How far numbers may be from the right ones.
  func tolerance() throws -> Tolerance
}

/// What came out of a conformance test.
public enum ConformanceOutcome: Sendable, Hashable {
  /// The outputs are those expected, within the tolerance, on every data set.
  case passed
  /// The outputs are not those expected, or the model could not be run.
  case wrong(String)
  /// The test needs something that Apus says it does not have.
  case unsupported(String)
  /// The outputs depend on chance; their types, shapes and kinds of values are right.
  case nondeterministic
}

extension ConformanceCase {
  /// Runs the test on every data set.
  public func run(options: InferenceSession.Options = .init()) -> ConformanceOutcome {
    do {
      let model = try model()
      let session = try InferenceSession(model, options: options)
      let tolerance = try tolerance()
      let isRandom = model.graph.isRandom
      let count = try dataSetCount()
      for set in 0..<count {
        if let difference = try difference(session, set, tolerance, comparingNumbers: !isRandom) {
          return .wrong("data set \(set): \(difference)")
        }
      }
      guard count > 0 else { return .wrong("it has no data set") }
      return isRandom ? .nondeterministic : .passed
    } catch let error as GraphError {
      if case .unsupported = error { return .unsupported("\(error)") }
      return .wrong("\(error)")
    } catch {
      return .wrong("\(error)")
    }
  }

  /// What differs first in a data set; nil when all is as expected.
  private func difference(
    _ session: InferenceSession, _ dataSet: Int, _ tolerance: Tolerance, comparingNumbers: Bool
  ) throws -> String? {
    let graph = session.model.graph
    let outputs = try session.run(inputs(dataSet, of: graph))
    for (index, id) in graph.outputs.enumerated() {
      guard let expected = try expected(dataSet, output: index, of: graph) else { continue }
      let name = graph.values[id].name
      guard let value = outputs[name] else { return "output '\(name)' is missing" }
      let difference = try value.difference(from: expected, within: tolerance, comparingNumbers: comparingNumbers)
      if let difference { return "output '\(name)': \(difference)" }
    }
    return nil
  }
}

extension Graph {
  /// Whether what the graph gives depends on chance.
  fileprivate var isRandom: Bool {
    nodes.contains { node in
      node.facts?.isDeterministic == false || node.subgraphs.values.contains(where: \.isRandom)
    }
  }
}
