import Apus

/// Watches resident memory over 10,000 predictions of the behaviour classifier.
///
/// In steady state every tensor comes from the pool, so nothing should grow.
func measureSteadyMemory() throws {
  let predictions = 10_000
  let (classifier, poses) = try behaviorClassifier(windows: 1)
  func predict(_ count: Int) throws { for _ in 0..<count { _ = try classifier(poses) } }
  try predict(100)
  let before = try residentBytes()
  try printLine("after 100 predictions      \(megabytes(before)) resident")
  var largest = before
  for step in 1...10 {
    try predict(predictions / 10)
    largest = max(largest, try residentBytes())
    let count = "\(100 + step * predictions / 10)".padded(to: 6)
    try printLine("after \(count) predictions   \(megabytes(try residentBytes())) resident")
  }
  try printLine("growth over \(predictions) predictions: \(megabytes(largest - before))")
}
