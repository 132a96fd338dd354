import Apus

/// Loads a network, runs it ten times, and prints how much memory the process had before and at most, in bytes, the seconds
/// from opening its file to the first output, and the median of those that the other runs took: what is left of the first
/// without one of these is what opening costs.
func measurePeak(_ options: Options) throws {
  let parts = options.network.split(separator: "/")
  let groups = ["network", "network-fast", "onnx", "onnx-fast"]
  let isModel = options.network.hasPrefix("onnx")
  let model = options.models.first { parts.count == 2 && $0.stem == parts[1] }
  let network = NetworkCase.all.first { parts.count == 2 && $0.label == parts[1] }
  guard parts.count == 2, groups.contains(String(parts[0])), isModel ? model != nil : network != nil else {
    let names = NetworkCase.all.map { "network/\($0.label)" }.joined(separator: ", ")
    throw UsageError("--peak: expected onnx/NAME of a --model or one of \(names), found '\(options.network)'")
  }
  let precision: Execution.Precision = parts[0].hasSuffix("-fast") ? .fast : .exact
  let values = try model?.values()
  let before = try residentBytes()
  let clock = ContinuousClock()
  let start = clock.now
  var first: Duration?
  var later: [Duration] = []
  func run(_ body: () throws -> Void) throws {
    for _ in 0..<10 {
      let began = clock.now
      try body()
      if first == nil { first = clock.now - start } else { later.append(clock.now - began) }
    }
  }
  if let model, let values {
    let session = try model.session(precision, cacheFolder: options.cacheFolder)
    try run { _ = try session.run(values) }
  } else if let network {
    try Execution.with(precision: precision) {
      let body = try network.prepare(network.model(weights: options.weights))
      try run { _ = try body() }
    }
  }
  let steady = later.sorted()[later.count / 2]
  let seconds = [first ?? .zero, steady].map { "\($0 / .seconds(1))" }.joined(separator: " ")
  try printLine("\(before) \(try peakResidentBytes()) \(seconds)")
}
