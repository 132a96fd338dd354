import Apus

/// Something to measure.
struct Workload {
  /// What a call moves or computes, which gives its time a meaning.
  enum Cost {
    /// Floating-point operations; a multiply-add counts twice.
    case operations(Double)
    /// Bytes read and written, each operand once.
    case bytes(Double)
  }

  /// Runs once, and returns its result where that is worth comparing.
  typealias Body = () throws -> Tensor<Float>?

  /// What it is called in filters and by other programs: `group/what`.
  let name: String
  /// For people.
  let shape: String
  let cost: Cost
  /// The same work as ONNX operators, where there is such.
  let twin: Twin?
  /// Allocates operands and lays out weights. Nothing of it is timed.
  let prepare: () throws -> Body

  var group: Substring { name.prefix { $0 != "/" } }
  var label: Substring { name.drop { $0 != "/" }.dropFirst() }
}

/// The same work for ONNX Runtime: a chain of nodes, or a model of this package.
struct Twin: Encodable {
  struct Node: Encodable {
    var op: String
    /// What follows the result of the node before as inputs that come with every call, as if a network had computed them.
    var operands: [Operand] = []
    /// What follows these as inputs that are known in advance, as weights are.
    var parameters: [Operand] = []
    var integers: [String: [Int]] = [:]
    var floats: [String: Float] = [:]
    var strings: [String: String] = [:]
  }

  /// What goes in; a network's golden file has it.
  var input: Operand?
  var nodes: [Node] = []
  /// A file in the package's `Weights`.
  var model: String?
  /// A network of `Weights/reference`, exported with its generated weights.
  var network: String?
  /// An ONNX file, and an `.npz` of its inputs.
  var onnx: String?
  var inputs: String?
}

/// All there is to measure, in the order of the table; only `models` and `pictures` when some are given.
func allWorkloads(_ models: [ModelFile] = [], pictures: [String] = []) -> [Workload] {
  if !models.isEmpty || !pictures.isEmpty {
    return modelWorkloads(models) + (pictures.isEmpty ? [] : pictureWorkloads(pictures))
  }
  let groups: [() -> [Workload]] = [
    gemmWorkloads, linearWorkloads, convolutionWorkloads, normalizationWorkloads, attentionWorkloads,
    recurrentWorkloads,
    quantizedWorkloads, activationWorkloads, arithmeticWorkloads, classifierWorkloads, networkWorkloads,
    { pictureWorkloads() },
    imageWorkloads,
  ]
  return groups.flatMap { $0() }
}
