import Apus

extension GraphValue {
  /// Zeros of a declared type: no elements in a sequence, nothing in an optional, empty texts.
  ///
  /// - Parameter shape: of a tensor.
  /// - Throws: ``TensorError`` for too little memory or a shape that cannot be.
  public init(zeros type: GraphValueType, shape: [Int]) throws {
    switch type {
    case .tensor(let elementType, _): try self.init(zeros: elementType ?? .float, shape: shape)
    case .sequence(let element): self = .sequence([], element: element)
    case .optional(let element): self = .optional(nil, element: element)
    case .map, .unsupported: throw OperatorError("a value of type \(type) cannot be made")
    }
  }

  /// Random numbers that suit an element type, the same everywhere for the same `seed`, `name` and shape.
  ///
  /// Element `i` comes from output `i` of SplitMix64, started from `seed` plus the 64-bit FNV-1a hash of the name:
  /// its upper 24 bits (DOUBLE: 53) as a fraction in [0, 1) for floating-point types; its highest bit, 0 or 1, for
  /// BOOL and for integers of 32 and 64 bits, so that they may index a table of two rows; its upper seven bits,
  /// 0 to 127, for narrower integers.
  ///
  /// - Throws: ``OperatorError`` for texts and for the types that are widened before use; ``TensorError``.
  public init(random type: ElementType, shape: [Int], seed: UInt64, name: String) throws {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    var generator = SplitMix64(seed: seed &+ hash)
    func tensor<Scalar: TensorScalar>(_ element: (UInt64) -> Scalar) throws -> GraphValue {
      GraphValue(
        try Tensor<Scalar>.filled(shape) { destination in
          for index in 0..<(try Shape.elementCount(shape)) {
            destination.advanced(by: index).initialize(to: element(generator.next()))
          }
        })
    }
    func fraction(_ bits: UInt64) -> Float { Float(bits >> 40) * 0x1p-24 }
    switch type {
    case .double: self = try tensor { Double($0 >> 11) * 0x1p-53 }
    case .float: self = try tensor(fraction)
    case .float16, .bfloat16:
      self = try GraphValue(random: .float, shape: shape, seed: seed, name: name).rounded(to: type)
    case .bool: self = try tensor { $0 >> 63 == 1 }
    case .int64: self = try tensor { Int64($0 >> 63) }
    case .int32: self = try tensor { Int32($0 >> 63) }
    case .uint64: self = try tensor { UInt64($0 >> 63) }
    case .uint32: self = try tensor { UInt32($0 >> 63) }
    case .int16: self = try tensor { Int16($0 >> 57) }
    case .uint16: self = try tensor { UInt16($0 >> 57) }
    case .int8: self = try tensor { Int8($0 >> 57) }
    case .uint8: self = try tensor { UInt8($0 >> 57) }
    default: throw OperatorError("random numbers are not made for \(type)")
    }
  }

  private func rounded(to type: ElementType) throws -> GraphValue {
    guard case .tensor(.float32(let tensor)) = self else { return self }
    return try GraphValue(rounding: tensor, to: type)
  }
}
