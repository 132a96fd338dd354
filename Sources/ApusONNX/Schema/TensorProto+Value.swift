import Apus
import ApusGraph

extension TensorProto {
  /// The most axes that a tensor has.
  static let rankLimit = 64

  /// The tensor itself.
  ///
  /// Numbers are views of the file wherever the processor can read them in place, so that this takes no time; Boolean
  /// values, texts, numbers in lists of varying length and codes that share bytes are copied. Everything is checked:
  /// extents, the number of elements and bytes, the range of every number.
  ///
  /// - Throws: ``ONNXFileError``, which names the tensor.
  public func value() throws -> GraphValue {
    if case .value(let value) = contents { return value }
    return try reportingFailures { try storedValue() }
  }

  /// The element type and extents, checked, with the number of elements.
  private func checkedType() throws -> (elementType: ElementType, shape: [Int], count: Int) {
    guard let elementType = ElementType(rawValue: elementType) else {
      throw ONNXFileError.TensorReason.unknownElementType(elementType)
    }
    if elementType == .complex64 || elementType == .complex128 {
      throw ONNXFileError.TensorReason.unsupportedElementType(elementType)
    }
    let shape = try checkedShape(dims)
    return (elementType, shape.shape, shape.count)
  }

  private func storedValue() throws -> GraphValue {
    let (elementType, shape, count) = try checkedType()
    if case .stored(let stored) = contents {
      if stored.isSegment { throw ONNXFileError.TensorReason.segment }
      if elementType == .string { return .strings(try stored.strings(shape: shape, count: count)) }
      if stored.raw == nil, elementType.bitCount == 6 {
        return .coded(CodedTensor(elementType: elementType, codes: try stored.sixBitCodes(elementType, shape, count)))
      }
    } else if elementType == .string {
      throw ONNXFileError.TensorReason.externalStrings
    }
    let bytes = try elementBytes(elementType, shape: shape, count: count)
    return try bytes.file.withUnsafeBytes { file in
      let elements = UnsafeRawBufferPointer(rebasing: file[bytes.range])
      return try makeValue(elementType, shape, count, elements, bytes.file)
    }
  }

  /// The elements as `raw_data` holds them, wherever they are; there are as many bytes as the shape asks for.
  private func elementBytes(
    _ elementType: ElementType, shape: [Int], count: Int
  ) throws -> (file: MappedFile, range: Range<Int>) {
    let expected = try byteCount(of: count, elementType, shape)
    switch contents {
    case .external(let data, let source): return try externalBytes(data, source)
    case .stored(let stored):
      guard let source = stored.source else { throw ONNXFileError.TensorReason.unknownElementType(0) }
      guard let raw = stored.raw else {
        let list = try stored.gathered(elementType, shape: shape, byteCount: expected)
        return (list, 0..<list.count)
      }
      guard raw.count == expected else {
        throw ONNXFileError.TensorReason.wrongByteCount(elementType, shape, expected: expected, found: raw.count)
      }
      return (source.file, raw)
    case .value: throw ONNXFileError.TensorReason.unknownElementType(0)
    }
  }

  private func makeValue(
    _ elementType: ElementType, _ shape: [Int], _ count: Int, _ bytes: UnsafeRawBufferPointer, _ file: MappedFile
  ) throws -> GraphValue {
    if let dataType = elementType.dataType {
      let stored = StoredTensor(dataType: dataType, shape: shape, count: count, bytes: bytes, file: file)
      return .tensor(try stored.anyTensor())
    }
    return .coded(try CodedTensor(elementType: elementType, shape: shape, count: count, packed: bytes, file: file))
  }

  /// The bytes of a tensor that lie in another file.
  func externalBytes(_ data: ExternalData, _ source: FileSource) throws -> (file: MappedFile, range: Range<Int>) {
    try reportingFailures {
      let (elementType, shape, count) = try checkedType()
      let expected = try byteCount(of: count, elementType, shape)
      guard expected > 0 else { return (try MappedFile(name: source.file.name, byteCount: 0) { _ in }, 0..<0) }
      return try source.bytes(of: data, byteCount: expected, elementType, shape)
    }
  }

  private func byteCount(of count: Int, _ elementType: ElementType, _ shape: [Int]) throws -> Int {
    guard let bits = elementType.bitCount else { throw ONNXFileError.TensorReason.externalStrings }
    // Of the bits no more than three are lost to the division: whole bytes and the rest are counted apart.
    let (whole, overflow) = (count / 8).multipliedReportingOverflow(by: bits)
    let (total, carry) = whole.addingReportingOverflow((count % 8 * bits + 7) / 8)
    guard !overflow, !carry else { throw ONNXFileError.TensorReason.tooLarge(shape.map(Int64.init)) }
    return total
  }

  /// Turns what can go wrong with a tensor into an error that names it and its file.
  private func reportingFailures<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as TensorError {
      throw failure(.tensor(error))
    } catch let error as StoredTensor.InvalidBool {
      throw failure(.invalidBool(index: error.index, byte: error.byte))
    } catch let error as FileError {
      throw failure(.externalFile(error))
    } catch let reason as ONNXFileError.TensorReason {
      throw failure(reason)
    }
  }

  private func failure(_ reason: ONNXFileError.TensorReason) -> ONNXFileError {
    let file =
      switch contents {
      case .value: "memory"
      case .stored(let stored): stored.source?.file.name ?? "memory"
      case .external(_, let source): source.file.name
      }
    return ONNXFileError(file: file, reason: .tensor(name, reason))
  }
}

/// Extents of a file as a shape, with the number of elements.
func checkedShape(_ dims: [Int64]) throws -> (shape: [Int], count: Int) {
  guard dims.count <= TensorProto.rankLimit else {
    throw ONNXFileError.TensorReason.tooManyDimensions(dims.count, limit: TensorProto.rankLimit)
  }
  if let negative = dims.first(where: { $0 < 0 }) { throw ONNXFileError.TensorReason.negativeDimension(negative) }
  let shape = dims.compactMap(Int.init(exactly:))
  guard shape.count == dims.count, let count = try? Shape.elementCount(shape) else {
    throw ONNXFileError.TensorReason.tooLarge(dims)
  }
  return (shape, count)
}
