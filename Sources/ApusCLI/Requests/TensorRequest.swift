import Apus
import ApusGraph

/// An inference request of the Open Inference Protocol, version 2: tensors by name, and perhaps which outputs are wanted.
struct TensorRequest: RequestBody {
  /// An input: its tensor, or the file that holds it.
  enum Input {
    case value(GraphValue)
    case file(String)
  }

  private(set) var inputs: [(name: String, input: Input)] = []
  /// The outputs that are wanted; the model's when empty.
  private(set) var outputs: [String] = []

  mutating func read(_ reader: inout JSONReader, _ key: String) throws {
    switch key {
    case "inputs": try reader.array { inputs.append(try Self.input(&$0)) }
    case "outputs": try reader.array { outputs.append(try Self.output(&$0)) }
    default: try reader.skip()
    }
  }

  private static func output(_ reader: inout JSONReader) throws -> String {
    var name: String?
    try reader.object { reader, key in
      if key == "name" { name = try reader.string(limit: JSONReader.keyLimit) } else { try reader.skip() }
    }
    guard let name else { throw CommandFailure(.badData, "an output has no \"name\"") }
    return name
  }

  private static func input(_ reader: inout JSONReader) throws -> (String, Input) {
    var (name, path, type) = (nil as String?, nil as String?, nil as TensorDatatype?)
    var (shape, data) = (nil as [Int]?, nil as JSONReader?)
    try reader.object { reader, key in
      switch key {
      case "name": name = try reader.string(limit: JSONReader.keyLimit)
      case "path": path = try reader.string(limit: JSONReader.keyLimit)
      case "datatype":
        let text = try reader.string(limit: 64)
        guard let found = TensorDatatype(rawValue: text) else {
          let known = TensorDatatype.allCases.map(\.rawValue).joined(separator: ", ")
          throw CommandFailure(.badData, "the datatype \"\(text)\" is not known; one of \(known) was expected")
        }
        type = found
      case "shape":
        var extents: [Int] = []
        try reader.array { extents.append(try $0.integer()) }
        shape = extents
      case "data":
        // The type, which says how it is read, may come later.
        data = reader
        try reader.skip()
      default: try reader.skip()
      }
    }
    guard let name else { throw CommandFailure(.badData, "an input has no \"name\"") }
    if let path {
      guard data == nil else {
        throw CommandFailure(.badData, "the input \"\(name)\": \"path\" and \"data\" are both given; one was expected")
      }
      return (name, .file(path))
    }
    guard let type, let shape, var data else {
      throw CommandFailure(
        .badData, "the input \"\(name)\" needs \"shape\", \"datatype\" and \"data\", or the \"path\" of a file")
    }
    do {
      return (name, .value(try type.value(&data, shape: shape)))
    } catch let error as CommandFailure {
      throw CommandFailure(error.status, "the input \"\(name)\": \(error)")
    }
  }
}

/// The types of elements as the protocol names them.
enum TensorDatatype: String, CaseIterable {
  case bool = "BOOL"
  case uint8 = "UINT8"
  case uint16 = "UINT16"
  case uint32 = "UINT32"
  case uint64 = "UINT64"
  case int8 = "INT8"
  case int16 = "INT16"
  case int32 = "INT32"
  case int64 = "INT64"
  case float16 = "FP16"
  case bfloat16 = "BF16"
  case float = "FP32"
  case double = "FP64"
  case bytes = "BYTES"
}

// MARK: - Reading

extension TensorDatatype {
  /// The tensor whose elements come next, in a list or in lists of lists, the last axis fastest.
  fileprivate func value(_ reader: inout JSONReader, shape: [Int]) throws -> GraphValue {
    var count = 1
    for extent in shape {
      let (product, overflow) = count.multipliedReportingOverflow(by: extent)
      guard extent >= 0, !overflow else { throw CommandFailure(.badData, "the shape \(shape) is that of no tensor") }
      count = product
    }
    func tensor<Scalar: TensorScalar>(_ element: (inout JSONReader) throws -> Scalar) throws -> Tensor<Scalar> {
      try Tensor(elements(&reader, count, shape, element), shape: shape)
    }
    func integers<Scalar: TensorScalar & FixedWidthInteger>(_ type: Scalar.Type) throws -> GraphValue {
      .tensor(
        AnyTensor(
          try tensor { reader in
            let number = try reader.integer()
            guard let value = Scalar(exactly: number) else {
              throw CommandFailure(.badData, "\(number) does not fit into \(rawValue)")
            }
            return value
          }))
    }
    func float(_ reader: inout JSONReader) throws -> Float {
      let number = try reader.number()
      guard Float(number).isFinite else { throw CommandFailure(.badData, "\(number) does not fit into \(rawValue)") }
      return Float(number)
    }
    switch self {
    case .bool:
      return .tensor(
        AnyTensor(try tensor { try $0.kind() == .number ? $0.integer() != 0 : $0.boolean() }))
    case .uint8: return try integers(UInt8.self)
    case .uint16: return try integers(UInt16.self)
    case .uint32: return try integers(UInt32.self)
    case .uint64: return try integers(UInt64.self)
    case .int8: return try integers(Int8.self)
    case .int16: return try integers(Int16.self)
    case .int32: return try integers(Int32.self)
    case .int64: return try integers(Int64.self)
    case .double: return .tensor(AnyTensor(try tensor { try $0.number() }))
    case .float: return .tensor(AnyTensor(try tensor(float)))
    case .bfloat16: return .tensor(AnyTensor(try tensor(float).converted(to: BFloat16.self)))
    case .float16:
      #if !(os(macOS) && arch(x86_64))
        return .tensor(AnyTensor(try tensor(float).converted(to: Float16.self)))
      #else
        throw CommandFailure(.badData, "FP16 is not to be had on this processor; FP32 was expected")
      #endif
    case .bytes:
      return .strings(try StringTensor(elements(&reader, count, shape) { try $0.string() }, shape: shape))
    }
  }

