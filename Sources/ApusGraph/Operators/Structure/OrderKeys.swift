import Apus

extension Float {
  /// A number that stands to those of other floats as this one does to them: zeros are equal, NaN is the greatest.
  @inline(__always)
  var orderKey: Int64 {
    // The bits of a float without its sign grow with it; below zero they count downwards.
    let bits = Int32(bitPattern: bitPattern)
    let sign = bits >> 31
    return self == self ? Int64((bits ^ (sign & .max)) &- sign) : .max
  }
}

extension GraphValue {
  /// Numbers that stand to each other as the elements do, in row-major order.
  ///
  /// Zeros of both signs are equal; NaNs are equal to each other and greater than everything else, as NumPy sorts them.
  /// Strings are in the order of their UTF-8, which is that of their characters' numbers.
  var orderKeys: Tensor<Int64> {
    get throws {
      switch self {
      case .tensor(.float32(let tensor)): return try keys(tensor)
      case .tensor(.float64(let tensor)): return try keys(tensor)
      case .tensor(.uint64(let tensor)):
        return try keys(tensor) { Int64(bitPattern: $0 ^ (1 << 63)) }
      case .tensor(let tensor):
        return tensor.dataType.isFloatingPoint
          ? try keys(tensor.converted(to: Float.self)) : try tensor.converted(to: Int64.self)
      case .coded(let tensor): return try keys(tensor.widened())
      case .strings(let tensor): return try keys(tensor)
      case .sequence, .optional: throw OperatorError("\(type) is given; a tensor is needed")
      }
    }
  }

  private func keys(_ tensor: Tensor<Float>) throws -> Tensor<Int64> {
    try keys(tensor) { $0.orderKey }
  }

  private func keys(_ tensor: Tensor<Double>) throws -> Tensor<Int64> {
    try keys(tensor) { element in
      if element.isNaN { return .max }
      let bits = Int64(bitPattern: element.bitPattern)
      return bits >= 0 ? bits : .min &- bits
    }
  }

  @inline(__always)
  private func keys<Scalar: TensorScalar>(
    _ tensor: Tensor<Scalar>, _ key: (Scalar) -> Int64
  ) throws -> Tensor<Int64> {
    let (tensor, keys) = try (tensor.rowMajor, Tensor<Int64>(uninitialized: tensor.shape))
    // In a closure that captures `key` it would be a call for each element.
    let (source, destination) = (tensor.pointer, UnsafeMutablePointer(mutating: keys.pointer))
    for index in 0..<tensor.count { destination[index] = key(source[index]) }
    withExtendedLifetime((tensor, keys)) {}
    return keys
  }

  private func keys(_ tensor: StringTensor) throws -> Tensor<Int64> {
    var keys: [UTF8Key: Int64] = [:]
    let distinct = Set(tensor.elements.map(UTF8Key.init)).sorted {
      $0.string.utf8.lexicographicallyPrecedes($1.string.utf8)
    }
    for (rank, text) in distinct.enumerated() { keys[text] = Int64(rank) }
    return try Tensor(tensor.elements.map { keys[UTF8Key($0)] ?? 0 }, shape: tensor.shape)
  }
}
