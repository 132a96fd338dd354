import Apus

/// How many products or terms are added up for one element of a node's output: what the rounding error of a right
/// result grows with.
enum ReductionLength {
  /// - Parameters:
  ///   - inputs: the shapes of the node's inputs; nil where one is left out or has none.
  ///   - output: the shape of its first output.
  /// - Returns: 1 for operators that add nothing up.
  static func of(_ node: Node, inputs: [[Int]?], output: [Int]) -> Int {
    func shape(_ index: Int) -> [Int] { inputs.indices.contains(index) ? inputs[index] ?? [] : [] }
    switch node.operatorName.type {
    case "Conv", "ConvInteger", "DeformConv", "FusedConv": return product(shape(1).dropFirst())
    case "QLinearConv": return product(shape(3).dropFirst())
    case "ConvTranspose":
      let group = integer(node, "group") ?? 1
      return (product(shape(1).prefix(1)) / max(1, group)).multipliedClamping(by: product(shape(1).dropFirst(2)))
    case "MatMul", "MatMulInteger", "QLinearMatMul", "FusedMatMul", "MatMulNBits": return shape(0).last ?? 1
    case "Gemm", "FusedGemm":
      return (integer(node, "transA") ?? 0) != 0 ? shape(0).first ?? 1 : shape(0).last ?? 1
    case "Einsum": return contraction(shape(0), shape(1), output)
    case "Softmax", "LogSoftmax", "CumSum", "LpNormalization":
      return extent(shape(0), integer(node, "axis") ?? -1)
    case "LayerNormalization", "RMSNormalization", "SimplifiedLayerNormalization", "SkipLayerNormalization":
      let axis = integer(node, "axis") ?? -1
      return product(shape(0).dropFirst(axis < 0 ? max(0, shape(0).count + axis) : axis))
    case "InstanceNormalization", "MeanVarianceNormalization": return product(shape(0).dropFirst(2))
    case "GroupNormalization":
      return product(shape(0).dropFirst()) / max(1, integer(node, "num_groups") ?? 1)
    case "LRN": return integer(node, "size") ?? 1
    case "AveragePool", "LpPool":
      guard case .ints(let kernel) = node.attributes["kernel_shape"] else { return 1 }
      return product(kernel.map { Int(clamping: $0) }[...])
    case "Attention", "MultiHeadAttention": return (shape(0).last ?? 1).addedClamping(to: shape(1).dropLast().last ?? 1)
    case "LSTM", "GRU", "RNN":
      // The weights of one step, and the steps that feed each other.
      return (shape(1).last ?? 1).addedClamping(to: shape(2).last ?? 1).multipliedClamping(by: shape(0).first ?? 1)
    case let type where type.hasPrefix("Reduce") || type.hasPrefix("Global") || type == "Mean" || type == "Sum":
      return max(product(shape(0)[...]) / max(1, product(output[...])), inputs.count)
    default: return 1
    }
  }

  private static func integer(_ node: Node, _ name: String) -> Int? {
    if case .int(let value) = node.attributes[name] { Int(clamping: value) } else { nil }
  }

  /// Shapes are those of tensors that exist, or of a file's attribute: nothing may overflow.
  private static func product(_ extents: ArraySlice<Int>) -> Int {
    extents.reduce(1) { $0.multipliedClamping(by: max(1, $1)) }
  }

  private static func extent(_ shape: [Int], _ axis: Int) -> Int {
    let index = axis < 0 ? shape.count + axis : axis
    return shape.indices.contains(index) ? shape[index] : 1
  }

  /// Of `[M, K] × [K, N] → [M, N]`, from the numbers of elements alone, K.
  private static func contraction(_ a: [Int], _ b: [Int], _ output: [Int]) -> Int {
    let operands = Double(product(a[...])) * Double(product(b[...]))
    return Int(clamping: Int64(max(1, min(1e15, (operands / Double(product(output[...]))).squareRoot()))))
  }
}

extension Int {
  fileprivate func multipliedClamping(by other: Int) -> Int {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }

  fileprivate func addedClamping(to other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
