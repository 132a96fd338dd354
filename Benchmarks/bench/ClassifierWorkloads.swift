import Apus
import ApusNetworks

/// The behaviour classifier with the weights that ship, on one window and on many.
func classifierWorkloads() -> [Workload] {
  [1, 8, 64].map { windows in
    Workload(
      name: "classifier/\(windows)", shape: "\(windows)×48×100 → \(windows)×21",
      cost: .operations(classifierOperations * Double(windows)),
      twin: Twin(input: classifierInput(windows), model: "behavior/shipped/behavior-classifier.onnx")
    ) {
      let (classifier, poses) = try behaviorClassifier(windows: windows)
      return { try classifier(poses) }
    }
  }
}

/// - Throws: ``BenchmarkUnavailable`` when its weights are not found.
func behaviorClassifier(windows: Int) throws -> (BehaviorClassifier<Float>, Tensor<Float>) {
  let path: String
  do { path = try WeightsLocator().path(of: BehaviorClassifier<Float>.shippedFile) } catch {
    throw BenchmarkUnavailable("\(error)")
  }
  return (try BehaviorClassifier<Float>(path: path), try classifierInput(windows).tensor())
}

/// Points all over the image, between 0 and 1.
private func classifierInput(_ windows: Int) -> Operand {
  Operand([windows, 48, 100], seed: 1, scale: 0.5, offset: 0.5)
}

/// Multiply-adds of convolutions and linear layers for one window, counted twice.
private let classifierOperations: Double = {
  let convolutions = 100 * 64 * 48 * 7 + 50 * 128 * 64 * 5 + 25 * 256 * 128 * 3
  let linear = 6400 * 32 + 32 * 64 + 64 * 21
  return 2 * Double(convolutions + linear)
}()
