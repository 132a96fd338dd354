import ApusKernelInterface

extension AnyDataKernels {
  package static func convert(
    _ source: UnsafeRawPointer, _ sourceType: StoredType, _ destination: UnsafeMutableRawPointer,
    _ destinationType: StoredType, count: Int
  ) {
    switch (sourceType, destinationType) {
    // The pairs that weights and storage use go straight.
    case (.float32, .float16): narrowToHalf(floats(source), halves(destination), count)
    case (.float32, .bfloat16): narrowToBrain(floats(source), halves(destination), count)
    case (_, .float32): toFloat(source, sourceType, destination.assumingMemoryBound(to: Float.self), count)
    case (.float32, .int8), (.float32, .uint8), (.float32, .int32), (.float32, .bool):
      fromFloat(floats(source), destination, destinationType, count)
    default:
      // The others go through the widest type of their kind, a piece at a time.
      if sourceType.isInteger && destinationType.isInteger {
        inPieces(source, sourceType.byteCount, destination, destinationType.byteCount, count, Int64.self) {
          from, to, wide, n in
          toInt64(from, sourceType, wide, n)
          fromInt64(wide, to, destinationType, n)
        }
      } else {
        inPieces(source, sourceType.byteCount, destination, destinationType.byteCount, count, Double.self) {
          from, to, wide, n in
          toDouble(from, sourceType, wide, n)
          fromDouble(wide, to, destinationType, n)
        }
      }
    }
  }

  package static func round(
    _ x: UnsafePointer<Float>, to type: StoredType, _ y: UnsafeMutablePointer<Float>, count: Int
  ) {
    if type == .float16 { roundToHalf(x, y, count) } else { roundToBrain(x, y, count) }
  }
}

extension StoredType {
  /// Whether it goes through `Int64`; `bool` does.
  var isInteger: Bool {
    switch self {
    case .float64, .float32, .float16, .bfloat16: false
    default: true
    }
  }
}

@inline(__always)
private func floats(_ pointer: UnsafeRawPointer) -> UnsafePointer<Float> { pointer.assumingMemoryBound(to: Float.self) }

