import ApusKernelInterface

extension AnyDataKernels {
  package static func generate(
    seed: UInt64, first: Int, count: Int, mean: Double, deviation: Double, _ y: UnsafeMutablePointer<Float>
  ) {
    // √3 / 65536.
    let step = 2.642914e-05
    var counter = seed &+ UInt64(truncatingIfNeeded: first) &* 0x9E37_79B9_7F4A_7C15
    for i in 0..<count {
      counter &+= 0x9E37_79B9_7F4A_7C15
      var h = counter
      h = (h ^ h &>> 30) &* 0xBF58_476D_1CE4_E5B9
      h = (h ^ h &>> 27) &* 0x94D0_49BB_1331_11EB
      h ^= h &>> 31
      let pairs = (h & 0xFFFF_0000_FFFF) &+ (h &>> 16 & 0xFFFF_0000_FFFF)
      let sum = Int32(truncatingIfNeeded: (pairs & 0xFFFF_FFFF) &+ pairs &>> 32) &- 131_070
      y[i] = Float(mean + deviation * (Double(sum) * step))
    }
  }
}