  /// The elements of one flat list, or of lists in lists that are as long as the axes of the shape.
  private func elements<Element>(
    _ reader: inout JSONReader, _ count: Int, _ shape: [Int], _ element: (inout JSONReader) throws -> Element
  ) throws -> [Element] {
    var elements: [Element] = []
    func read(_ reader: inout JSONReader, axis: Int) throws {
      var (lists, scalars) = (0, 0)
      try reader.array { reader in
        switch try reader.kind() {
        case .array:
          guard axis + 1 < shape.count else {
            throw CommandFailure(.badData, "the data has lists in more than \(shape.count) lists")
          }
          lists += 1
          try read(&reader, axis: axis + 1)
        case .null:
          throw CommandFailure(.badData, "null is no element; NaN and infinity can come in a file, as \"path\"")
        default:
          guard elements.count < count else {
            throw CommandFailure(.badData, "there are more than the \(count) elements of the shape \(shape)")
          }
          scalars += 1
          elements.append(try element(&reader))
        }
      }
      let isFlat = axis == 0 && lists == 0
      guard isFlat || lists + scalars == shape[axis] && (axis + 1 == shape.count || scalars == 0) else {
        throw CommandFailure(
          .badData, "a list along axis \(axis) is not one of the shape \(shape), and the data is no flat list")
      }
    }
    try read(&reader, axis: 0)
    guard elements.count == count else {
      throw CommandFailure(.badData, "there are \(elements.count) elements; the shape \(shape) has \(count)")
    }
    return elements
  }
}

// MARK: - Writing

/// An inference response of the protocol, as the members of a JSON object.
struct TensorResponse {
  private var outputs: [String] = []

  /// The members.
  func text(model: String) -> String {
    "{\"model_name\":\(JSONObject.quoted(model)),\"outputs\":[\(outputs.joined(separator: ","))]}"
  }

  /// Adds an output.
  /// - Throws: ``CommandFailure`` for sequences, and types that the protocol does not have.
  mutating func add(_ value: GraphValue, named name: String) throws {
    guard let shape = value.shape, let (type, data) = try Self.elements(value) else {
      throw CommandFailure(.badData, "the output \"\(name)\" is \(value.type), which the protocol does not have")
    }
    let extents = shape.map { "\($0)" }.joined(separator: ",")
    outputs.append(
      "{\"name\":\(JSONObject.quoted(name)),\"datatype\":\"\(type.rawValue)\",\"shape\":[\(extents)],\"data\":[\(data)]}"
    )
  }

  private static func elements(_ value: GraphValue) throws -> (TensorDatatype, String)? {
    func joined<Scalar: TensorScalar>(
      _ type: TensorDatatype, _ tensor: Tensor<Scalar>, _ text: (Scalar) -> String
    ) throws -> (TensorDatatype, String) {
      (type, try tensor.elements.map(text).joined(separator: ","))
    }
    // JSON has no numbers that are not finite.
    func number(_ value: some BinaryFloatingPoint & LosslessStringConvertible) -> String {
      value.isFinite ? value.description : "null"
    }
    switch value {
    case .strings(let texts): return (.bytes, texts.elements.map { JSONObject.quoted($0) }.joined(separator: ","))
    case .coded, .sequence, .optional: return nil
    case .tensor(let tensor):
      switch tensor {
      case .float64(let tensor): return try joined(.double, tensor) { number($0) }
      case .float32(let tensor): return try joined(.float, tensor) { number($0) }
      #if !(os(macOS) && arch(x86_64))
        case .float16(let tensor): return try joined(.float16, tensor) { number(Float($0)) }
      #endif
      case .bfloat16(let tensor): return try joined(.bfloat16, tensor) { number(Float($0)) }
      case .int8(let tensor): return try joined(.int8, tensor) { "\($0)" }
      case .int16(let tensor): return try joined(.int16, tensor) { "\($0)" }
      case .int32(let tensor): return try joined(.int32, tensor) { "\($0)" }
      case .int64(let tensor): return try joined(.int64, tensor) { "\($0)" }
      case .uint8(let tensor): return try joined(.uint8, tensor) { "\($0)" }
      case .uint16(let tensor): return try joined(.uint16, tensor) { "\($0)" }
      case .uint32(let tensor): return try joined(.uint32, tensor) { "\($0)" }
      case .uint64(let tensor): return try joined(.uint64, tensor) { "\($0)" }
      case .bool(let tensor): return try joined(.bool, tensor) { "\($0)" }
      }
    }
  }
}