@inline(__always)
private func halves(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutablePointer<UInt16> {
  pointer.assumingMemoryBound(to: UInt16.self)
}

/// Calls `body` for pieces of 128 elements, with room on the stack for as many of a type of eight bytes.
@inline(__always)
private func inPieces<Wide: BitwiseCopyable>(
  _ source: UnsafeRawPointer, _ sourceSize: Int, _ destination: UnsafeMutableRawPointer, _ destinationSize: Int,
  _ count: Int, _ wide: Wide.Type,
  _ body: (UnsafeRawPointer, UnsafeMutableRawPointer, UnsafeMutablePointer<Wide>, Int) -> Void
) {
  withUnsafeTemporaryAllocation(of: Wide.self, capacity: 128) { room in
    let wide = room.baseAddress.unsafelyUnwrapped
    var i = 0
    while i < count {
      let n = min(128, count &- i)
      body(source + i &* sourceSize, destination + i &* destinationSize, wide, n)
      i &+= n
    }
  }
}

/// `value` without its fraction, limited to a range; zero for NaN.
@inline(__always)
private func truncated(_ value: Double, _ low: Double, _ high: Double) -> Int64 {
  if value != value { return 0 }
  return Int64(value < low ? low : value > high ? high : value)
}

/// `value` without its fraction, limited to the range of a type of eight bits; zero for NaN.
@inline(__always)
private func truncated(_ value: Float, _ low: Float, _ high: Float) -> Int32 {
  if value != value { return 0 }
  return Int32(value < low ? low : value > high ? high : value)
}

/// Truncation to all 32 bits. The smallest of them is a float, the greatest is not.
@inline(__always)
private func int32(_ value: Float) -> Int32 {
  if value != value { return 0 }
  return value >= 0x1p31 ? Int32.max : Int32(value < -0x1p31 ? -0x1p31 : value)
}

/// Truncation to all 64 bits.
@inline(__always)
private func int64(_ value: Double) -> Int64 {
  if value != value { return 0 }
  return value >= 0x1p63 ? Int64.max : value < -0x1p63 ? Int64.min : Int64(value)
}

@inline(__always)
private func uint64(_ value: Double) -> UInt64 {
  // NaN is not greater than zero.
  guard value > 0 else { return 0 }
  return value >= 0x1p64 ? UInt64.max : UInt64(value)
}

// MARK: - Loops

/// `y[i] = body(x[i])`.
@inline(__always)
private func convertEach<From, To>(
  _ x: UnsafeRawPointer, _ from: From.Type, _ y: UnsafeMutablePointer<To>, _ count: Int, _ body: (From) -> To
) {
  let x = x.assumingMemoryBound(to: From.self)
  for i in 0..<count { y[i] = body(x[i]) }
}

@inline(__always)
private func convertEach<From, To>(
  _ x: UnsafePointer<From>, _ y: UnsafeMutableRawPointer, _ to: To.Type, _ count: Int, _ body: (From) -> To
) {
  let y = y.assumingMemoryBound(to: To.self)
  for i in 0..<count { y[i] = body(x[i]) }
}

private func toFloat(
  _ x: UnsafeRawPointer, _ type: StoredType, _ y: UnsafeMutablePointer<Float>, _ count: Int
) {
  switch type {
  case .float64: convertEach(x, Double.self, y, count) { Float($0) }
  case .float32: convertEach(x, Float.self, y, count) { $0 }
  case .float16: widenHalf(x.assumingMemoryBound(to: UInt16.self), y, count)
  case .bfloat16: convertEach(x, UInt16.self, y, count) { Float(bitPattern: UInt32(truncatingIfNeeded: $0) &<< 16) }
  case .int8: convertEach(x, Int8.self, y, count) { Float($0) }
  case .int16: convertEach(x, Int16.self, y, count) { Float($0) }
  case .int32: convertEach(x, Int32.self, y, count) { Float($0) }
  case .int64: convertEach(x, Int64.self, y, count) { Float($0) }
  case .uint8, .bool: convertEach(x, UInt8.self, y, count) { Float($0) }
  case .uint16: convertEach(x, UInt16.self, y, count) { Float($0) }
  case .uint32: convertEach(x, UInt32.self, y, count) { Float($0) }
  case .uint64: convertEach(x, UInt64.self, y, count) { Float($0) }
  }
}

/// To the types that masks, pictures and indices are made of.
private func fromFloat(
  _ x: UnsafePointer<Float>, _ y: UnsafeMutableRawPointer, _ type: StoredType, _ count: Int
) {
  switch type {
  case .int8: convertEach(x, y, Int8.self, count) { Int8(truncatingIfNeeded: truncated($0, -128, 127)) }
  case .uint8: convertEach(x, y, UInt8.self, count) { UInt8(truncatingIfNeeded: truncated($0, 0, 255)) }
  case .int32: convertEach(x, y, Int32.self, count) { int32($0) }
  default: convertEach(x, y, UInt8.self, count) { $0 == 0 ? 0 : 1 }
  }
}

private func toDouble(
  _ x: UnsafeRawPointer, _ type: StoredType, _ y: UnsafeMutablePointer<Double>, _ count: Int
) {
  switch type {
  case .float64: convertEach(x, Double.self, y, count) { $0 }
  case .float32: convertEach(x, Float.self, y, count) { Double($0) }
  case .float16: convertEach(x, UInt16.self, y, count) { Double(floatFromHalf($0)) }
  case .bfloat16:
    convertEach(x, UInt16.self, y, count) { Double(Float(bitPattern: UInt32(truncatingIfNeeded: $0) &<< 16)) }
  case .int8: convertEach(x, Int8.self, y, count) { Double($0) }
  case .int16: convertEach(x, Int16.self, y, count) { Double($0) }
  case .int32: convertEach(x, Int32.self, y, count) { Double($0) }
  case .int64: convertEach(x, Int64.self, y, count) { Double($0) }
  case .uint8, .bool: convertEach(x, UInt8.self, y, count) { Double($0) }
  case .uint16: convertEach(x, UInt16.self, y, count) { Double($0) }
  case .uint32: convertEach(x, UInt32.self, y, count) { Double($0) }
  case .uint64: convertEach(x, UInt64.self, y, count) { Double($0) }
  }
}

private func toInt64(
  _ x: UnsafeRawPointer, _ type: StoredType, _ y: UnsafeMutablePointer<Int64>, _ count: Int
) {
  switch type {
  case .int8: convertEach(x, Int8.self, y, count) { Int64(truncatingIfNeeded: $0) }
  case .int16: convertEach(x, Int16.self, y, count) { Int64(truncatingIfNeeded: $0) }
  case .int32: convertEach(x, Int32.self, y, count) { Int64(truncatingIfNeeded: $0) }
  case .uint8, .bool: convertEach(x, UInt8.self, y, count) { Int64(truncatingIfNeeded: $0) }
  case .uint16: convertEach(x, UInt16.self, y, count) { Int64(truncatingIfNeeded: $0) }
  case .uint32: convertEach(x, UInt32.self, y, count) { Int64(truncatingIfNeeded: $0) }
  default: convertEach(x, Int64.self, y, count) { $0 }
  }
}

private func fromInt64(
  _ x: UnsafePointer<Int64>, _ y: UnsafeMutableRawPointer, _ type: StoredType, _ count: Int
) {
  switch type {
  case .int8, .uint8: convertEach(x, y, UInt8.self, count) { UInt8(truncatingIfNeeded: $0) }
  case .int16, .uint16: convertEach(x, y, UInt16.self, count) { UInt16(truncatingIfNeeded: $0) }
  case .int32, .uint32: convertEach(x, y, UInt32.self, count) { UInt32(truncatingIfNeeded: $0) }
  case .bool: convertEach(x, y, UInt8.self, count) { $0 == 0 ? 0 : 1 }
  default: convertEach(x, y, Int64.self, count) { $0 }
  }
}

private func fromDouble(
  _ x: UnsafePointer<Double>, _ y: UnsafeMutableRawPointer, _ type: StoredType, _ count: Int
) {
  switch type {
  case .float64: convertEach(x, y, Double.self, count) { $0 }
  case .float32: convertEach(x, y, Float.self, count) { Float($0) }
  case .float16: convertEach(x, y, UInt16.self, count) { halfFromDouble($0) }
  case .bfloat16: convertEach(x, y, UInt16.self, count) { brainFromFloat(Float($0)) }
  case .int8: convertEach(x, y, Int8.self, count) { Int8(truncatingIfNeeded: truncated($0, -128, 127)) }
  case .int16: convertEach(x, y, Int16.self, count) { Int16(truncatingIfNeeded: truncated($0, -32768, 32767)) }
  case .int32: convertEach(x, y, Int32.self, count) { Int32(truncatingIfNeeded: truncated($0, -0x1p31, 0x1p31 - 1)) }
  case .uint8: convertEach(x, y, UInt8.self, count) { UInt8(truncatingIfNeeded: truncated($0, 0, 255)) }
  case .uint16: convertEach(x, y, UInt16.self, count) { UInt16(truncatingIfNeeded: truncated($0, 0, 65535)) }
  case .uint32: convertEach(x, y, UInt32.self, count) { UInt32(truncatingIfNeeded: truncated($0, 0, 0x1p32 - 1)) }
  case .int64: convertEach(x, y, Int64.self, count) { int64($0) }
  case .uint64: convertEach(x, y, UInt64.self, count) { uint64($0) }
  case .bool: convertEach(x, y, UInt8.self, count) { $0 == 0 ? 0 : 1 }
  }
}
