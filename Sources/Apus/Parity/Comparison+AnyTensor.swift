extension Comparison {
  /// Compares two tensors whose element types are known only now, as the initialiser for typed tensors does.
  ///
  /// - Throws: ``TensorError/argument(operation:reason:)`` for a tolerance that is negative or not finite.
  public init(
    actual: AnyTensor, expected: AnyTensor,
    tolerance: Tolerance? = nil, nanEqualsNaN: Bool = true, checksDataType: Bool = true
  ) throws {
    self = try actual.withElementSource { actual in
      try expected.withElementSource { expected in
        try Comparison(
          actual, expected, tolerance: tolerance, nanEqualsNaN: nanEqualsNaN, checksDataType: checksDataType)
      }
    }
  }
}

extension AnyTensor {
  fileprivate func withElementSource<Result>(_ body: (ElementSource) throws -> Result) throws -> Result {
    func read<Scalar>(_ tensor: Tensor<Scalar>) throws -> Result {
      try tensor.withUnsafeBufferPointer { try body(ElementSource($0, shape: tensor.shape)) }
    }
    switch self {
    case .float64(let tensor): return try read(tensor)
    case .float32(let tensor): return try read(tensor)
    #if !(os(macOS) && arch(x86_64))
      case .float16(let tensor): return try read(tensor)
    #endif
    case .bfloat16(let tensor): return try read(tensor)
    case .int8(let tensor): return try read(tensor)
    case .int16(let tensor): return try read(tensor)
    case .int32(let tensor): return try read(tensor)
    case .int64(let tensor): return try read(tensor)
    case .uint8(let tensor): return try read(tensor)
    case .uint16(let tensor): return try read(tensor)
    case .uint32(let tensor): return try read(tensor)
    case .uint64(let tensor): return try read(tensor)
    case .bool(let tensor): return try read(tensor)
    }
  }
}
