import Apus
import ApusGraph

extension ProgramBuilder {
  /// How a call becomes nodes: what it gives in order, nil for what nothing stands for.
  typealias Lowering = @Sendable (Call) throws -> [Graph.ValueID?]

  /// The operators that are made of nodes, by their names without overloads.
  static let lowerings: [String: Lowering] = {
    var result: [String: Lowering] = [:]
    for family in [
      elementwise, activations, arithmetic, comparisons, reductions, orders, matrices, attention, convolutions, pooling,
      normalizations, shapes, joining, padding, indexing, scattering, resizing, recurrent, creation,
    ] {
      for (name, lowering) in family { result["aten.\(name)"] = lowering }
    }
    // What experts of Hugging Face's models are computed with.
    result["transformers.grouped_mm_fallback"] = { call in [try groupedProduct(call, "weight")] }
    // Of several packages.
    for family in [symbolic, controlFlow, quantization, quantizationRanges] {
      result.merge(family) { first, _ in first }
    }
    return result
  }()

  /// Every operator that is read, by name.
  static var operatorNames: [String] { Set(lowerings.keys).union(complexNumbers.keys).sorted() }

  /// The lowering of an operator. One that writes over its argument is made as the one that does not, and so is one that
  /// copies what another gives a view of.
  static func lowering(of target: OperatorTarget, in table: [String: Lowering] = lowerings) -> Lowering? {
    if let own = table[target.name] { return own }
    if let plain = target.plainName { return table[plain] }
    let copy = "_copy"
    return target.name.hasSuffix(copy) ? table[String(target.name.dropLast(copy.count))] : nil
  }
}
