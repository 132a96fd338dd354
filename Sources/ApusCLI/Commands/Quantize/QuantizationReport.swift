import Apus
import ApusText

/// What `apus quantize` says.
struct QuantizationReport: Encodable {
  struct Scores: Encodable {
    var texts: Int
    // Nothing where a score is not finite.
    var largestDifference: Double?
    var meanDifference: Double?
    var relativeError: Double?
    var sameBest: Int
    var sameBestThree: Int

    enum CodingKeys: String, CodingKey {
      case texts
      case largestDifference = "largest_difference"
      case meanDifference = "mean_difference"
      case relativeError = "relative_error"
      case sameBest = "same_best"
      case sameBestThree = "same_best_three"
    }
  }

  /// A name with a relative error.
  struct Part: Encodable {
    var name: String
    var shape: [Int]?
    var relativeError: Double?

    enum CodingKeys: String, CodingKey {
      case name, shape
      case relativeError = "relative_error"
    }
  }

  var input: String
  var output: String
  var bytesBefore: Int
  var bytesAfter: Int
  var matrices: [Part]
  var layers: [Part]
  var scores: Scores

  enum CodingKeys: String, CodingKey {
    case input, output, matrices, layers, scores
    case bytesBefore = "bytes_before"
    case bytesAfter = "bytes_after"
  }

  init(input: String, output: String, form: EightBitForm, cost: QuantizationCost) {
    (self.input, self.output) = (input, output)
    (bytesBefore, bytesAfter) = form.byteCounts
    matrices = form.matrices.map {
      Part(name: $0.name, shape: $0.shape, relativeError: QuantizationNumbers.finite($0.relativeError))
    }
    layers = cost.activations.map {
      Part(name: $0.name, shape: nil, relativeError: QuantizationNumbers.finite($0.relativeError))
    }
    scores = Scores(
      texts: cost.sampleCount, largestDifference: QuantizationNumbers.finite(cost.largestDifference),
      meanDifference: QuantizationNumbers.finite(cost.meanDifference),
      relativeError: QuantizationNumbers.finite(cost.relativeError), sameBest: cost.sameBest,
      sameBestThree: cost.sameBestThree)
  }

  var text: String {
    var lines = [
      "\(output): \(matrices.count) matrices in 8 bits, "
        + "\(QuantizationNumbers.megabytes(bytesBefore)) MB before and \(QuantizationNumbers.megabytes(bytesAfter)) MB now"
    ]
    let errors = matrices.compactMap(\.relativeError)
    if let worst = matrices.max(by: { $0.relativeError ?? 0 < $1.relativeError ?? 0 }) {
      lines.append(
        "matrices differ by \(QuantizationNumbers.percent(errors.reduce(0, +) / Double(max(1, errors.count)))) on average, at most by "
          + "\(QuantizationNumbers.percent(worst.relativeError)): \(ErrorReport.oneLine(worst.name))")
    }
    if scores.texts > 0 {
      lines.append("")
      var table = TextTable(alignments: [.left, .right, .right])
      table.add("layer", "worst matrix", "output")
      for layer in layers {
        let own = matrices.filter { $0.name.hasPrefix(layer.name + ".") }.compactMap(\.relativeError).max()
        table.add(
          ErrorReport.oneLine(layer.name), own.map(QuantizationNumbers.percent) ?? "",
          QuantizationNumbers.percent(layer.relativeError))
      }
      lines += table.lines
      lines += [
        "",
        "scores of \(scores.texts) texts differ by \(QuantizationNumbers.percent(scores.relativeError)): at most by "
          + "\(number(scores.largestDifference)), on average by \(number(scores.meanDifference))",
        "the best word is the same in \(scores.sameBest) of \(scores.texts), the three best in \(scores.sameBestThree)",
      ]
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private func number(_ value: Double?) -> String { value.map { NumberText.short($0) } ?? "what is not finite" }
}
