import Apus

/// Scaled dot-product attention: MobileBERT's four heads of 32, and BERT's twelve of 64. As tensors of a head each, and
/// with the heads side by side as projections leave them.
func attentionWorkloads() -> [Workload] {
  [(4, 32, 32), (4, 128, 32), (12, 128, 64)].flatMap { heads, length, width in
    let label = "\(heads)x\(length)x\(width)"
    let shape = "\(heads) heads, length \(length), \(width) each"
    // Two products a head; the softmax between them is not counted.
    let cost = Workload.Cost.operations(Double(4 * heads * length * length * width))
    let query = Operand([1, heads, length, width], seed: 1)
    let transposedKey = Operand([1, heads, width, length], seed: 2)
    let value = Operand([1, heads, length, width], seed: 3)
    let twin = Twin(
      input: query,
      nodes: [
        // A single number, the root of the features' inverse.
        .init(op: "Mul", parameters: [Operand([1], seed: 4, scale: 0, offset: 1 / Float(width).squareRoot())]),
        .init(op: "MatMul", operands: [transposedKey]), .init(op: "Softmax", integers: ["axis": [-1]]),
        .init(op: "MatMul", operands: [value]),
      ])
    let apart = Workload(name: "attention/\(label)", shape: shape, cost: cost, twin: twin) {
      let (q, k, v) = (try query.tensor(), try transposedKey.tensor().transposed(2, 3), try value.tensor())
      return { try scaledDotProductAttention(query: q, key: k, value: v) }
    }
    let joined = Workload(name: "attention/joined-\(label)", shape: shape, cost: cost, twin: nil) {
      let (q, k, v) = (
        try Operand([1, length, heads * width], seed: 1).tensor(),
        try Operand([1, length, heads * width], seed: 2).tensor(),
        try Operand([1, length, heads * width], seed: 3).tensor()
      )
      return { try scaledDotProductAttention(query: q, key: k, value: v, heads: heads) }
    }
    return [apart, joined]
  }
}
