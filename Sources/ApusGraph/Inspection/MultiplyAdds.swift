import Apus

extension Node {
  /// The multiply-adds that the node takes on values of these shapes; nil for an operator that is not made of them.
  ///
  /// Counted is what the definition asks for, padding included, whatever algorithm computes it: convolutions, matrix
  /// products, recurrent networks, attention, Einsum. Element by element operators count nothing.
  func multiplyAdds(inputs: [[Int]?], outputs: [[Int]?]) -> Int? {
    func input(_ index: Int) -> [Int]? { inputs.indices.contains(index) ? inputs[index] : nil }
    func flag(_ name: String) -> Bool { if case .int(let value)? = attributes[name] { value != 0 } else { false } }
    let output = outputs.first ?? nil
    switch operatorName.type {
    case "Conv", "ConvInteger", "DeformConv", "FusedConv", "NhwcConv":
      // Each output takes a filter: all of the weights but their first axis.
      return Self.convolution(output, weights: input(1))
    case "QLinearConv": return Self.convolution(output, weights: input(3))
    case "ConvTranspose": return Self.convolution(input(0), weights: input(1))
    case "Gemm", "MatMul", "MatMulInteger", "QLinearMatMul", "QGemm", "FusedMatMul", "MatMulIntegerToFloat",
      "DynamicQuantizeMatMul", "GemmFastGelu", "FusedGemm":
      guard let a = input(0), let output, !a.isEmpty else { return nil }
      let axis = flag("transA") && a.count > 1 ? a.count - 2 : a.count - 1
      return Self.product(output).multipliedClamped(by: a[axis])
    case "RNN", "LSTM", "GRU":
      // Every step multiplies by the input's and by the state's weights.
      guard let x = input(0), let w = input(1), let r = input(2), x.count == 3 else { return nil }
      let weights = Self.product(w).addingClamped(Self.product(r))
      return x[0].multipliedClamped(by: x[1]).multipliedClamped(by: weights)
    case "Attention" where operatorName.domain.isEmpty:
      // Queries by keys, and weights by values: each element of the queries and of the output meets every key.
      guard let q = input(0), let k = input(1), k.count >= 3, let output else { return nil }
      let past = input(4).map { $0.count == 4 ? $0[2] : 0 } ?? 0
      let keys = k[k.count - 2].addingClamped(past)
      return Self.product(q).addingClamped(Self.product(output)).multipliedClamped(by: keys)
    case "Einsum": return einsum(inputs)
    default: return nil
    }
  }

  private static func product(_ shape: [Int]) -> Int { shape.reduce(1) { $0.multipliedClamped(by: $1) } }

  private static func convolution(_ places: [Int]?, weights: [Int]?) -> Int? {
    guard let places, let weights, !weights.isEmpty else { return nil }
    return product(places).multipliedClamped(by: product(Array(weights.dropFirst())))
  }

  /// The product of all extents, once for each operand after the first.
  private func einsum(_ inputs: [[Int]?]) -> Int? {
    guard case .string(let bytes)? = attributes["equation"] else { return nil }
    let left = bytes.filter { $0 != UInt8(ascii: " ") }.prefix { $0 != UInt8(ascii: "-") }
    let terms = left.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    guard terms.count == inputs.count, terms.count > 1 else { return nil }
    var extents: [UInt8: Int] = [:]
    var broadcast: [Int] = []
    for (term, shape) in zip(terms, inputs) {
      guard let shape else { return nil }
      let letters = term.filter { $0 != UInt8(ascii: ".") }
      guard letters.count <= shape.count else { return nil }
      let ellipsis = term.firstIndex(of: UInt8(ascii: ".")).map { $0 - term.startIndex }
      let (head, tail) = (ellipsis ?? letters.count, letters.count - (ellipsis ?? letters.count))
      for (letter, size) in zip(letters.prefix(head), shape) { extents[letter] = max(extents[letter] ?? 0, size) }
      for (letter, size) in zip(letters.suffix(tail), shape.suffix(tail)) {
        extents[letter] = max(extents[letter] ?? 0, size)
      }
      let middle = Array(shape.dropFirst(head).dropLast(tail))
      if ellipsis != nil, Self.product(middle) > Self.product(broadcast) || broadcast.isEmpty { broadcast = middle }
    }
    let all = Self.product(Array(extents.values)).multipliedClamped(by: Self.product(broadcast))
    return all.multipliedClamped(by: terms.count - 1)
  }
}
