import Apus
import ApusGraph

/// A constant of a program as its file holds it.
struct MILConstant: Sendable {
  let type: MILType
  let shape: [Int]
  /// The value; for elements of fewer than eight bits, their bytes as they are packed in the file.
  let value: GraphValue

  /// Whether several elements share a byte of ``value``.
  var isPacked: Bool { type.bitCount > 0 && type.bitCount < 8 }

  /// Reads a `Value`. Elements stay in the file where the processor can read them there.
  init(_ fields: Fields) throws {
    guard let declared = try fields.message(2, "ValueType").map({ try MILValueType($0) }) else {
      throw OperatorError("a constant has no type")
    }
    if let blob = try fields.message(5, "BlobFileValue") {
      try self.init(blob: blob, declared)
    } else if let immediate = try fields.message(3, "ImmediateValue") {
      try self.init(immediate: immediate, declared)
    } else {
      throw OperatorError("a constant has no value")
    }
  }

  /// The first text of a `Value`, whatever type that is declared to have; nil where there is none.
  static func text(_ fields: Fields) throws -> String? {
    try fields.message(3, "ImmediateValue")?.message(1, "TensorValue")?.message(4, "RepeatedStrings")?.strings(1).first
  }

  private static func tensorType(_ declared: MILValueType) throws -> (type: MILType, shape: [Int], count: Int) {
    guard let type = declared.type, !declared.isList, let dimensions = declared.shape else {
      throw OperatorError("a constant is no tensor")
    }
    let shape = dimensions.compactMap { $0 }
    guard shape.count == dimensions.count else { throw OperatorError("a constant has a dimension that is not known") }
    guard shape.count <= 64 else { throw OperatorError("a constant has \(shape.count) axes") }
    return (type, shape, try Shape.elementCount(shape, operation: "constant"))
  }

  /// The bytes that `count` elements take.
  private static func byteCount(_ count: Int, _ type: MILType) throws -> Int {
    let (whole, overflow) = (count / 8).multipliedReportingOverflow(by: type.bitCount)
    let (total, carry) = whole.addingReportingOverflow((count % 8 * type.bitCount + 7) / 8)
    guard !overflow, !carry else { throw OperatorError("\(count) elements are more than memory can hold") }
    return total
  }

  private init(blob: Fields, _ declared: MILValueType) throws {
    let (type, shape, count) = try Self.tensorType(declared)
    guard let weights = blob.source.weights else {
      throw OperatorError("a constant lies in a file of weights, and the model was not read from a package")
    }
    let data = try weights.blob(
      blob.string(1), at: UInt64(bitPattern: Int64(blob.int64(2))), type: type)
    let expected = try Self.byteCount(count, type)
    guard data.range.count == expected else {
      throw OperatorError(
        "\(try blob.string(1)), byte \(try blob.int64(2)): \(data.range.count) bytes; \(type) of shape \(shape) takes "
          + "\(expected)")
    }
    (self.type, self.shape) = (type, shape)
    value = try Self.tensor(type, shape, count, data.file, data.range)
  }

  private static func tensor(
    _ type: MILType, _ shape: [Int], _ count: Int, _ file: MappedFile, _ range: Range<Int>
  ) throws -> GraphValue {
    let isPacked = type.bitCount < 8
    let dataType = isPacked ? .uint8 : type.elementType.dataType
    return try file.withUnsafeBytes { bytes in
      let elements = UnsafeRawBufferPointer(rebasing: bytes[range])
      let stored = StoredTensor(
        dataType: dataType ?? .uint8, shape: isPacked ? [range.count] : shape, count: isPacked ? range.count : count,
        bytes: elements, file: file)
      do {
        let tensor = try stored.anyTensor()
        if dataType == nil, case .uint8(let codes) = tensor {
          return .coded(CodedTensor(elementType: type.elementType, codes: codes))
        }
        return .tensor(tensor)
      } catch let error as StoredTensor.InvalidBool {
        throw OperatorError("element \(error.index) of a Boolean constant is \(error.byte)")
      }
    }
  }

  private init(immediate: Fields, _ declared: MILValueType) throws {
    if let list = try immediate.message(3, "ListValue") {
      // A list of texts or numbers, as classifiers have for their classes.
      let elements = try list.messages(1, "Value").map { try MILConstant($0) }
      guard let first = elements.first, elements.allSatisfy({ $0.type == first.type && !$0.isPacked }) else {
        throw OperatorError("a list is empty, or of several types")
      }
      (type, shape) = (first.type, [elements.count])
      if first.type == .string {
        value = .strings(try StringTensor(elements.flatMap { $0.value.texts ?? [] }, shape: shape))
      } else {
        let numbers = elements.flatMap { element -> [Int64] in
          guard case .tensor(let tensor) = element.value else { return [] }
          return (try? tensor.converted(to: Int64.self).elements) ?? []
        }
        value = GraphValue(try Tensor(numbers, shape: shape))
      }
      return
    }
    guard let tensor = try immediate.message(1, "TensorValue") else {
      throw OperatorError("a constant is a tuple or a dictionary; only tensors and lists are read")
    }
    let (type, shape, count) = try Self.tensorType(declared)
    (self.type, self.shape) = (type, shape)
    func checked<Element>(_ list: [Element]) throws -> [Element] {
      guard list.count == count else {
        throw OperatorError("a constant of shape \(shape) has \(list.count) elements")
      }
      return list
    }
    func ints<Scalar: TensorScalar & FixedWidthInteger>(_ field: Int, _: Scalar.Type) throws -> GraphValue {
      let list = try checked(tensor.message(field, "Repeated")?.int64s(1) ?? [])
      return GraphValue(
        try Tensor(
          list.map { number -> Scalar in
            guard let element = Scalar(exactly: number) else {
              throw OperatorError("\(number) is no \(type) that a constant is declared to hold")
            }
            return element
          }, shape: shape))
    }
    switch type {
    case .float32:
      value = GraphValue(try Tensor(checked(tensor.message(1, "RepeatedFloats")?.floats(1) ?? []), shape: shape))
    case .float64:
      value = GraphValue(try Tensor(checked(tensor.message(6, "RepeatedDoubles")?.doubles(1) ?? []), shape: shape))
    case .bool:
      value = GraphValue(
        try Tensor(checked(tensor.message(3, "RepeatedBools")?.ints(1) ?? []).map { $0 != 0 }, shape: shape))
    case .string:
      value = .strings(try StringTensor(checked(tensor.message(4, "RepeatedStrings")?.strings(1) ?? []), shape: shape))
    case .int32: value = try ints(2, Int32.self)
    case .int16: value = try ints(2, Int16.self)
    case .uint16: value = try ints(2, UInt16.self)
    case .int64: value = try ints(5, Int64.self)
    case .uint64: value = try ints(5, UInt64.self)
    default:
      let holder = try tensor.message(7, "RepeatedBytes")
      let range = try holder?.range(1) ?? 0..<0
      let expected = try Self.byteCount(count, type)
      guard range.count == expected else {
        throw OperatorError("a constant of \(type) and shape \(shape) has \(range.count) bytes; \(expected) are needed")
      }
      value = try Self.tensor(type, shape, count, tensor.source.file, range)
    }
  }
}

extension GraphValue {
  /// The elements of a tensor of texts or integers, as texts.
  var texts: [String]? {
    switch self {
    case .strings(let tensor): tensor.elements
    case .tensor(let tensor): try? tensor.converted(to: Int64.self).elements.map { "\($0)" }
    default: nil
    }
  }
}
