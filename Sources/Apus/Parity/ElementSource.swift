import ApusPlatform

func logarithm10(_ value: Double) -> Double { log10(value) }

/// Row-major elements of a type known only at run time, read as float64 a block at a time.
struct ElementSource {
  let base: UnsafeRawPointer?
  let dataType: DataType
  let shape: [Int]
  let count: Int

  init<Scalar: TensorScalar>(_ elements: UnsafeBufferPointer<Scalar>, shape: [Int]) {
    base = UnsafeRawPointer(elements.baseAddress)
    dataType = Scalar.dataType
    self.shape = shape
    count = elements.count
  }

  func side(_ counts: NonFiniteCounts) -> Comparison.Side {
    Comparison.Side(dataType: dataType, shape: shape, nanCount: counts.nan, infinityCount: counts.infinity)
  }

  /// Whether some elements may not be exact as float64.
  var exceedsDoublePrecision: Bool { dataType == .int64 || dataType == .uint64 }
}

struct NonFiniteCounts {
  var nan = 0
  var infinity = 0

  mutating func add(_ value: Double) {
    if value.isNaN { nan += 1 } else if value.isInfinite { infinity += 1 }
  }
}

extension ElementSource {
  /// Elements are widened in blocks of this many: small enough for the cache, large enough not to matter.
  static let block = 4096

  func nonFiniteCounts() -> NonFiniteCounts {
    var counts = NonFiniteCounts()
    guard dataType.isFloatingPoint else { return counts }
    withUnsafeTemporaryAllocation(of: Double.self, capacity: Self.block) { buffer in
      guard let values = buffer.baseAddress else { return }
      for start in stride(from: 0, to: count, by: Self.block) {
        let length = min(Self.block, count - start)
        widen(from: start, count: length, into: values)
        for index in 0..<length { counts.add(values[index]) }
      }
    }
    return counts
  }

  /// Writes `count` elements from `start` on as float64. One loop a type: a generic one would be tens of times slower.
  func widen(from start: Int, count: Int, into values: UnsafeMutablePointer<Double>) {
    guard let base else { return }
    switch dataType {
    case .float64:
      values.update(from: base.assumingMemoryBound(to: Double.self) + start, count: count)
    case .float32:
      let source = base.assumingMemoryBound(to: Float.self) + start
      for index in 0..<count { values[index] = Double(source[index]) }
    case .float16:
      let source = base.assumingMemoryBound(to: UInt16.self) + start
      for index in 0..<count { values[index] = Self.double(half: source[index]) }
    case .bfloat16:
      let source = base.assumingMemoryBound(to: UInt16.self) + start
      for index in 0..<count { values[index] = Double(Float(bitPattern: UInt32(source[index]) << 16)) }
    case .int8:
      let source = base.assumingMemoryBound(to: Int8.self) + start
      for index in 0..<count { values[index] = Double(source[index]) }
    case .int16:
      let source = base.assumingMemoryBound(to: Int16.self) + start
      for index in 0..<count { values[index] = Double(source[index]) }
    case .int32:
      let source = base.assumingMemoryBound(to: Int32.self) + start
      for index in 0..<count { values[index] = Double(source[index]) }
    case .int64:
      let source = base.assumingMemoryBound(to: Int64.self) + start
      for index in 0..<count { values[index] = Double(source[index]) }
    case .uint8:
      let source = base.assumingMemoryBound(to: UInt8.self) + start
      for index in 0..<count { values[index] = Double(source[index]) }
    case .uint16:
      let source = base.assumingMemoryBound(to: UInt16.self) + start
      for index in 0..<count { values[index] = Double(source[index]) }
    case .uint32:
      let source = base.assumingMemoryBound(to: UInt32.self) + start
      for index in 0..<count { values[index] = Double(source[index]) }
    case .uint64:
      let source = base.assumingMemoryBound(to: UInt64.self) + start
      for index in 0..<count { values[index] = Double(source[index]) }
    case .bool:
      // As bytes: a file may hold anything, and a `Bool` other than 0 and 1 is undefined behaviour.
      let source = base.assumingMemoryBound(to: UInt8.self) + start
      for index in 0..<count { values[index] = source[index] == 0 ? 0 : 1 }
    }
  }

  /// The integer at `index`, exactly. Only for integer types.
  func integer(at index: Int) -> Int128 {
    guard let base else { return 0 }
    switch dataType {
    case .int64: return Int128(base.assumingMemoryBound(to: Int64.self)[index])
    case .uint64: return Int128(base.assumingMemoryBound(to: UInt64.self)[index])
    default:
      var value = 0.0
      widen(from: index, count: 1, into: &value)
      return Int128(exactly: value) ?? 0
    }
  }

  /// The value of an IEEE half-precision bit pattern.
  private static func double(half bits: UInt16) -> Double {
    let sign: Double = bits & 0x8000 == 0 ? 1 : -1
    let exponent = Int(bits >> 10) & 0x1F
    let fraction = Double(bits & 0x3FF)
    switch exponent {
    case 0: return sign * fraction * 0x1p-24
    case 31: return fraction == 0 ? sign * .infinity : .nan
    default:
      let scale = Double(bitPattern: UInt64(exponent + 1023 - 15) << 52)
      return sign * (1 + fraction * 0x1p-10) * scale
    }
  }
}
