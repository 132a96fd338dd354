/// A Kalman filter whose state is position and velocity, both axes with the same covariance.
///
/// `F = [[1, dt], [0, 1]]`, `Q = q · [[dt³/3, dt²/2], [dt²/2, dt]]`, only the position is measured. Frames without a
/// point are predicted.
struct KalmanFilter: Sendable {
  struct State: Sendable {
    var position: BarPoint
    var velocity: BarPoint
    /// Variance of the position, covariance, variance of the velocity.
    var covariance: (pp: Double, pv: Double, vv: Double)
  }

  /// How much the velocity wanders: the spectral density of the acceleration, px²/s³.
  let processNoise: Double
  /// The variance of a measured position, px².
  let measurementNoise: Double
  private(set) var state: State?

  init(processNoise: Double, measurementNoise: Double) {
    self.processNoise = processNoise
    self.measurementNoise = measurementNoise
  }

  /// The state `dt` seconds later, by the motion alone.
  func predicted(_ state: State, after dt: Double) -> State {
    let (pp, pv, vv) = state.covariance
    let (position, velocity) = (state.position, state.velocity)
    return State(
      position: BarPoint(x: position.x + dt * velocity.x, y: position.y + dt * velocity.y), velocity: velocity,
      covariance: (
        pp + 2 * dt * pv + dt * dt * vv + processNoise * dt * dt * dt / 3,
        pv + dt * vv + processNoise * dt * dt / 2, vv + processNoise * dt
      ))
  }

  /// Takes the next point, `dt` seconds after the one before.
  ///
  /// - Returns: what was predicted for this frame, and the state with the point taken in; nil before the first point.
  mutating func next(_ point: BarPoint?, after dt: Double) -> (predicted: State, filtered: State)? {
    guard let before = state else {
      guard let point else { return nil }
      // Nothing is known of the velocity: anything up to a few heights a second is as likely.
      let first = State(
        position: point, velocity: BarPoint(x: 0, y: 0),
        covariance: (measurementNoise, 0, max(processNoise, measurementNoise)))
      state = first
      return (first, first)
    }
    let predicted = predicted(before, after: dt)
    guard let point else {
      state = predicted
      return (predicted, predicted)
    }
    let (pp, pv, vv) = predicted.covariance
    let total = pp + measurementNoise
    let (gain, velocityGain) = (pp / total, pv / total)
    let (dx, dy) = (point.x - predicted.position.x, point.y - predicted.position.y)
    let filtered = State(
      position: BarPoint(x: predicted.position.x + gain * dx, y: predicted.position.y + gain * dy),
      velocity: BarPoint(
        x: predicted.velocity.x + velocityGain * dx, y: predicted.velocity.y + velocityGain * dy),
      covariance: (measurementNoise * gain, (1 - gain) * pv, vv - velocityGain * pv))
    state = filtered
    return (predicted, filtered)
  }

  mutating func restart() { state = nil }
}
