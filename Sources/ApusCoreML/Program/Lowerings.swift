import Apus
import ApusGraph

extension ProgramBuilder {
  /// How an operation becomes nodes: its outputs in order, nil for one that nothing stands for.
  typealias Lowering = @Sendable (Call) throws -> [Graph.ValueID?]

  /// The operations that are made of nodes, by name.
  static let lowerings: [String: Lowering] = {
    var result: [String: Lowering] = [:]
    for family in [
      elementwise, binary, reductions, matrices, convolutions, normalizations, shapes, indexing, resizing, recurrent,
      quantization, compression, lists, random, classification,
    ] {
      result.merge(family) { first, _ in first }
    }
    return result
  }()

  /// Every operation that is read, by name.
  static var operationNames: [String] { (Array(lowerings.keys) + controlFlow.keys + ["const"]).sorted() }
}
