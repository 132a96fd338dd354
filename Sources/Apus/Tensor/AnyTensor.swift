/// A tensor whose element type is known only when the program runs: what a file holds, what a graph passes on.
///
/// The sixteen-bit case is missing on Intel Macs, where Swift has no `Float16`.
public enum AnyTensor: Sendable {
  case float64(Tensor<Double>)
  case float32(Tensor<Float>)
  #if !(os(macOS) && arch(x86_64))
    case float16(Tensor<Float16>)
  #endif
  case bfloat16(Tensor<BFloat16>)
  case int8(Tensor<Int8>)
  case int16(Tensor<Int16>)
  case int32(Tensor<Int32>)
  case int64(Tensor<Int64>)
  case uint8(Tensor<UInt8>)
  case uint16(Tensor<UInt16>)
  case uint32(Tensor<UInt32>)
  case uint64(Tensor<UInt64>)
  case bool(Tensor<Bool>)
}

// MARK: - What every case has

extension AnyTensor {
  /// The name of the element type.
  public var dataType: DataType { description.dataType }
  /// The extent of each axis; empty for a single value.
  public var shape: [Int] { description.shape }
  /// The number of elements.
  public var count: Int { description.count }
  /// The number of axes.
  public var rank: Int { shape.count }

  /// The memory behind the elements, in the tensor's layout.
  var storage: TensorStorage { description.storage }

  private typealias Description = (
    dataType: DataType, shape: [Int], count: Int, layout: TensorLayout, storage: TensorStorage
  )

  // Inlined, so that who asks for one of these does not retain and release the others.
  @inline(__always) private var description: Description {
    func describe<Scalar>(_ tensor: Tensor<Scalar>) -> Description {
      (Scalar.dataType, tensor.shape, tensor.count, tensor.layout, tensor.storage)
    }
    switch self {
    case .float64(let tensor): return describe(tensor)
    case .float32(let tensor): return describe(tensor)
    #if !(os(macOS) && arch(x86_64))
      case .float16(let tensor): return describe(tensor)
    #endif
    case .bfloat16(let tensor): return describe(tensor)
    case .int8(let tensor): return describe(tensor)
    case .int16(let tensor): return describe(tensor)
    case .int32(let tensor): return describe(tensor)
    case .int64(let tensor): return describe(tensor)
    case .uint8(let tensor): return describe(tensor)
    case .uint16(let tensor): return describe(tensor)
    case .uint32(let tensor): return describe(tensor)
    case .uint64(let tensor): return describe(tensor)
    case .bool(let tensor): return describe(tensor)
    }
  }
}

// MARK: - Memory

extension AnyTensor {
  /// Calls `body` with the bytes of the elements in row-major order.
  public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
    func bytes<Scalar>(_ tensor: Tensor<Scalar>) throws -> Result {
      try tensor.withUnsafeBufferPointer { try body(UnsafeRawBufferPointer($0)) }
    }
    switch self {
    case .float64(let tensor): return try bytes(tensor)
    case .float32(let tensor): return try bytes(tensor)
    #if !(os(macOS) && arch(x86_64))
      case .float16(let tensor): return try bytes(tensor)
    #endif
    case .bfloat16(let tensor): return try bytes(tensor)
    case .int8(let tensor): return try bytes(tensor)
    case .int16(let tensor): return try bytes(tensor)
    case .int32(let tensor): return try bytes(tensor)
    case .int64(let tensor): return try bytes(tensor)
    case .uint8(let tensor): return try bytes(tensor)
    case .uint16(let tensor): return try bytes(tensor)
    case .uint32(let tensor): return try bytes(tensor)
    case .uint64(let tensor): return try bytes(tensor)
    case .bool(let tensor): return try bytes(tensor)
    }
  }
}

// MARK: - In and out

extension AnyTensor {
  /// The same tensor, its element type erased. Nothing is copied.
  public init<Scalar: TensorScalar>(_ tensor: Tensor<Scalar>) {
    // Only the types of this module conform to TensorScalar, one for each DataType.
    precondition(MemoryLayout<Scalar>.stride == Scalar.dataType.byteCount, "a TensorScalar with a foreign layout")
    self.init(
      (Scalar.dataType, tensor.shape, tensor.count, tensor.layout, tensor.storage), as: Scalar.dataType)
  }

  /// - Parameter dataType: a type whose elements have as many bytes as those of `elements`.
  private init(_ elements: Description, as dataType: DataType) {
    func tensor<Scalar>(_: Scalar.Type) -> Tensor<Scalar> {
      Tensor(shape: elements.shape, count: elements.count, layout: elements.layout, storage: elements.storage)
    }
    switch dataType {
    case .float64: self = .float64(tensor(Double.self))
    case .float32: self = .float32(tensor(Float.self))
    case .float16:
      #if os(macOS) && arch(x86_64)
        // Float16 does not exist here, so that no tensor has this type.
        preconditionFailure("no TensorScalar has this data type here")
      #else
        self = .float16(tensor(Float16.self))
      #endif
    case .bfloat16: self = .bfloat16(tensor(BFloat16.self))
    case .int8: self = .int8(tensor(Int8.self))
    case .int16: self = .int16(tensor(Int16.self))
    case .int32: self = .int32(tensor(Int32.self))
    case .int64: self = .int64(tensor(Int64.self))
    case .uint8: self = .uint8(tensor(UInt8.self))
    case .uint16: self = .uint16(tensor(UInt16.self))
    case .uint32: self = .uint32(tensor(UInt32.self))
    case .uint64: self = .uint64(tensor(UInt64.self))
    case .bool: self = .bool(tensor(Bool.self))
    }
  }

  /// The elements' bits as unsigned integers, when these have as many bytes. Nothing is copied.
  package func bits<Bits: TensorScalar & UnsignedInteger>(as: Bits.Type) -> Tensor<Bits>? {
    let description = description
    guard MemoryLayout<Bits>.stride == description.dataType.byteCount else { return nil }
    return Tensor(
      shape: description.shape, count: description.count, layout: description.layout, storage: description.storage)
  }

  /// Elements of `dataType` with these bits, which elements of that type had before; nil where they have another number of
  /// bytes. Nothing is copied.
  package init?<Bits: TensorScalar & UnsignedInteger>(bits: Tensor<Bits>, of dataType: DataType) {
    guard MemoryLayout<Bits>.stride == dataType.byteCount else { return nil }
    self.init((Bits.dataType, bits.shape, bits.count, bits.layout, bits.storage), as: dataType)
  }

  /// The tensor, when `Scalar` is the type of its elements. Nothing is copied.
  public func tensor<Scalar: TensorScalar>(of type: Scalar.Type = Scalar.self) -> Tensor<Scalar>? {
    let description = description
    guard Scalar.dataType == description.dataType, MemoryLayout<Scalar>.stride == description.dataType.byteCount else {
      return nil
    }
    return Tensor(
      shape: description.shape, count: description.count, layout: description.layout, storage: description.storage)
  }
}
