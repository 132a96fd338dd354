/// A network as the reader of a format gives it: the graph, and what its file says besides.
///
/// Each format has a type of its own that conforms (`ONNXModel` of `ApusONNX`, for example); sessions and parity checks
/// take any.
public protocol GraphModel: Sendable {
  /// The graph as the file has it, nothing rewritten.
  var graph: Graph { get }
  /// What exporters wrote beside the network, by name.
  var metadata: [String: String] { get }
  /// What the file says of itself. Counting its parameters takes time in proportion to the number of its tensors.
  var summary: ModelSummary { get }
  /// What is unusual and not wrong, a sentence each: a newer version of the format, for example.
  var warnings: [String] { get }
  /// The paths of the files beside the model's own of which tensors were read so far, sorted; after a session was made
  /// of the model, all that its results depend on.
  var externalFiles: [String] { get }
  /// Whether outputs have names that a caller knows them by. Where an exporter makes names up of its nodes', their order alone
  /// says which is which.
  var hasNamedOutputs: Bool { get }
  /// What an input or an output stands for; nil where its type says all of it.
  func form(of value: String) -> ValueForm?
  /// Throws when a file that the model's constants lie in is no longer what it was, so that results are void; see
  /// `ShrinkingFiles`. A session asks after it was made and after every run.
  func checkFiles() throws
}

extension GraphModel {
  /// Formats in which a caller asks for outputs by name.
  public var hasNamedOutputs: Bool { true }

  /// Formats whose types say everything.
  public func form(of value: String) -> ValueForm? { nil }

  /// A model that lies in no file.
  public func checkFiles() throws {}
}
