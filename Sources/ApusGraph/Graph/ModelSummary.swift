/// What a model's file says of itself besides its graph: what `apus inspect` shows of any format.
public struct ModelSummary: Sendable {
  /// A set of operators that the model is written in.
  public struct OperatorSet: Sendable, Hashable {
    /// Who defines the operators: `ai.onnx` for the standard's.
    public var domain: String
    /// The version of the definitions.
    public var version: Int64

    /// Creates the set of a domain's operators as of a version.
    public init(domain: String, version: Int64) {
      (self.domain, self.version) = (domain, version)
    }
  }

  /// The name of the format, and the version of it that the file has.
  public var format: (name: String, version: Int64)
  /// The sets of operators, in the file's order.
  public var operatorSets: [OperatorSet] = []
  /// The program that wrote the file, with its version; empty where it does not say.
  public var producer = ""
  /// Who publishes the model, as a reversed domain name; empty where the file does not say.
  public var domain = ""
  /// The publisher's own number for the model; 0 where there is none.
  public var version: Int64 = 0
  /// What the model is for, in its author's words.
  public var text = ""
  /// What exporters wrote beside the network, in the file's order.
  public var metadata: [(key: String, value: String)] = []
  /// What the format says and others do not: a label and a text each.
  public var facts: [(label: String, text: String)] = []
  /// The numbers that the file holds.
  public var parameters: ParameterCensus
  /// How many functions of its own the model defines.
  public var functionCount = 0

  /// Creates a summary that says no more than the format and the parameters.
  public init(format: String, version: Int64, parameters: ParameterCensus) {
    self.format = (format, version)
    self.parameters = parameters
  }
}
