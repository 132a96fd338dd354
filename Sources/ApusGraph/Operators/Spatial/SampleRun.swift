import Apus
import ApusKernelInterface

/// The samples of a map that each of a few neighbouring outputs is made of, with their weights: found once, used for the
/// map of every channel.
struct SampleRun {
  /// The most samples of an output.
  private let most: Int
  /// `[most, capacity]`
  private let places: UnsafeMutablePointer<Int>
  private let weights: UnsafeMutablePointer<Double>
  /// How many samples each output has.
  private let counts: UnsafeMutablePointer<Int>
  /// Room for the samples of one output, and for the coordinates it is sampled at.
  private let newPlaces: UnsafeMutablePointer<Int>
  private let newWeights: UnsafeMutablePointer<Double>
  let position: UnsafeMutablePointer<Double>
  /// What ``sums(_:count:)`` makes.
  private let results: UnsafeMutablePointer<Double>

  /// Outputs of one run: as many as the first-level cache holds samples for, and one at least.
  private static func capacity(most: Int) -> Int { max(1, min(64, 1024 / max(most, 1))) }
  /// The most outputs of this run.
  var capacity: Int { Self.capacity(most: most) }

  /// Calls `body` with room for a run of outputs of `most` samples each in a map of `rank` axes.
  static func withRoom(most: Int, rank: Int, _ body: (SampleRun) -> Void) {
    let capacity = capacity(most: most)
    withUnsafeTemporaryAllocation(of: Double.self, capacity: (most + 1) * (capacity + 1) + rank) { numbers in
      withUnsafeTemporaryAllocation(of: Int.self, capacity: (most + 1) * (capacity + 1)) { integers in
        guard let weights = numbers.baseAddress, let places = integers.baseAddress else { return }
        let (counts, results) = (places + most * capacity, weights + most * capacity)
        body(
          SampleRun(
            most: most, places: places, weights: weights, counts: counts, newPlaces: counts + capacity,
            newWeights: results + capacity, position: results + capacity + most + 1, results: results))
      }
    }
  }

  /// Sets the samples of an output: `find` writes the places and weights of those at ``position``, and says how many.
  @inline(__always)
  func set(
    _ output: Int, _ find: (_ places: UnsafeMutablePointer<Int>, _ weights: UnsafeMutablePointer<Double>) -> Int
  ) {
    let count = find(newPlaces, newWeights)
    counts[output] = count
    for sample in 0..<most {
      // Nothing that is used beyond `count`, but somewhere in the map.
      places[sample * capacity + output] = sample < count ? newPlaces[sample] : 0
      weights[sample * capacity + output] = sample < count ? newWeights[sample] : 0
    }
  }

  /// For the first `count` outputs the only sample, or zero.
  @inline(__always)
  func picks<Scalar: TensorScalar>(_ map: UnsafePointer<Scalar>, count: Int, to y: UnsafeMutablePointer<Scalar>) {
    for output in 0..<count { y[output] = counts[output] == 0 ? .zero : map[places[output]] }
  }

  /// For the first `count` outputs the weighted sum of their samples, added in their order.
  @inline(__always)
  func sums<Real: FloatingPointScalar>(
    _ map: UnsafePointer<Real>, count: Int, _ kernels: any FloatingKernels<Real>.Type
  ) -> UnsafePointer<Double> {
    let capacity = capacity
    var areWhole = true
    for output in 0..<count { areWhole = areWhole && counts[output] == most }
    if areWhole {
      kernels.sampleSums(
        map, places: places, weights: weights, terms: most, step: capacity, count: count, results)
    } else {
      // What lies outside has no sample, not one of weight 0: it may be infinite.
      for output in 0..<count {
        var sum = 0.0
        for sample in 0..<counts[output] {
          sum += weights[sample * capacity + output] * Double(map[places[sample * capacity + output]])
        }
        results[output] = sum
      }
    }
    return UnsafePointer(results)
  }

  /// The same in all sixteen channels of a block, each sum times a factor if there are any.
  @inline(__always)
  func blockSums(
    _ block: UnsafePointer<Float>, factors: UnsafePointer<Float>?, count: Int, to y: UnsafeMutablePointer<Float>,
    _ kernels: any ConvolutionKernels.Type
  ) {
    kernels.sampleBlock(
      block, places: places, weights: weights, terms: counts, step: capacity, factors: factors, count: count, y)
  }
}
