import Apus

extension Operators {
  /// Products of tensors, summed over the axes that the result does not name.
  static func Einsum(_ node: NodeDescription) throws -> PreparedOperator {
    let equation = try EinsumEquation(node.string("equation", default: ""))
    let operation = floating(FloatingEinsum<Float>(equation: equation), FloatingEinsum<Double>(equation: equation))
    return { arguments in
      let type = try arguments.dataType(0)
      if type.isFloatingPoint { return try operation(&arguments) }
      guard let result = try type.visitWholeNumber(WholeNumberEinsum(equation: equation, arguments: arguments)) else {
        throw OperatorError("there are no products of \(ElementType(type))")
      }
      return [result]
    }
  }

  private struct FloatingEinsum<Scalar: FloatingPointScalar & EinsumScalar>: FloatingOperator {
    let equation: EinsumEquation

    func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
      let operands = try (0..<arguments.count).map { try arguments.floating($0, as: Scalar.self) }
      return [try GraphValue(rounding: einsum(equation, operands), to: type)]
    }
  }

  private struct WholeNumberEinsum: WholeNumberVisitor {
    let equation: EinsumEquation
    let arguments: Arguments

    func callAsFunction<Scalar: WholeNumber>(_ type: Scalar.Type) throws -> GraphValue {
      // Products and sums that keep their low bits are the same in any width.
      let operands = try (0..<arguments.count).map { index in
        try arguments.tensor(index, of: type).converted(to: Int64.self)
      }
      return GraphValue(try einsum(equation, operands).converted(to: type))
    }
  }

  private static func einsum<Scalar: EinsumScalar>(
    _ equation: EinsumEquation, _ tensors: [Tensor<Scalar>]
  ) throws -> Tensor<Scalar> {
    let names = try equation.names(ranks: tensors.map(\.rank))
    // The extent that each name has; operands with an extent of 1 are repeated along it.
    var extents: [Int: Int] = [:]
    for (tensor, operand) in zip(tensors, names.operands) {
      var own: [Int: Int] = [:]
      for (name, size) in zip(operand, tensor.shape) {
        guard own.updateValue(size, forKey: name) ?? size == size else {
          throw OperatorError("a diagonal is asked for of axes of shape \(tensor.shape), which are not all as long")
        }
        let known = extents[name] ?? 1
        guard known == 1 || size == 1 || known == size else {
          throw OperatorError("an axis of the equation has \(known) and \(size) positions")
        }
        extents[name] = known == 1 ? size : known
      }
    }
    // Before anything is multiplied, for a short equation may ask for any size.
    try Shape.checkMemory(names.result.map { extents[$0, default: 1] }, of: Scalar.self, operation: "Einsum")
    var operands = try zip(tensors, names.operands).map { tensor, operand in
      try NamedTensor(tensor, operand, extents: extents)
    }
    var result = operands.removeFirst()
    while !operands.isEmpty {
      let next = operands.removeFirst()
      let kept = Set(names.result + operands.flatMap(\.names))
      result = try result.multiplied(by: next, keeping: kept)
    }
    return try result.summed(keeping: Set(names.result)).ordered(as: names.result)
  }
}

/// A type that tensors are multiplied and summed in.
private protocol EinsumScalar: TensorScalar {
  /// `[batch, m, k] · [batch, k, n]`
  static func product(_ a: Tensor<Self>, _ b: Tensor<Self>) throws -> Tensor<Self>
  /// The sum over the last axis of `[count, size]`.
  static func sum(_ x: Tensor<Self>) throws -> Tensor<Self>
}

extension Float: EinsumScalar {
  fileprivate static func product(_ a: Tensor<Float>, _ b: Tensor<Float>) throws -> Tensor<Float> { try matmul(a, b) }
  fileprivate static func sum(_ x: Tensor<Float>) throws -> Tensor<Float> { try x.sum(axes: [1]) }
}

extension Double: EinsumScalar {
  fileprivate static func product(_ a: Tensor<Double>, _ b: Tensor<Double>) throws -> Tensor<Double> {
    try matmul(a, b)
  }
  fileprivate static func sum(_ x: Tensor<Double>) throws -> Tensor<Double> { try x.sum(axes: [1]) }
}

extension Int64: EinsumScalar {
  fileprivate static func product(_ a: Tensor<Int64>, _ b: Tensor<Int64>) throws -> Tensor<Int64> {
    try WholeNumberProduct.product(a, b)
  }

  fileprivate static func sum(_ x: Tensor<Int64>) throws -> Tensor<Int64> {
    try WholeNumberProduct.product(x, Tensor(repeating: 1, shape: [x.shape[1]]))
  }
}

/// A tensor whose axes have names, each another.
private struct NamedTensor<Scalar: EinsumScalar> {
  private let tensor: Tensor<Scalar>
  let names: [Int]

  private init(_ tensor: Tensor<Scalar>, names: [Int]) {
    self.tensor = tensor
    self.names = names
  }

