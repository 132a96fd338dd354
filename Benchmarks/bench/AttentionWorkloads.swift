import Apus

/// Scaled dot-product attention: MobileBERT's four heads of 32, and BERT's twelve of 64.
func attentionWorkloads() -> [Workload] {
  [[1, 4, 32, 32], [1, 4, 128, 32], [1, 12, 128, 64]].map { shape in
    let (heads, length, width) = (shape[1], shape[2], shape[3])
    let query = Operand(shape, seed: 1)
    let key = Operand(shape, seed: 2)
    let value = Operand(shape, seed: 3)
    return Workload(
      name: "attention/\(heads)x\(length)x\(width)", shape: "\(heads) heads, length \(length), \(width) each",
      // Two products a head; the softmax between them is not counted.
      cost: .operations(Double(4 * heads * length * length * width)), twin: nil
    ) {
      let (q, k, v) = (try query.tensor(), try key.tensor(), try value.tensor())
      return { try scaledDotProductAttention(query: q, key: k, value: v) }
    }
  }
}
