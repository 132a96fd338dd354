import ApusBase

@testable import ApusMotion

/// A path without gaps from vertical positions; x stays at 100.
func path(_ ys: [Double?]) -> [BarPoint?] { ys.map { $0.map { BarPoint(x: 100, y: $0) } } }

/// Timestamps at a steady rate.
func times(_ count: Int, fps: Double = 30) -> [Double] { (0..<count).map { Double($0) / fps } }

extension BarPathSettings: Changeable {}

/// SplitMix64 with a few distributions, so that tests see the same noise everywhere.
struct Noise {
  private var generator: SplitMix64
  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  mutating func uniform() -> Double { Double(generator.next() >> 11) / 9_007_199_254_740_992 }

  /// About normal, by twelve uniforms: mean 0, standard deviation 1.
  mutating func normal() -> Double { (0..<12).reduce(-6) { sum, _ in sum + uniform() } }
}

/// A lift whose motion is known: still, then repetitions, each `seconds` down and up (or up and down) along half a
/// cosine, with a rest between.
struct SyntheticLift {
  var reps = 3
  /// Pixels.
  var travel = 160.0
  /// Seconds of one way.
  var way = 1.5
  var rest = 1.0
  /// Seconds at the turning point.
  var pause = 0.0
  var startsUp = false
  var baseline = 400.0
  var height = 720.0
  var width = 1280.0

  var duration: Double { rest + Double(reps) * (2 * way + pause + rest) }

  /// The analytic height of the bar.
  func y(_ t: Double) -> Double {
    let period = 2 * way + pause + rest
    let since = t - rest
    guard since >= 0, since < Double(reps) * period else { return baseline }
    let phase = since.truncatingRemainder(dividingBy: period)
    let share: Double
    if phase < way {
      share = halfCosine(phase / way)
    } else if phase < way + pause {
      share = 1
    } else if phase < 2 * way + pause {
      share = 1 - halfCosine((phase - way - pause) / way)
    } else {
      share = 0
    }
    return baseline + (startsUp ? -travel : travel) * share
  }

  /// (1 − cos(π x)) / 2 by its series, exact to 1e-12.
  private func halfCosine(_ x: Double) -> Double {
    // sin²(π x / 2)
    let angle = x * .pi / 2
    var (sum, term) = (0.0, angle)
    for n in 1...14 {
      sum += term
      term *= -angle * angle / Double(2 * n * (2 * n + 1))
    }
    return sum * sum
  }

  /// Frames with one box around the bar.
  func frames(
    times: [Double], noise: Double = 0, dropped: Double = 0, seed: UInt64 = 1,
    others: (Double) -> [BarDetection] = { _ in [] }, pose: (Double) -> BarPose? = { _ in nil }
  ) -> [BarFrame] {
    var random = Noise(seed: seed)
    return times.map { t in
      let (dx, dy) = (random.normal() * noise, random.normal() * noise)
      let isDropped = random.uniform() < dropped
      var detections = others(t)
      if !isDropped {
        detections.append(box(x: width / 2 + dx, y: y(t) + dy))
      }
      return BarFrame(
        timestamp: t, width: width, height: height, observation: .detections(detections), pose: pose(t))
    }
  }

  /// A plate of 180 pixels: 4 px/cm.
  func box(x: Double, y: Double, confidence: Double = 0.9) -> BarDetection {
    BarDetection(x: x - 90, y: y - 90, width: 180, height: 180, confidence: confidence)
  }
}
