import Apus

/// What a ``ParityCheck`` found on one set of inputs.
public struct ParityReport: Sendable {
  /// What is to be said of a node.
  public enum Status: Sendable, Hashable {
    /// Isolated and cumulative error are within the tolerances.
    case equal
    /// Some quantised levels are off by one, and nothing else.
    case offByOneLevel
    /// The node itself computes something else: its error on the reference's own inputs is beyond the tolerance.
    case wrong
    /// The reference's value is not what the node gives, and what follows shows that it is the value that does not fit the
    /// model: not counted.
    case unfit(UnfitReference)
    /// The node is right on the reference's inputs; its own inputs were off already.
    case inherits
    /// The same behind a node that rounds to whole numbers or chooses, and no further off than rounding alone carries the
    /// model: it parts as far from itself in DOUBLE.
    case drifts
    /// The reference has none of its outputs.
    case unchecked
    /// Its outputs depend on chance; the reference's are taken over.
    case random
    /// It could not be prepared or run, and why; the reference's outputs are taken over.
    case failed(String)
    /// A value that it reads has not been computed.
    case notComputed(String)
  }

  /// Why values of the reference are taken not to fit the model.
  ///
  /// A reference that was recorded before an exporter folded a normalisation into a convolution has, under the name of the
  /// convolution's output, what was there before the normalisation. A node after it has the reference's value on what the
  /// model computes, and not on the reference's own.
  public struct UnfitReference: Sendable, Hashable {
    /// The names of the values.
    public let values: [String]
    /// The node after them that has the reference's value without them.
    public let witness: String
    /// What tells that they do not fit.
    public let cause: Cause

    /// What tells that values do not fit.
    public enum Cause: Sendable, Hashable {
      /// The witness has the reference's value only without them: recorded before something was folded into the node.
      case folded
      /// The reference has the witness's value under these names as well: recorded after it was overwritten in place.
      case overwritten
      /// Only constants of masks differ, and all nodes after them have the reference's value either way.
      case mask
      /// They were paired for being alike, which they are not much, and all nodes after them have the reference's value either
      /// way.
      case likeness
    }
  }

  /// An input of a node.
  public struct Input: Sendable {
    /// Where the value came from when the node was run by itself.
    public enum Source: String, Sendable, Hashable, Encodable {
      /// A constant of the model, one of the inputs given, or a value of the reference.
      case constant, input, reference
      /// Computed by Apus from what the reference has further up.
      case computed
    }

    /// The value's name in the model.
    public let name: String
    /// The type of the value that the node was given, or what the model declares where there was none.
    public let type: GraphValueType?
    /// Where that value came from.
    public let source: Source
  }

  /// Which side is closer to the node computed in DOUBLE.
  public struct Truth: Sendable {
    /// The node on the reference's inputs, in DOUBLE: how far the reference is from that.
    public let isolatedReference: ValueDifference?
    /// The node on the reference's inputs: how far what Apus computes is from the same in DOUBLE.
    public let isolatedActual: ValueDifference?
    /// The whole model in DOUBLE: how far the reference is from that.
    public let cumulativeReference: ValueDifference?
    /// Apus' own run from the model's inputs on: how far it is from the same in DOUBLE.
    public let cumulativeActual: ValueDifference?
  }

  /// An output of a node that the reference has.
  public struct Output: Sendable {
    /// The value's name in the model and in the reference.
    public let name: String
    /// The type of what Apus computed; nil when the node could not be run.
    public let type: GraphValueType?
    /// The type that the reference's value has.
    public let expectedType: GraphValueType
    /// The node on the reference's inputs; nil when it could not be run on them, and where it has another result because
    /// FLOAT has infinities in place of some.
    public let isolated: ValueDifference?
    /// Apus' own run, from the model's inputs on.
    public let cumulative: ValueDifference?
    /// Whether the cumulative error is beyond the tolerance, and yet no more than four times that of Apus' own run against
    /// the same in DOUBLE. False where the model was not computed in DOUBLE.
    public let isDrift: Bool
    /// Both sides held against DOUBLE; nil unless ``ParityCheck/Options/computesTruth`` asked for it.
    public let truth: Truth?
    /// How the isolated error is spread or, where it is within the tolerance, the cumulative one; nil unless
    /// ``ParityCheck/Options/profilesErrors`` asked for it.
    public let profile: ErrorProfile?
  }

  /// What an answer is lacking where nothing that was compared differs.
  public enum Lack: Sendable, Hashable {
    /// Numbers: every output of the model that was compared is NaN or infinite everywhere, or has no elements, on both sides.
    case numbers
    /// Outputs of the model that the reference lacks, though it has names that the model does not, or is a model itself.
    case outputs
    /// Sameness from run to run: a Dropout leaves elements out, as in training.
    case sameness
  }

