import Apus

/// A tensor of pseudo-random numbers that every language can make alike: `offset + scale · u`, with `u` in [-1, 1).
///
/// Element `i` of the operand with number `seed` is, in 32-bit integers that wrap around,
///
///     h = i · 0x9E3779B9 + seed · 0x85EBCA6B
///     h = (h xor h >> 16) · 0x7FEB352D;  h = (h xor h >> 15) · 0x846CA68B;  h = h xor h >> 16
///     u = (h >> 8) / 2²³ - 1
///
/// `scale` is a power of two, so that u is exact in float32 and the element is rounded once.
struct Operand: Encodable {
  var shape: [Int]
  var seed: UInt32
  var scale: Float
  var offset: Float

  init(_ shape: [Int], seed: UInt32, scale: Float = 1, offset: Float = 0) {
    (self.shape, self.seed, self.scale, self.offset) = (shape, seed, scale, offset)
  }

  /// Weights of a sum over `terms` inputs, scaled so that its result is about as large as they are.
  init(weights shape: [Int], seed: UInt32, terms: Int) {
    var scale: Float = 1
    while scale * scale * Float(terms) > 2 { scale /= 2 }
    self.init(shape, seed: seed, scale: scale)
  }

  func tensor() throws -> Tensor<Float> {
    let start = seed &* 0x85EB_CA6B
    let elements = (0..<UInt32(shape.reduce(1, *))).map { i -> Float in
      var h = i &* 0x9E37_79B9 &+ start
      h = (h ^ h >> 16) &* 0x7FEB_352D
      h = (h ^ h >> 15) &* 0x846C_A68B
      h ^= h >> 16
      return offset + scale * (Float(h >> 8) / 8_388_608 - 1)
    }
    return try Tensor(elements, shape: shape)
  }
}
