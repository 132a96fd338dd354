import Apus
import ApusGraph

/// The weights of a layer: numbers, or codes with a scale or a table.
extension NetworkBuilder {
  /// The weights in field `number` of a layer's parameters as a value of `shape`.
  /// - Parameter channels: the axis that scales of quantised weights go along.
  func weights(_ parameters: Fields, _ number: Int, _ shape: [Int], channels: Int = 0) throws -> Graph.ValueID {
    guard let fields = try parameters.message(number, "WeightParams") else {
      throw OperatorError("its weights are missing")
    }
    let count = try Shape.elementCount(shape, operation: "weights")
    func stored(_ type: DataType, _ range: Range<Int>) throws -> GraphValue {
      let expected = count.multipliedClamped(by: type.byteCount)
      guard range.count == expected else {
        throw OperatorError("its weights have \(range.count) bytes; \(shape) of \(type) take \(expected)")
      }
      return try fields.source.file.withUnsafeBytes { bytes in
        .tensor(
          try StoredTensor(
            dataType: type, shape: shape, count: count, bytes: UnsafeRawBufferPointer(rebasing: bytes[range]),
            file: fields.source.file
          ).anyTensor())
      }
    }
    if fields.has(1) {
      if let range = fields.packedRange(1) { return e.constant(try stored(.float32, range)) }
      let numbers = try fields.floats(1)
      guard numbers.count == count else {
        throw OperatorError("its weights have \(numbers.count) numbers; \(shape) takes \(count)")
      }
      return e.constant(GraphValue(try Tensor(numbers, shape: shape)))
    }
    if let range = try fields.range(2), !range.isEmpty {
      return try e.cast(e.constant(stored(.float16, range)), to: .float)
    }
    guard let quantization = try fields.message(40, "QuantizationParams") else {
      if count == 0 { return e.constant(GraphValue(try Tensor<Float>(zeros: shape))) }
      throw OperatorError("its weights are missing")
    }
    let codes: Graph.ValueID
    if let range = try fields.range(31), !range.isEmpty {
      codes = e.constant(try stored(.int8, range))
    } else {
      codes = try self.codes(fields, bits: quantization.int(1), shape, count)
    }
    if let table = try quantization.message(102, "LookUpTableQuantizationParams") {
      let entries = try table.floats(1)
      let wide = try e.numbers(entries, shape: [Int](repeating: 1, count: shape.count) + [entries.count, 1])
      return try e.node("LookUp", [codes, wide], domain: "apus")
    }
    let linear = try quantization.message(101, "LinearQuantizationParams")
    let number = try e.node("Cast", [codes], ["to": .int(Int64(ElementType.float.rawValue))])
    func stretched(_ numbers: [Float]) throws -> Graph.ValueID {
      guard numbers.count > 1 else { return try e.number(numbers.first ?? 0) }
      var extents = [Int](repeating: 1, count: shape.count)
      guard shape.indices.contains(channels), shape[channels] == numbers.count else {
        throw OperatorError("\(numbers.count) scales do not fit weights of shape \(shape)")
      }
      extents[channels] = numbers.count
      return try e.numbers(numbers, shape: extents)
    }
    let scale = try linear?.floats(1) ?? []
    let scaled = try e.node("Mul", [number, stretched(scale.isEmpty ? [1] : scale)])
    let bias = try linear?.floats(2) ?? []
    return try bias.isEmpty ? scaled : e.node("Add", [scaled, stretched(bias)])
  }

  /// Codes of a few bits each, the highest bit first.
  private func codes(_ fields: Fields, bits: Int, _ shape: [Int], _ count: Int) throws -> Graph.ValueID {
    guard 1...8 ~= bits, let range = try fields.range(30) else {
      throw OperatorError("its weights are quantised to \(bits) bits, or missing")
    }
    let expected = (count / 8).multipliedClamped(by: bits).addingClamped((count % 8 * bits + 7) / 8)
    guard range.count == expected else {
      throw OperatorError("its weights have \(range.count) bytes; \(shape) of \(bits) bits take \(expected)")
    }
    let value = try fields.source.file.withUnsafeBytes { bytes -> GraphValue in
      let packed = UnsafeRawBufferPointer(rebasing: bytes[range])
      if bits == 8 {
        return .tensor(
          try StoredTensor(
            dataType: .uint8, shape: shape, count: count, bytes: packed, file: fields.source.file
          ).anyTensor())
      }
      return GraphValue(
        try Tensor<UInt8>.filled(shape) { codes in
          for index in 0..<count {
            var code: UInt8 = 0
            for bit in (index * bits)..<((index + 1) * bits) {
              code = code << 1 | (packed[bit / 8] >> UInt8(7 - bit % 8) & 1)
            }
            codes[index] = code
          }
        })
    }
    return e.constant(value)
  }
}
