import Apus
import ApusMotion

extension BehaviorClassifier: BehaviorClassifying {
  /// The probability of each label for one window `[48, 100]`, channel-major.
  /// - Throws: ``TensorError/shape(operation:reason:)`` for another number of values.
  public func probabilities(forWindow window: [Float]) throws -> [Float] {
    try probabilities(forWindows: window, count: 1)
  }

  /// The probabilities for several windows in one batch: `[count, 48, 100]` becomes `[count, labels]`.
  /// - Throws: ``TensorError/shape(operation:reason:)`` for another number of values.
  public func probabilities(forWindows windows: [Float], count: Int) throws -> [Float] {
    if count == 0, windows.isEmpty { return [] }
    let poses = try Tensor<Float>(windows, shape: [count, Self.featureCount, Self.windowLength])
    return try AnyTensor(self(AnyTensor(poses).floating())).floating(as: Float.self).elements
  }
}
