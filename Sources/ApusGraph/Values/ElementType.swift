import Apus

/// The element types of the ONNX standard, numbered as in `TensorProto.DataType`.
public enum ElementType: Int32, Sendable, Hashable, CaseIterable {
  case float = 1
  case uint8, int8, uint16, int16, int32, int64
  case string
  case bool
  case float16
  case double
  case uint32, uint64
  case complex64, complex128
  case bfloat16
  case float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz
  case uint4, int4
  case float4e2m1
  case float8e8m0
  case uint2, int2
  case float6e2m3, float6e3m2
}

extension ElementType {
  /// The element type of `dataType`.
  public init(_ dataType: DataType) {
    switch dataType {
    case .float64: self = .double
    case .float32: self = .float
    case .float16: self = .float16
    case .bfloat16: self = .bfloat16
    case .int8: self = .int8
    case .int16: self = .int16
    case .int32: self = .int32
    case .int64: self = .int64
    case .uint8: self = .uint8
    case .uint16: self = .uint16
    case .uint32: self = .uint32
    case .uint64: self = .uint64
    case .bool: self = .bool
    }
  }

  /// The type of a ``Tensor`` with such elements; nil for strings, complex numbers and ``isCoded`` types.
  public var dataType: DataType? {
    switch self {
    case .double: .float64
    case .float: .float32
    case .float16: .float16
    case .bfloat16: .bfloat16
    case .int8: .int8
    case .int16: .int16
    case .int32: .int32
    case .int64: .int64
    case .uint8: .uint8
    case .uint16: .uint16
    case .uint32: .uint32
    case .uint64: .uint64
    case .bool: .bool
    default: nil
    }
  }

  /// Whether elements are codes of eight bits or fewer that nothing computes in: see ``CodedTensor``.
  public var isCoded: Bool {
    switch self {
    case .float8e4m3fn, .float8e4m3fnuz, .float8e5m2, .float8e5m2fnuz, .float8e8m0: true
    case .uint4, .int4, .float4e2m1, .uint2, .int2, .float6e2m3, .float6e3m2: true
    default: false
    }
  }

  /// Whether values are rounded to a binary floating-point format.
  public var isFloatingPoint: Bool {
    switch self {
    case .float, .double, .float16, .bfloat16: true
    case .float8e4m3fn, .float8e4m3fnuz, .float8e5m2, .float8e5m2fnuz, .float8e8m0, .float4e2m1, .float6e2m3,
      .float6e3m2:
      true
    default: false
    }
  }

  /// The bits that one element takes in a file; nil for strings.
  public var bitCount: Int? {
    switch self {
    case .string: nil
    case .complex128: 128
    case .complex64, .double, .int64, .uint64: 64
    case .float, .int32, .uint32: 32
    case .float16, .bfloat16, .int16, .uint16: 16
    case .int8, .uint8, .bool: 8
    case .float8e4m3fn, .float8e4m3fnuz, .float8e5m2, .float8e5m2fnuz, .float8e8m0: 8
    case .float6e2m3, .float6e3m2: 6
    case .uint4, .int4, .float4e2m1: 4
    case .uint2, .int2: 2
    }
  }
}

extension ElementType: CustomStringConvertible {
  /// The name in the standard, in capitals: `FLOAT`, `INT64`, `FLOAT8E4M3FN`.
  public var description: String {
    "\(name)".uppercased()
  }

  private var name: String {
    switch self {
    case .float: "float"
    case .uint8: "uint8"
    case .int8: "int8"
    case .uint16: "uint16"
    case .int16: "int16"
    case .int32: "int32"
    case .int64: "int64"
    case .string: "string"
    case .bool: "bool"
    case .float16: "float16"
    case .double: "double"
    case .uint32: "uint32"
    case .uint64: "uint64"
    case .complex64: "complex64"
    case .complex128: "complex128"
    case .bfloat16: "bfloat16"
    case .float8e4m3fn: "float8e4m3fn"
    case .float8e4m3fnuz: "float8e4m3fnuz"
    case .float8e5m2: "float8e5m2"
    case .float8e5m2fnuz: "float8e5m2fnuz"
    case .uint4: "uint4"
    case .int4: "int4"
    case .float4e2m1: "float4e2m1"
    case .float8e8m0: "float8e8m0"
    case .uint2: "uint2"
    case .int2: "int2"
    case .float6e2m3: "float6e2m3"
    case .float6e3m2: "float6e3m2"
    }
  }
}
