import Apus

/// Something that puts elements elsewhere and computes nothing with them, so that it works for every element type.
///
/// Numbers move as their bits, coded ones as their codes. Of strings only their places are moved.
protocol Movement {
  /// - Parameter operands: tensors of one element type.
  func callAsFunction<Scalar: TensorScalar>(_ operands: [Tensor<Scalar>]) throws -> [Tensor<Scalar>]
}

/// A movement of one tensor.
protocol Rearrangement: Movement {
  func moved<Scalar: TensorScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar>
}

extension Rearrangement {
  func callAsFunction<Scalar: TensorScalar>(_ operands: [Tensor<Scalar>]) throws -> [Tensor<Scalar>] {
    try operands.map { try moved($0) }
  }

  /// The result for a tensor of any type.
  func run(_ x: GraphValue) throws -> GraphValue {
    // Most tensors are of these, and small graphs would do little else than make lists of one.
    switch x {
    case .tensor(.float32(let tensor)): GraphValue(try moved(tensor))
    case .tensor(.int64(let tensor)): GraphValue(try moved(tensor))
    default: try single([x])
    }
  }
}

extension Movement {
  /// The results for tensors that are all of one type, whichever that is.
  func run(_ operands: [GraphValue]) throws -> [GraphValue] {
    guard let first = operands.first else { throw OperatorError("there are no inputs") }
    switch first {
    case .tensor(let tensor): return try numbers(tensor, operands)
    case .coded(let tensor):
      return try callAsFunction(operands.map { try $0.codes(of: tensor.elementType) }).map {
        .coded(CodedTensor(elementType: tensor.elementType, codes: $0))
      }
    case .strings: return try strings(operands)
    case .sequence, .optional: throw OperatorError("\(first.type) is given; a tensor is needed")
    }
  }

  /// The only result.
  func single(_ operands: [GraphValue]) throws -> GraphValue {
    guard let result = try run(operands).first else { throw OperatorError("there is no result") }
    return result
  }

  /// Floating-point numbers, whose maps may be channel-blocked, as such, and shapes and indices; all others by their bits.
  private func numbers(_ first: AnyTensor, _ operands: [GraphValue]) throws -> [GraphValue] {
    func run<Scalar: TensorScalar>(_: Tensor<Scalar>) throws -> [GraphValue] {
      try callAsFunction(operands.map { try $0.numbers(of: Scalar.self) }).map { GraphValue($0) }
    }
    func run<Bits: TensorScalar & UnsignedInteger>(bits: Bits.Type) throws -> [GraphValue] {
      let type = first.dataType
      return try callAsFunction(operands.map { try $0.bits(of: type, as: Bits.self) }).map { moved in
        guard let tensor = AnyTensor(bits: moved, of: type) else { throw OperatorError("\(type) has no such bits") }
        return .tensor(tensor)
      }
    }
    switch first {
    case .float32(let tensor): return try run(tensor)
    case .float64(let tensor): return try run(tensor)
    case .int64(let tensor): return try run(tensor)
    default: break
    }
    switch first.dataType.byteCount {
    case 1: return try run(bits: UInt8.self)
    case 2: return try run(bits: UInt16.self)
    case 4: return try run(bits: UInt32.self)
    default: return try run(bits: UInt64.self)
    }
  }

  /// Moves the places of all strings, counted through the operands, and puts the strings where they went.
  private func strings(_ operands: [GraphValue]) throws -> [GraphValue] {
    var texts: [String] = []
    var places: [Tensor<Int64>] = []
    for operand in operands {
      guard case .strings(let tensor) = operand else { throw operand.mismatch(.string) }
      let first = Int64(texts.count)
      places.append(try Tensor((0..<Int64(tensor.elements.count)).map { first + $0 }, shape: tensor.shape))
      if operands.count == 1 { texts = tensor.elements } else { texts += tensor.elements }
    }
    return try callAsFunction(places).map { result in
      let memory = try MemoryReservation(result.shape, of: String.self, operation: "strings")
      return try result.withUnsafeBufferPointer { places in
        let moved = try places.map { place in
          // A run that is broken off leaves places unwritten.
          guard texts.indices.contains(Int(place)) else { throw OperatorError("a string was not moved") }
          let text = texts[Int(place)]
          try memory.grow(by: StringTensor.textByteCount(text.utf8.count))
          return text
        }
        return .strings(try StringTensor(moved, shape: result.shape, memory: memory))
      }
    }
  }
}

extension GraphValue {
  fileprivate func numbers<Scalar: TensorScalar>(of: Scalar.Type) throws -> Tensor<Scalar> {
    guard case .tensor(let any) = self, let tensor = any.tensor(of: Scalar.self) else {
      throw mismatch(ElementType(Scalar.dataType))
    }
    return tensor
  }

  fileprivate func bits<Bits: TensorScalar & UnsignedInteger>(of type: DataType, as: Bits.Type) throws -> Tensor<Bits> {
    guard case .tensor(let any) = self, any.dataType == type, let bits = any.bits(as: Bits.self) else {
      throw mismatch(ElementType(type))
    }
    return bits
  }

  fileprivate func codes(of elementType: ElementType) throws -> Tensor<UInt8> {
    guard case .coded(let tensor) = self, tensor.elementType == elementType else { throw mismatch(elementType) }
    return tensor.codes
  }

  fileprivate func mismatch(_ expected: ElementType) -> OperatorError {
    OperatorError("\(type) meets \(expected); all tensors must be of one element type")
  }
}