  /// What is known of one node after the run.
  public struct NodeReport: Sendable {
    /// The node's position in the order in which nodes run.
    public let index: Int
    /// The node's name in the file, or one made from its operator and position.
    public let name: String
    /// The node's operator.
    public let operatorName: OperatorName
    /// The version of its operator set that the node is written against.
    public let opset: Int
    /// Attributes as text, sorted by name.
    public let attributes: [(name: String, value: String)]
    /// Its inputs in order, without optional ones that are omitted.
    public let inputs: [Input]
    /// The outputs that the reference has, in order.
    public let outputs: [Output]
    /// The names of all its outputs that the model uses, in order.
    public let outputNames: [String]
    /// What the comparisons come to.
    public internal(set) var status: Status
    /// The number of terms that one element of the output adds up.
    public let terms: Int
    /// The earlier nodes between this one and values that the reference has: a difference may be theirs as well.
    public let suspects: [String]
    /// What the difference is made of, of a node that is wrong: every hypothesis that holds.
    public let patterns: [DifferencePattern]
    /// Whether nothing that goes into the model reaches the node.
    public let isConstant: Bool
    /// The nodes within its subgraphs, which are not looked into.
    public let bodyNodeCount: Int
  }

  /// The nodes in the order in which they run.
  public internal(set) var nodes: [NodeReport] = []
  /// The names of the model's outputs, in order.
  public internal(set) var modelOutputs: [String] = []
  /// Those of them that the reference does not have or, where it is a model, does not give as outputs.
  public internal(set) var uncomparedOutputs: [String] = []
  /// Outputs that a reference which is a model does not give, and that follow from values that were compared: the label of
  /// the highest score. They are not among ``uncomparedOutputs``.
  public internal(set) var impliedOutputs: [String] = []
  /// Whether the reference is a model too: its ``unknownNames`` are outputs that have no counterpart.
  public internal(set) var isReferenceModel = false
  /// The names of the model's constants that the reference has others of: they say where a difference may come from, and
  /// are no difference by themselves.
  public internal(set) var differingConstants: [String] = []
  /// The names of inputs that the model was given, and that the reference has others of.
  public internal(set) var differingInputs: [String] = []
  /// Names that the reference has and the model does not.
  public internal(set) var unknownNames: [String] = []
  /// Whether everything was computed in DOUBLE too.
  public internal(set) var hasTruth = false
}

extension ParityReport {
  /// What it all comes to.
  public enum Verdict: Sendable, Hashable {
    /// The reference has no value of the model.
    case nothingChecked
    case equal
    /// Nodes compute something else; their positions in ``nodes``.
    case wrong(first: Int, count: Int)
    /// Every node is right by itself, and yet values are off: rounding that was amplified. The first position.
    case accumulated(first: Int)
    /// A node could not be run and no node is wrong.
    case incomplete(first: Int)
    /// Nothing differs, and yet nobody can say that all is equal.
    case inconclusive(Lack)
  }

  /// The first of these that holds: nodes that are wrong, nodes that failed, nodes that inherit an error, nothing to
  /// compare, something that an answer is lacking, equality.
  public var verdict: Verdict {
    if let first = nodes.firstIndex(where: { $0.status == .wrong }) {
      return .wrong(first: first, count: nodes.count { $0.status == .wrong })
    }
    let failed = nodes.firstIndex { node in
      if case .failed = node.status { true } else { false }
    }
    if let failed { return .incomplete(first: failed) }
    if let first = nodes.firstIndex(where: { $0.status == .inherits }) { return .accumulated(first: first) }
    if checkedCount == 0 { return .nothingChecked }
    return lack.map { .inconclusive($0) } ?? .equal
  }

  private var lack: Lack? {
    if !droppingNodes.isEmpty { return .sameness }
    if !uncomparedOutputs.isEmpty, isReferenceModel || !unknownNames.isEmpty { return .outputs }
    let compared = nodes.flatMap(\.outputs)
    let outputs = compared.filter { modelOutputs.contains($0.name) }
    return (outputs.isEmpty ? compared : outputs).allSatisfy(\.hasNoNumbers) ? .numbers : nil
  }

  /// The positions of the nodes that leave elements out by chance; see ``Lack/sameness``.
  public var droppingNodes: [Int] {
    nodes.indices.filter { nodes[$0].status == .random && nodes[$0].operatorName == Node.dropout }
  }

  /// Whether values were compared and no node is wrong, failed, or off.
  public var isEqual: Bool { verdict == .equal }
  /// The values that were compared, without ``unfitNames``.
  public var checkedCount: Int { nodes.reduce(0) { $0 + $1.outputs.count } - unfitNames.count }
  /// The names of the reference's values that do not fit the model.
  public var unfitNames: Set<String> { Set(nodes.flatMap { $0.unfitReference?.values ?? [] }) }
  /// The names of values, constants excluded, that are NaN or infinite everywhere or have no elements, on both sides, in
  /// running order: that they agree says nothing of what leads to them.
  public var namesWithoutNumbers: [String] {
    nodes.filter { !$0.isConstant }.flatMap(\.outputs).filter(\.hasNoNumbers).map(\.name)
  }
  /// The nodes none of whose outputs the reference has, constants excluded.
  public var uncheckedCount: Int { nodes.count { $0.status == .unchecked && !$0.isConstant } }
  /// The nodes within subgraphs of all nodes, which are not looked into.
  public var bodyNodeCount: Int { nodes.reduce(0) { $0 + $1.bodyNodeCount } }

