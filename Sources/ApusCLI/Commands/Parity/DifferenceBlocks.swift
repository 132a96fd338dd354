import Apus
import ApusGraph
import ApusMedia

/// What pages show of differences, be they of nodes or of tensors in files.
enum DifferenceBlocks {
  /// Beyond this, values are equal for the eye.
  static let highestSNR = 160.0

  /// The signal-to-noise ratio in decibels within what is shown; 0 where one side is not finite.
  static func signalToNoise(_ differences: Comparison.Differences) -> Double {
    if differences.signalToNoise.isNaN { return 0 }
    return min(highestSNR, max(0, differences.signalToNoise))
  }

  /// How hot a square is: from 140 dB, cold, to 20 dB.
  static func heat(_ signalToNoise: Double) -> Double { (140 - signalToNoise) / 120 }

  /// The ratio as a remark; nil for what is equal for the eye.
  static func remark(_ signalToNoise: Double) -> String? {
    signalToNoise < highestSNR ? NumberText.fixed(signalToNoise, decimals: 0) + " dB" : nil
  }

  /// The ratios one after the other, as a chart; nothing for fewer than two.
  static func chart(_ title: String, _ axis: String, _ series: [Chart.Series]) -> [HTMLReport.Block] {
    guard series.contains(where: { $0.points.count > 1 }) else { return [] }
    var chart = Chart(title: title, x: .init(axis), y: .init("SNR", unit: "dB", range: 0...highestSNR))
    chart.series = series
    return [.figure(ReportFigure("signal-to-noise", chart))]
  }

  /// The columns of ``row(_:_:)``; the first is what the table is about.
  static func columns(_ first: String) -> [String] { [first, "elements", "SNR (dB)", "max abs", "cosine"] }

  /// The numbers of a difference.
  static func row(_ name: String, _ differences: Comparison.Differences) -> [String] {
    let largest = differences.largestAbsolute
    return [
      name, differences.mismatchedCount == 0 ? "within" : "\(differences.mismatchedCount) beyond",
      NumberText.fixed(differences.signalToNoise, decimals: 1),
      NumberText.short(largest?.value ?? 0) + (largest.map { " at \($0.index)" } ?? ""),
      differences.cosine.map { NumberText.short($0, digits: 7) } ?? "–",
    ]
  }

  /// How errors are spread, and the worst elements; nothing where there are none.
  static func profile(_ profile: ErrorProfile?, _ sides: (actual: String, expected: String)) -> [HTMLReport.Block] {
    guard let profile, profile.counts.dropFirst().contains(where: { $0 > 0 }) else { return [] }
    var blocks: [HTMLReport.Block] = [
      .bars(
        zip(ErrorProfile.bins, profile.counts).map { .init("\($0): \($1)", Double($1)) },
        caption: "Elements by error in relation to the largest element but masks: 0, below 1e-9, … 1 and above")
    ]
    if let axis = profile.axis, profile.alongAxis.count > 1 {
      blocks.append(
        .bars(
          thinned(profile.alongAxis).map { .init("\($0): \(NumberText.short($1))", $1) },
          caption: "RMS error along axis \(axis), of \(profile.alongAxis.count) places"))
    }
    blocks.append(
      .table(
        columns: ["worst elements", sides.actual, sides.expected],
        rows: profile.worst.map {
          ["\($0.index)", NumberText.short($0.actual, digits: 9), NumberText.short($0.expected, digits: 9)]
        }))
    return blocks
  }

  /// At most 128 columns, each the highest of its places.
  private static func thinned(_ values: [Double]) -> [(name: String, value: Double)] {
    let step = values.count.dividedRoundingUp(by: 128)
    return stride(from: 0, to: values.count, by: step).map { start in
      let end = min(values.count, start + step)
      return (step == 1 ? "\(start)" : "\(start)–\(end - 1)", values[start..<end].max() ?? 0)
    }
  }
}
