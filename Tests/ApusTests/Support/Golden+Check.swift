import Testing

@testable import Apus

extension GoldenCase {
  /// Evaluates the case in float32 on every kernel variant and in float64, and holds it to the accuracy rule:
  ///
  /// - float32: errors are distances to PyTorch's float64 result. Over all seeds pooled, the root of their mean square
  ///   is at most `rms` times that of PyTorch's float32 errors, and the largest at most `largest` times. Where PyTorch's
  ///   are all zero, so are ours.
  /// - float64: within `1e-13` of PyTorch's, relative to the element or, where that is smaller, to the root mean square
  ///   of the output (what cancels in a sum is not lost).
  /// - Infinities and NaNs are where PyTorch has them.
  ///
  /// Several outputs are returned by name; a single one is called `y`.
  func check(
    rms: Double = 1.2, largest: Double = 2,
    _ float32: (GoldenInputs<Float>) throws -> [String: Tensor<Float>],
    _ float64: (GoldenInputs<Double>) throws -> [String: Tensor<Double>],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let names = try outputNames()
    for variant in Execution.availableVariants {
      var pools = [String: PooledError]()
      for seed in seeds {
        let results = try Execution.with(variant: variant) { try float32(inputs(seed, as: Float.self)) }
        for name in names {
          guard let result = results[name] else { throw GoldenError.missing("result \(name)") }
          let truth = try truth(name, seed: seed).converted(to: Double.self)
          let peer = try peer(name, seed: seed).converted(to: Float.self)
          try #require(result.shape == truth.shape, "\(name), seed \(seed)", sourceLocation: sourceLocation)
          pools[name, default: PooledError()].add(
            ours: try result.elements, truth: try truth.elements, peer: try peer.elements)
        }
      }
      for (name, pool) in pools.sorted(by: { $0.key < $1.key }) {
        #expect(
          pool.isWithin(rms: rms, largest: largest), "\(self.name), \(name), \(variant): \(pool)",
          sourceLocation: sourceLocation)
      }
    }
    for seed in seeds {
      let results = try float64(inputs(seed, as: Double.self))
      for name in names {
        guard let result = results[name] else { throw GoldenError.missing("result \(name)") }
        let truth = try truth(name, seed: seed).converted(to: Double.self)
        try #require(result.shape == truth.shape, "\(name), seed \(seed)", sourceLocation: sourceLocation)
        let worst = worstRelativeError(try result.elements, truth: try truth.elements)
        #expect(
          worst <= 1e-13, "\(self.name), \(name), seed \(seed), float64: \(worst) relative",
          sourceLocation: sourceLocation)
      }
    }
  }

  /// The same for an operator with a single output, `y`.
  func check(
    rms: Double = 1.2, largest: Double = 2,
    _ float32: (GoldenInputs<Float>) throws -> Tensor<Float>,
    _ float64: (GoldenInputs<Double>) throws -> Tensor<Double>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try check(
      rms: rms, largest: largest, { ["y": try float32($0)] }, { ["y": try float64($0)] },
      sourceLocation: sourceLocation)
  }

  /// Evaluates a case whose output `y` is of integers or Booleans, which must be equal, from float32 on every
  /// kernel variant and from float64.
  func checkExactly<Result: TensorScalar>(
    _ float32: (GoldenInputs<Float>) throws -> Tensor<Result>,
    _ float64: (GoldenInputs<Double>) throws -> Tensor<Result>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for seed in seeds {
      let wanted = try #require(try truth("y", seed: seed).tensor(of: Result.self), sourceLocation: sourceLocation)
      for variant in Execution.availableVariants {
        let result = try Execution.with(variant: variant) { try float32(inputs(seed, as: Float.self)) }
        #expect(result.shape == wanted.shape, sourceLocation: sourceLocation)
        #expect(try result.elements == wanted.elements, "seed \(seed), \(variant)", sourceLocation: sourceLocation)
      }
      let result = try float64(inputs(seed, as: Double.self))
      #expect(try result.elements == wanted.elements, "seed \(seed), float64", sourceLocation: sourceLocation)
    }
  }
}

/// Errors of our float32 and of PyTorch's, over all that was added.
struct PooledError: CustomStringConvertible {
  private(set) var count = 0
  private(set) var ourSquares = 0.0
  private(set) var peerSquares = 0.0
  private(set) var ourLargest = 0.0
  private(set) var peerLargest = 0.0
  /// Elements that are infinite or NaN where PyTorch's are not, or the other way round.
  private(set) var misplaced = 0

  mutating func add(ours: [Float], truth: [Double], peer: [Float]) {
    for ((our, peer), truth) in zip(zip(ours, peer), truth) {
      guard our.isFinite, peer.isFinite, truth.isFinite else {
        // PyTorch's float32 says what is infinite: float64 has a wider range.
        if !(our == peer || (our.isNaN && peer.isNaN)) { misplaced += 1 }
        continue
      }
      let ourError = (Double(our) - truth).magnitude
      let peerError = (Double(peer) - truth).magnitude
      count += 1
      ourSquares += ourError * ourError
      peerSquares += peerError * peerError
      ourLargest = max(ourLargest, ourError)
      peerLargest = max(peerLargest, peerError)
    }
  }

  /// Our root mean square over PyTorch's; 0 when both are zero.
  var rmsRatio: Double { ourSquares == 0 ? 0 : (ourSquares / peerSquares).squareRoot() }
  /// Our largest error over PyTorch's; 0 when both are zero.
  var largestRatio: Double { ourLargest == 0 ? 0 : ourLargest / peerLargest }

  func isWithin(rms: Double, largest: Double) -> Bool {
    misplaced == 0 && rmsRatio <= rms && largestRatio <= largest
  }

  var description: String {
    "RMS error \(rmsRatio) × PyTorch's, largest \(largestRatio) × (\(ourLargest) against \(peerLargest)), "
      + "\(misplaced) infinities or NaNs out of place, \(count) elements"
  }
}

/// The largest difference relative to the greater of the element and the root mean square of all; infinite where one
/// is finite and the other is not, or the counts differ.
func worstRelativeError(_ elements: [Double], truth: [Double]) -> Double {
  guard elements.count == truth.count else { return .infinity }
  let finite = truth.filter(\.isFinite)
  let scale = (finite.reduce(0) { $0 + $1 * $1 } / Double(max(1, finite.count))).squareRoot()
  var worst = 0.0
  for (element, truth) in zip(elements, truth) where element != truth {
    if element.isNaN && truth.isNaN { continue }
    guard element.isFinite, truth.isFinite else { return .infinity }
    worst = max(worst, (element - truth).magnitude / max(truth.magnitude, scale))
  }
  return worst
}