  /// What is found of one operator.
  public struct OperatorSummary: Sendable {
    /// The operator, with its domain where that is not the standard's.
    public let name: String
    /// How many nodes have the operator.
    public internal(set) var nodes = 0
    /// How many of them have an output that the reference has.
    public internal(set) var checked = 0
    /// How many compute something else by themselves.
    public internal(set) var wrong = 0
    /// How many have quantised levels that are off by one, and nothing else.
    public internal(set) var offByOneLevel = 0
    /// How many have a value in the reference that does not fit the model.
    public internal(set) var unfit = 0
    /// How many were only handed an error.
    public internal(set) var inherits = 0
    /// How many are off by no more than rounding carries the model.
    public internal(set) var drifts = 0
    /// The nodes that could not be run.
    public internal(set) var failed = 0
    /// The largest isolated error: the RMS of the differences by the RMS of the expected.
    public internal(set) var largestError = 0.0
    /// The node with the largest isolated error; nil when no error is above zero.
    public internal(set) var worstNode: String?
  }

  /// A line for each operator, in the order of their first node.
  public var operators: [OperatorSummary] {
    var order: [String] = []
    var summaries: [String: OperatorSummary] = [:]
    for node in nodes {
      let name = "\(node.operatorName)"
      if summaries[name] == nil { order.append(name) }
      var summary = summaries[name] ?? OperatorSummary(name: name)
      summary.nodes += 1
      switch node.status {
      case .wrong: summary.wrong += 1
      case .offByOneLevel: summary.offByOneLevel += 1
      case .unfit: summary.unfit += 1
      case .inherits: summary.inherits += 1
      case .drifts: summary.drifts += 1
      case .failed: summary.failed += 1
      default: break
      }
      if !node.outputs.isEmpty { summary.checked += 1 }
      for output in node.outputs where node.unfitReference == nil {
        let error = output.isolated?.comparison?.relativeRootMeanSquare ?? 0
        // Of what should be zero everywhere, any error is infinitely large.
        if error.isInfinite, output.isolated?.isAcceptable == true { continue }
        if error > summary.largestError { (summary.largestError, summary.worstNode) = (error, node.name) }
      }
      summaries[name] = summary
    }
    return order.compactMap { summaries[$0] }
  }
}

extension ParityReport.Output {
  /// Whether both sides have integers, of another width or sign here than in the reference: they are compared by value.
  public var isOfOtherIntegers: Bool {
    guard let own = type?.elementType?.dataType, let other = expectedType.elementType?.dataType, own != other else {
      return false
    }
    return [own, other].allSatisfy { !$0.isFloatingPoint && $0 != .bool }
  }

  /// Whether no element is a number in any of the comparisons; see ``ValueDifference/hasNoNumbers``.
  public var hasNoNumbers: Bool {
    let differences = [isolated, cumulative].compactMap { $0 }
    return !differences.isEmpty && differences.allSatisfy(\.hasNoNumbers)
  }
}

extension ParityReport.NodeReport {
  /// Why the reference's values of the node do not fit the model; nil where they are not said to.
  public var unfitReference: ParityReport.UnfitReference? {
    if case .unfit(let reason) = status { reason } else { nil }
  }
}

extension ParityReport.UnfitReference: CustomStringConvertible {
  /// A sentence.
  public var description: String {
    let names = values.map { "'\($0)'" }.joined(separator: ", ")
    let subject = "the reference's \(values.count == 1 ? "value" : "values") of \(names)"
    let unfit =
      "\(subject) \(values.count == 1 ? "does" : "do") not fit this file: '\(witness)', after it, has the reference's value "
      + "on what this file computes"
    return switch cause {
    case .folded:
      unfit + " and not on the reference's; probably it was recorded before something was folded into the node"
    case .overwritten:
      unfit
        + ", and the reference has that value under both names; probably it was recorded after being overwritten in "
        + "place"
    case .mask:
      "\(subject) \(values.count == 1 ? "has" : "have") another constant than this file's where a mask hides what is "
        + "there, without effect here: '\(witness)', after it, has the reference's value either way"
    case .likeness:
      "\(subject) \(values.count == 1 ? "is" : "are") merely like this file's, without effect here: '\(witness)', after it, "
        + "has the reference's value either way"
    }
  }
}

extension Comparison {
  /// The root mean square of the differences, relative to that of the expected elements; infinite when shapes differ or
  /// an element is not finite on one side only.
  public var relativeRootMeanSquare: Double {
    guard let differences, differences.nonFiniteMismatchCount == 0 else { return .infinity }
    return differences.normalizedMeanSquare.squareRoot()
  }
}
