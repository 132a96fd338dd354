import Apus
import ApusModels

/// Loads a network, runs it ten times, and prints how much memory the process had before and at most, in bytes.
func measurePeak(_ workload: String, weights: String?) throws {
  let parts = workload.split(separator: "/")
  guard parts.count == 2, let network = NetworkCase.all.first(where: { $0.label == parts[1] }),
    parts[0] == "network" || parts[0] == "network-fast"
  else {
    let names = NetworkCase.all.map { "network/\($0.label)" }.joined(separator: ", ")
    throw UsageError("--peak: expected one of \(names), found '\(workload)'")
  }
  let before = try residentBytes()
  try Execution.with(precision: parts[0] == "network-fast" ? .fast : .exact) {
    let body = try network.prepare(network.model(weights: weights))
    for _ in 0..<10 { _ = try body() }
  }
  try printLine("\(before) \(try peakResidentBytes())")
}