  /// Axes of one name become their diagonal. Axes of extent 1 that others have more of are dropped: what is repeated
  /// along them comes from the others.
  init(_ tensor: Tensor<Scalar>, _ operand: [Int], extents: [Int: Int]) throws {
    let x = try tensor.rowMajor
    let steps = Shape.strides(x.shape)
    var names: [Int] = []
    var sizes: [Int] = []
    var strides: [Int] = []
    for (axis, name) in operand.enumerated() where x.shape[axis] == extents[name] {
      if let index = names.firstIndex(of: name) {
        strides[index] += steps[axis]
      } else {
        names.append(name)
        sizes.append(x.shape[axis])
        strides.append(steps[axis])
      }
    }
    let isWhole = names.count == operand.count
    self.init(isWhole ? x : try Self.gathered(x, sizes, strides), names: names)
  }

  private static func gathered(_ x: Tensor<Scalar>, _ sizes: [Int], _ strides: [Int]) throws -> Tensor<Scalar> {
    let count = try Shape.elementCount(sizes)
    return try x.withUnsafeBufferPointer { source in
      try Tensor.filled(sizes) { y in
        let places = Shape.strides(sizes)
        for index in 0..<count {
          var from = 0
          for axis in sizes.indices { from += index / places[axis] % sizes[axis] * strides[axis] }
          y[index] = source[from]
        }
      }
    }
  }

  /// Summed over the axes that are not in `kept`.
  func summed(keeping kept: Set<Int>) throws -> NamedTensor {
    let left = names.filter(kept.contains)
    guard left.count < names.count else { return self }
    let over = names.filter { !kept.contains($0) }
    let rows = try matrix([left, over])
    return NamedTensor(try Scalar.sum(rows).reshaped(left.map(extent)), names: left)
  }

  /// The product with `other`, summed over the axes that are not in `kept`.
  func multiplied(by other: NamedTensor, keeping kept: Set<Int>) throws -> NamedTensor {
    // What only one of them has is summed before.
    let a = try summed(keeping: kept.union(other.names))
    let b = try other.summed(keeping: kept.union(names))
    let batch = a.names.filter { b.names.contains($0) && kept.contains($0) }
    let over = a.names.filter { b.names.contains($0) && !kept.contains($0) }
    let rows = a.names.filter { !b.names.contains($0) }
    let columns = b.names.filter { !a.names.contains($0) }
    let product = try Scalar.product(a.matrix([batch, rows, over]), b.matrix([batch, over, columns]))
    let shape = (batch + rows).map(a.extent) + columns.map(b.extent)
    return NamedTensor(try product.reshaped(shape), names: batch + rows + columns)
  }

  /// The axes in the order of `order`.
  func ordered(as order: [Int]) throws -> Tensor<Scalar> {
    try tensor.permuted(order.compactMap(names.firstIndex))
  }

  private func extent(_ name: Int) -> Int { names.firstIndex(of: name).map { tensor.shape[$0] } ?? 1 }

  /// The axes in groups, each one axis of the result.
  private func matrix(_ groups: [[Int]]) throws -> Tensor<Scalar> {
    let shape = try groups.map { try Shape.elementCount($0.map(extent)) }
    return try ordered(as: groups.flatMap { $0 }).reshaped(shape)
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let einsum = ShapeRule.rule { facts in
    let shapes = try facts.inputs.indices.map { try facts.shape($0) }
    let names = try EinsumEquation(facts.node.string("equation", default: "")).names(ranks: shapes.map(\.count))
    var extents: [Int: Int] = [:]
    for (shape, operand) in zip(shapes, names.operands) {
      for (name, size) in zip(operand, shape) where extents[name, default: 1] == 1 { extents[name] = size }
    }
    return [InferredType(facts.elementType(0), names.result.map { extents[$0, default: 1] })]
  }
}

// MARK: - Work

extension TermCount {
  /// Of `[M, K] × [K, N] → [M, N]`, from the numbers of elements alone, K.
  static let contraction: TermCount = .counted { shapes in
    let operands = Double(shapes.shape(0).nonzeroProduct) * Double(shapes.shape(1).nonzeroProduct)
    let output = Double((shapes.output ?? []).nonzeroProduct)
    return Int(clamping: Int64(max(1, min(1e15, (operands / output).squareRoot()))))
  }
}

extension Work {
  /// The product of all extents, once for each operand after the first.
  static let einsum: Work = .multiplyAdds { shapes in
    guard case .string(let bytes)? = shapes.node.attributes["equation"] else { return nil }
    let left = bytes.filter { $0 != UInt8(ascii: " ") }.prefix { $0 != UInt8(ascii: "-") }
    let terms = left.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    guard terms.count == shapes.inputs.count, terms.count > 1 else { return nil }
    var extents: [UInt8: Int] = [:]
    var broadcast: [Int] = []
    for (term, shape) in zip(terms, shapes.inputs) {
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
      if ellipsis != nil, middle.product > broadcast.product || broadcast.isEmpty { broadcast = middle }
    }
    let all = extents.values.product.multipliedClamped(by: broadcast.product)
    return all.multipliedClamped(by: terms.count - 1)
  }
}
