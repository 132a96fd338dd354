import ApusGraph

/// The element types of ML programs, numbered as in `MIL.DataType`.
enum MILType: Int, Sendable, Hashable {
  case bool = 1
  case string = 2
  case float16 = 10
  case float32 = 11
  case float64 = 12
  case bfloat16 = 13
  case int8 = 21
  case int16 = 22
  case int32 = 23
  case int64 = 24
  case int4 = 25
  case uint8 = 31
  case uint16 = 32
  case uint32 = 33
  case uint64 = 34
  case uint4 = 35
  case uint2 = 36
  case uint1 = 37
  case uint6 = 38
  case uint3 = 39
  case float8e4m3fn = 40
  case float8e5m2 = 41

  /// The type of a graph's values; types of a few bits that nothing computes in are kept as bytes.
  var elementType: ElementType {
    switch self {
    case .bool: .bool
    case .string: .string
    case .float16: .float16
    case .float32: .float
    case .float64: .double
    case .bfloat16: .bfloat16
    case .int8, .int4: .int8
    case .int16: .int16
    case .int32: .int32
    case .int64: .int64
    case .uint8, .uint4, .uint2, .uint1, .uint6, .uint3: .uint8
    case .uint16: .uint16
    case .uint32: .uint32
    case .uint64: .uint64
    case .float8e4m3fn: .float8e4m3fn
    case .float8e5m2: .float8e5m2
    }
  }

  /// The bits that an element takes in a file; 0 for texts.
  var bitCount: Int {
    switch self {
    case .string: 0
    case .uint1: 1
    case .uint2: 2
    case .uint3: 3
    case .int4, .uint4: 4
    case .uint6: 6
    case .bool, .int8, .uint8, .float8e4m3fn, .float8e5m2: 8
    case .float16, .bfloat16, .int16, .uint16: 16
    case .float32, .int32, .uint32: 32
    case .float64, .int64, .uint64: 64
    }
  }

  /// The number that files of weights know the type by; nil for types that they do not hold.
  var blobCode: UInt32? {
    switch self {
    case .float16: 1
    case .float32: 2
    case .uint8: 3
    case .int8: 4
    case .bfloat16: 5
    case .int16: 6
    case .uint16: 7
    case .int4: 8
    case .uint1: 9
    case .uint2: 10
    case .uint4: 11
    case .uint3: 12
    case .uint6: 13
    case .int32: 14
    case .uint32: 15
    case .float8e4m3fn: 16
    case .float8e5m2: 17
    default: nil
    }
  }

  /// The type of a name as operations have it: "fp16".
  init?(name: String) {
    switch name {
    case "fp16": self = .float16
    case "fp32": self = .float32
    case "fp64": self = .float64
    case "bool": self = .bool
    case "string": self = .string
    case "int4": self = .int4
    case "int8": self = .int8
    case "int16": self = .int16
    case "int32": self = .int32
    case "int64": self = .int64
    case "uint8": self = .uint8
    case "uint16": self = .uint16
    case "uint32": self = .uint32
    case "uint64": self = .uint64
    default: return nil
    }
  }
}
