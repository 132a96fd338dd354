import ApusKernelInterface

extension Float32Kernels {
  package static func sampleSums(
    _ x: UnsafePointer<Float>, places: UnsafePointer<Int>, weights: UnsafePointer<Double>, terms: Int, step: Int,
    count: Int, _ y: UnsafeMutablePointer<Double>
  ) {
    sumSamples(places, weights, terms, step, count, y) { places in
      DoubleLanes(
        SIMD8<Float>(
          x[places[0]], x[places[1]], x[places[2]], x[places[3]], x[places[4]], x[places[5]], x[places[6]], x[places[7]]
        ))
    } one: {
      Double(x[$0])
    }
  }
}

extension Float64Kernels {
  package static func sampleSums(
    _ x: UnsafePointer<Double>, places: UnsafePointer<Int>, weights: UnsafePointer<Double>, terms: Int, step: Int,
    count: Int, _ y: UnsafeMutablePointer<Double>
  ) {
    sumSamples(places, weights, terms, step, count, y) { places in
      DoubleLanes(
        x[places[0]], x[places[1]], x[places[2]], x[places[3]], x[places[4]], x[places[5]], x[places[6]], x[places[7]])
    } one: {
      x[$0]
    }
  }
}

extension BlockedKernels {
  package static func sampleBlock(
    _ x: UnsafePointer<Float>, places: UnsafePointer<Int>, weights: UnsafePointer<Double>, terms: UnsafePointer<Int>,
    step: Int, factors: UnsafePointer<Float>?, count: Int, _ y: UnsafeMutablePointer<Float>
  ) {
    for i in 0..<count {
      var sum = WideLanes(repeating: 0)
      var at = i
      for _ in 0..<terms[i] {
        sum += widened(load(x + places[at] &* 16)) * weights[at]
        at &+= step
      }
      if let factors { sum *= Double(factors[i]) }
      store(narrowed(sum), y + i &* 16)
    }
  }
}

/// Eight outputs at a time, then those left.
@inline(__always)
private func sumSamples(
  _ places: UnsafePointer<Int>, _ weights: UnsafePointer<Double>, _ terms: Int, _ step: Int, _ count: Int,
  _ y: UnsafeMutablePointer<Double>, _ eight: (UnsafePointer<Int>) -> DoubleLanes, one: (Int) -> Double
) {
  var i = 0
  while i &+ 8 <= count {
    var sum = DoubleLanes()
    for term in 0..<terms {
      let place = term &* step &+ i
      // Not fused, as it is not for those left.
      sum += load(weights + place) * eight(places + place)
    }
    store(sum, y + i)
    i &+= 8
  }
  while i < count {
    var sum = 0.0
    for term in 0..<terms { sum += weights[term &* step &+ i] * one(places[term &* step &+ i]) }
    y[i] = sum
    i &+= 1
  }
}
