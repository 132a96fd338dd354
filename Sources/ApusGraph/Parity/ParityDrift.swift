import Apus

// How far rounding alone carries a model that jumps: one that rounds to levels, or chooses between buckets, makes much of a
// last place, and two runtimes of which no node is wrong part all the same. How much is measured by Monte Carlo arithmetic
// (D. S. Parker, 1997): the model is computed in DOUBLE, and every result moved by chance, as far as a node may be off.

extension ParityReport {
  /// Takes over which nodes drift from what was found with such a run beside.
  mutating func takeDrifts(of other: ParityReport) {
    for (index, node) in other.nodes.enumerated() where node.status == .drifts && nodes[index].status == .inherits {
      nodes[index].status = .drifts
    }
  }
}

extension Node {
  /// Whether the result jumps where an input passes some number: floating-point numbers become whole ones, or a choice.
  ///
  /// Sizes are whole as well, but hang on no element.
  ///
  /// - Parameter inputs: the types of the inputs that are no constants.
  func jumps(from inputs: [ElementType?], to output: ElementType?) -> Bool {
    guard !readsShapes, inputs.contains(where: { $0?.isFloatingPoint == true }) else { return false }
    return output?.isFloatingPoint == false
      || operatorName.domain.isEmpty && ["Floor", "Ceil", "Round", "Sign"].contains(operatorName.type)
  }
}

extension GraphValue {
  /// The elements of a tensor of DOUBLE, each moved by chance and by no more than the tolerance; other values as they are.
  func moved(within tolerance: Tolerance, seed: UInt64) throws -> GraphValue {
    guard case .tensor(.float64(let tensor)) = self else { return self }
    var state = seed
    let elements = try tensor.elements.map { x in
      guard x.isFinite else { return x }
      return x + (tolerance.relative * x.magnitude + tolerance.absolute) * Self.nextUnit(&state)
    }
    return GraphValue(try Tensor(elements, shape: tensor.shape))
  }

  /// Between -1 and 1, by SplitMix64 (G. L. Steele and others, 2014).
  private static func nextUnit(_ state: inout UInt64) -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    bits ^= bits >> 31
    return Double(Int64(bitPattern: bits)) * 0x1p-63
  }
}
