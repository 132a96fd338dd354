#if hasFeature(BuiltinModule)
  import Builtin
#endif
import ApusKernelInterface

extension AnyPixelKernels {
  package static func sumColumns(
    _ x: UnsafePointer<UInt8>, rowStep: Int, rows: Int, _ sums: ByteSums, _ y: UnsafeMutablePointer<UInt8>,
    outputStep: Int
  ) {
    switch sums.channels {
    case 1: sumColumns(x, rowStep, rows, sums, 1, y, outputStep)
    case 2: sumColumns(x, rowStep, rows, sums, 2, y, outputStep)
    case 3: sumColumns(x, rowStep, rows, sums, 3, y, outputStep)
    default: sumColumns(x, rowStep, rows, sums, 4, y, outputStep)
    }
  }

  /// The same for a constant number of channels. A pixel's weights serve all rows while they are near.
  @inline(__always)
  private static func sumColumns(
    _ x: UnsafePointer<UInt8>, _ rowStep: Int, _ rows: Int, _ sums: ByteSums, _ channels: Int,
    _ y: UnsafeMutablePointer<UInt8>, _ outputStep: Int
  ) {
    let step = channels == 3 ? 15 : 16
    var weights = sums.weights
    for pixel in 0..<sums.count {
      var from = x + Int(sums.starts[pixel])
      var to = y + pixel &* channels
      for _ in 0..<rows {
        var sum = IntegerLanes(repeating: 0)
        for group in 0..<sums.groups {
          let bytes = widened(load(from + group &* step, as: SIMD16<UInt8>.self))
          sum = sum &+ bytes &* load(weights + group &* 16)
        }
        switch channels {
        case 1:
          let four = quarters(sum)
          to[0] = byte(four[0] &+ four[1] &+ four[2] &+ four[3])
        case 2:
          let four = quarters(sum)
          to[0] = byte(four[0] &+ four[2])
          to[1] = byte(four[1] &+ four[3])
        case 3:
          // Lane 15 has no weight.
          to[0] = byte(sum[0] &+ sum[3] &+ sum[6] &+ sum[9] &+ sum[12])
          to[1] = byte(sum[1] &+ sum[4] &+ sum[7] &+ sum[10] &+ sum[13])
          to[2] = byte(sum[2] &+ sum[5] &+ sum[8] &+ sum[11] &+ sum[14])
        default:
          let four = quarters(sum)
          to[0] = byte(four[0])
          to[1] = byte(four[1])
          to[2] = byte(four[2])
          to[3] = byte(four[3])
        }
        from += rowStep
        to += outputStep
      }
      weights += sums.groups &* 16
    }
  }

  package static func sumRows(
    _ x: UnsafePointer<UInt8>, rowStep: Int, weights: UnsafeBufferPointer<Int32>, _ y: UnsafeMutablePointer<UInt8>,
    count: Int
  ) {
    let half = IntegerLanes(repeating: 1 &<< 21)
    var i = 0
    while i &+ 64 <= count {
      var (a, b, c, d) = (half, half, half, half)
      var from = x + i
      for t in 0..<weights.count {
        let weight = IntegerLanes(repeating: weights[t])
        a = a &+ widened(load(from, as: SIMD16<UInt8>.self)) &* weight
        b = b &+ widened(load(from + 16, as: SIMD16<UInt8>.self)) &* weight
        c = c &+ widened(load(from + 32, as: SIMD16<UInt8>.self)) &* weight
        d = d &+ widened(load(from + 48, as: SIMD16<UInt8>.self)) &* weight
        from += rowStep
      }
      store(bytes(a), y + i)
      store(bytes(b), y + (i &+ 16))
      store(bytes(c), y + (i &+ 32))
      store(bytes(d), y + (i &+ 48))
      i &+= 64
    }
    while i < count {
      var sum: Int32 = 0
      for t in 0..<weights.count { sum = sum &+ Int32(truncatingIfNeeded: x[t &* rowStep &+ i]) &* weights[t] }
      y[i] = byte(sum)
      i &+= 1
    }
  }

  package static func sumColumns(_ x: UnsafePointer<Float>, _ sums: FloatSums, _ y: UnsafeMutablePointer<Float>) {
    let channels = sums.channels
    var to = y
    for pixel in 0..<sums.count {
      let first = x + sums.starts[pixel] &* channels
      let start = sums.places[pixel]
      let taps = sums.places[pixel &+ 1] &- start
      for channel in 0..<channels {
        var sum: Float = 0
        for t in 0..<taps { sum += first[t &* channels &+ channel] * sums.weights[start &+ t] }
        to[channel] = sum
      }
      to += channels
    }
  }

  package static func sumRows(
    _ x: UnsafePointer<Float>, rowStep: Int, weights: UnsafeBufferPointer<Float>, _ y: UnsafeMutablePointer<Float>,
    count: Int
  ) {
    var i = 0
    while i &+ 16 <= count {
      var sum = Lanes(repeating: 0)
      for t in 0..<weights.count { sum += load(x + (t &* rowStep &+ i)) * all(weights[t]) }
      store(sum, y + i)
      i &+= 16
    }
    while i < count {
      var sum: Float = 0
      for t in 0..<weights.count { sum += x[t &* rowStep &+ i] * weights[t] }
      y[i] = sum
      i &+= 1
    }
  }
}

/// The nearest byte to a sum of multiples of 2⁻²².
@inline(__always)
private func byte(_ sum: Int32) -> UInt8 {
  let value = (sum &+ (1 &<< 21)) &>> 22
  return UInt8(truncatingIfNeeded: value < 0 ? 0 : value > 255 ? 255 : value)
}

/// The same for sixteen sums to which the half was added before.
@inline(__always)
private func bytes(_ sums: IntegerLanes) -> SIMD16<UInt8> {
  var value = sums &>> IntegerLanes(repeating: 22)
  #if hasFeature(BuiltinModule)
    let none = IntegerLanes(repeating: 0)._storage._value
    let most = IntegerLanes(repeating: 255)._storage._value
    let lanes = value._storage._value
    let above = Builtin.select_Vec16xInt1_Vec16xInt32(Builtin.cmp_slt_Vec16xInt32(lanes, none), none, lanes)
    value._storage._value = Builtin.select_Vec16xInt1_Vec16xInt32(
      Builtin.cmp_slt_Vec16xInt32(most, above), most, above)
  #else
    value.clamp(lowerBound: IntegerLanes(repeating: 0), upperBound: IntegerLanes(repeating: 255))
  #endif
  return lowBytes(value)
}

/// The sums of lanes 0, 4, 8, 12; of 1, 5, 9, 13; and so on.
@inline(__always)
private func quarters(_ v: IntegerLanes) -> SIMD4<Int32> {
  let eight = v.lowHalf &+ v.highHalf
  return eight.lowHalf &+ eight.highHalf
}
