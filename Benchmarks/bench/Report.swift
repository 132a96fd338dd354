import Apus
import FoundationEssentials

/// One line of the table.
struct Result: Encodable {
  let group: String
  let name: String
  let shape: String
  let medianSeconds: Double
  let minimumSeconds: Double
  let calls: Int
  let gigaflops: Double?
  let gigabytesPerSecond: Double?
  /// Of the peak measured at the start.
  let percentOfPeak: Double

  init(_ workload: Workload, _ timing: Timing, peak: MachinePeak) {
    group = String(workload.group)
    name = workload.name
    shape = workload.shape
    medianSeconds = timing.median
    minimumSeconds = timing.minimum
    calls = timing.calls
    switch workload.cost {
    case .operations(let count):
      let rate = count / timing.median * 1e-9
      (gigaflops, gigabytesPerSecond, percentOfPeak) = (rate, nil, 100 * rate / peak.gigaflops)
    case .bytes(let count):
      let rate = count / timing.median * 1e-9
      (gigaflops, gigabytesPerSecond, percentOfPeak) = (nil, rate, 100 * rate / peak.gigabytesPerSecond)
    }
  }
}

/// What `--json` writes.
struct Report: Encodable {
  let header: Header
  let results: [Result]
}

/// Keys in snake_case and in alphabetical order.
func jsonText(_ value: some Encodable) throws -> String {
  let encoder = JSONEncoder()
  encoder.keyEncodingStrategy = .convertToSnakeCase
  encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
  return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
}

/// A table of results, a line each.
struct Table {
  let nameWidth: Int
  let shapeWidth: Int

  init(_ workloads: [Workload]) {
    nameWidth = workloads.map { $0.label.count }.max() ?? 0
    shapeWidth = workloads.map { $0.shape.count }.max() ?? 0
  }

  var title: String {
    line("group", "name", "shape", ["median", "minimum", "rate", "of peak"])
  }

  func line(_ workload: Workload, _ result: Result) -> String {
    let rate =
      result.gigaflops.map { $0.text(1) + " GFLOP/s" }
      ?? result.gigabytesPerSecond.map { $0.text(1) + " GB/s" } ?? ""
    return line(
      workload.group, workload.label, workload.shape[...],
      [duration(result.medianSeconds), duration(result.minimumSeconds), rate, result.percentOfPeak.text(0) + " %"])
  }

  private func line(_ group: Substring, _ name: Substring, _ shape: Substring, _ numbers: [String]) -> String {
    let widths = [11, 11, 15, 8]
    return group.padded(to: 14) + name.padded(to: nameWidth + 2) + shape.padded(to: shapeWidth)
      + zip(numbers, widths).map { $0.paddedLeft(to: $1) }.joined()
  }
}

/// Seconds with a unit that leaves three or four digits.
func duration(_ seconds: Double) -> String {
  if seconds < 1e-3 { return (seconds * 1e6).text(seconds < 1e-4 ? 2 : 1) + " µs" }
  if seconds < 1 { return (seconds * 1e3).text(seconds < 0.1 ? 2 : 1) + " ms" }
  return seconds.text(2) + " s"
}

extension Double {
  /// Rounded to `digits` digits after the point.
  func text(_ digits: Int) -> String {
    guard isFinite, magnitude < 1e12 else { return "\(self)" }
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let scaled = Int64((magnitude * scale).rounded())
    let (whole, fraction) = scaled.quotientAndRemainder(dividingBy: Int64(scale))
    let sign = self < 0 && scaled > 0 ? "-" : ""
    if digits == 0 { return "\(sign)\(whole)" }
    return "\(sign)\(whole)." + String(fraction).paddedLeft(to: digits, with: "0")
  }
}

extension StringProtocol {
  func padded(to width: Int) -> String { self + String(repeating: " ", count: Swift.max(0, width - count)) }

  func paddedLeft(to width: Int, with filler: String = " ") -> String {
    String(repeating: filler, count: Swift.max(0, width - count)) + self
  }
}
