import Apus

/// What can be wrong with a model, with what is fed to it, or with what happens when it runs.
public enum GraphError: ApusError, Sendable {
  /// The graph contradicts itself or the standard: a cycle, a name used twice, an input that nothing gives.
  case graph(String)
  /// An operator, or a version of it, that Apus does not have.
  case unsupported(operator: OperatorName, opset: Int, node: String)
  /// What was fed to the model does not fit it.
  case input(name: String, reason: String)
  /// A value was asked for that the model does not have.
  case noSuchValue(name: String, suggestion: String?)
  /// A node could not be prepared or run.
  case node(NodeFailure)
  /// A limit of ``InferenceSession/Limits`` was reached.
  case limit(String)
  /// The time is up that ``TimeLimit`` or ``InferenceSession/Limits/time`` grants.
  case timeLimit(Duration)
  /// The task that ran the model was cancelled.
  case cancelled
}

/// Which node failed, on what, and why.
public struct NodeFailure: ApusError, Sendable {
  /// The node's name in the file, or one made from its operator and position.
  public let node: String
  /// The operator, as the node names it.
  public let operatorName: OperatorName
  /// The node's inputs: names, and types where values were there.
  public let inputs: [String]
  /// What was wrong, without the node.
  public let reason: String
}

/// What an operator finds wrong with its attributes or inputs; the runner adds the node.
public struct OperatorError: ApusError, Sendable, CustomStringConvertible {
  /// What was wrong, in words that follow "node '…': ".
  public let description: String

  /// A failure described by `reason`, which names neither node nor operator: they are added where it is caught.
  public init(_ reason: String) { description = reason }
}

extension GraphError: CustomStringConvertible {
  /// What was wrong and, where one is to blame, the node, the input or the value.
  public var description: String {
    switch self {
    case .graph(let reason): "the graph is malformed: \(reason)"
    case .unsupported(let name, let opset, let node):
      "operator \("\(name)".shortForMessage) of opset \(opset) is not supported (node '\(node.shortForMessage)')"
        + (name.advice.map { "; \($0)" } ?? "")
    case .input(let name, let reason): "input '\(name.shortForMessage)': \(reason)"
    case .noSuchValue(let name, let suggestion):
      "the model has no value named '\(name.shortForMessage)'"
        + (suggestion.map { "; did you mean '\($0.shortForMessage)'?" } ?? "")
    case .node(let failure): failure.description
    case .limit(let reason): reason
    case .timeLimit(let duration):
      "it took longer than \(Self.seconds(duration)) s, the limit on time; --time-limit, TimeLimit and "
        + "InferenceSession.Limits.time set it"
    case .cancelled: "the run was cancelled"
    }
  }
}

extension NodeFailure: CustomStringConvertible {
  /// The node, its operator, the inputs with the types they had, and the reason.
  public var description: String {
    let operands = inputs.isEmpty ? "" : " on \(inputs.map(\.shortForMessage).joined(separator: ", "))"
    return "node '\(node.shortForMessage)' (\("\(operatorName)".shortForMessage))\(operands): \(reason)"
  }
}

extension GraphError {
  /// ``Fault/usage`` for the name of a value that the model does not have, ``Fault/time`` for a limit of time,
  /// ``Fault/data`` for everything else.
  public var fault: Fault {
    switch self {
    // Names of values and limits are the caller's, everything else is of the model and its inputs.
    case .noSuchValue: .usage
    case .timeLimit: .time
    default: .data
    }
  }

  private static func seconds(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    return NumberText.short(Double(seconds) + Double(attoseconds) * 1e-18, digits: 6)
  }
}

extension NodeFailure {
  /// ``Fault/data``: the model, or what it was run on.
  public var fault: Fault { .data }
}

extension OperatorError {
  /// ``Fault/data``: the node's attributes or inputs.
  public var fault: Fault { .data }
}
