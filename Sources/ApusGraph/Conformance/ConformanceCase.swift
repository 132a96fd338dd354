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
  /// What counts as the same, besides numbers.
  var comparison: ConformanceComparison { get }
  /// Of what a data set gave, the inputs that the next one takes besides its own.
  func state(of outputs: [String: GraphValue], after dataSet: Int) -> [String: GraphValue]
}

/// What counts as the same when the outputs of a conformance test are compared.
public enum ConformanceComparison: Sendable, Hashable {
  /// Element types and shapes too.
  case types
  /// Numbers and shapes, where axes of extent 1 at the ends do not count: formats exist that do not know them.
  case shapes
  /// Numbers in their order alone.
  case elements
}

extension ConformanceCase {
  /// Element types and shapes count.
  public var comparison: ConformanceComparison { .types }
  /// Nothing goes from one data set to the next.
  public func state(of outputs: [String: GraphValue], after dataSet: Int) -> [String: GraphValue] { [:] }
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

/// What the model of a conformance test has and Apus has not, in the words of the format's reader.
package struct UnsupportedModel: Error {
  let description: String

  package init(_ description: String) { self.description = description }
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
      var state: [String: GraphValue] = [:]
      for set in 0..<count {
        if let difference = try difference(session, set, &state, tolerance, comparingNumbers: !isRandom) {
          return .wrong("data set \(set): \(difference)")
        }
      }
      guard count > 0 else { return .wrong("it has no data set") }
      return isRandom ? .nondeterministic : .passed
    } catch let error as UnsupportedModel {
      return .unsupported(error.description)
    } catch let error as GraphError {
      if case .unsupported = error { return .unsupported("\(error)") }
      return .wrong("\(error)")
    } catch {
      return .wrong("\(error)")
    }
  }

  /// What differs first in a data set; nil when all is as expected.
  private func difference(
    _ session: InferenceSession, _ dataSet: Int, _ state: inout [String: GraphValue], _ tolerance: Tolerance,
    comparingNumbers: Bool
  ) throws -> String? {
    let graph = session.model.graph
    let outputs = try session.run(inputs(dataSet, of: graph).merging(state) { own, _ in own })
    state = self.state(of: outputs, after: dataSet)
    for (index, id) in graph.outputs.enumerated() {
      guard let expected = try expected(dataSet, output: index, of: graph) else { continue }
      let name = graph.values[id].name
      guard let value = outputs[name] else { return "output '\(name)' is missing" }
      let wanted = try expected.fitted(to: value, comparison)
      let difference = try value.difference(from: wanted, within: tolerance, comparingNumbers: comparingNumbers)
      if let difference { return "output '\(name)': \(difference)" }
    }
    return nil
  }
}

extension GraphValue {
  /// The value with the element type and shape of `other`, where `comparison` says that these do not count.
  fileprivate func fitted(to other: GraphValue, _ comparison: ConformanceComparison) throws -> GraphValue {
    guard comparison != .types, let shape, let wanted = other.shape, shape.product == wanted.product else {
      return self
    }
    func trimmed(_ shape: [Int]) -> [Int] {
      let front = shape.drop { $0 == 1 }
      return Array(front.prefix((front.lastIndex { $0 != 1 } ?? front.startIndex - 1) - front.startIndex + 1))
    }
    guard comparison == .elements || trimmed(shape) == trimmed(wanted) else { return self }
    let value = try reshaped(wanted)
    guard case .tensor(let tensor) = value, case .tensor(let target) = other else { return value }
    return .tensor(try tensor.converted(to: target.dataType))
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
