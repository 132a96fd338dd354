import Apus
import ApusGraph
import ApusVision

/// What `apus quantize --calibrate` says.
struct StaticQuantizationReport: Encodable {
  struct Layer: Encodable {
    var name: String
    var operatorName: String
    var shape: [Int]
    /// How far the weight's bytes are from it.
    var weightError: Double
    /// How far the model's outputs are from what they were with this layer alone in eight bits.
    var relativeError: Double?
    var isQuantized: Bool

    enum CodingKeys: String, CodingKey {
      case name, shape
      case operatorName = "operator"
      case weightError = "weight_error"
      case relativeError = "relative_error"
      case isQuantized = "quantized"
    }
  }

  /// A convolution or a product that is no layer.
  struct Exception: Encodable {
    var name: String
    var operatorName: String
    var reason: String

    enum CodingKeys: String, CodingKey {
      case name, reason
      case operatorName = "operator"
    }
  }

  struct Output: Encodable {
    var name: String
    var relativeError: Double?

    enum CodingKeys: String, CodingKey {
      case name
      case relativeError = "relative_error"
    }
  }

  var input: String
  var output: String
  var bytesBefore: Int
  var bytesAfter: Int
  var samples: Int
  var probes: Int
  var range: String
  var tolerance: Double
  var relativeError: Double?
  var layers: [Layer]
  var exceptions: [Exception]
  var outputs: [Output]
  /// How pictures were prepared, and what that rests on; nil for other samples.
  var preprocessing: String?
  /// How far the objects are the same that the model finds before and now; nil for a model that is no detector.
  var detections: DetectionAgreement?

  enum CodingKeys: String, CodingKey {
    case input, output, samples, probes, range, tolerance, layers, exceptions, outputs, preprocessing, detections
    case bytesBefore = "bytes_before"
    case bytesAfter = "bytes_after"
    case relativeError = "relative_error"
  }

  init(
    input: String, output: String, bytes: (before: Int, after: Int), probes: Int, range: String, tolerance: Double,
    of quantization: StaticQuantization, _ choice: QuantizationChoice
  ) {
    (self.input, self.output, self.probes, self.range, self.tolerance) = (input, output, probes, range, tolerance)
    (bytesBefore, bytesAfter) = bytes
    samples = quantization.sampleCount
    relativeError = QuantizationNumbers.finite(choice.error.total)
    layers = quantization.layers.enumerated().map { index, layer in
      Layer(
        name: layer.name, operatorName: "\(layer.operatorName)", shape: layer.shape, weightError: layer.weightError,
        relativeError: QuantizationNumbers.finite(choice.effects[index]), isQuantized: choice.layers.contains(index))
    }
    exceptions = quantization.exceptions.map {
      Exception(name: $0.name, operatorName: "\($0.operatorName)", reason: $0.reason)
    }
    outputs = choice.error.outputs.map {
      Output(name: $0.name, relativeError: QuantizationNumbers.finite($0.relativeError))
    }
  }

  private var shownLayers: Int { 12 }

  var text: String {
    let quantized = layers.count { $0.isQuantized }
    var lines = [
      "\(output): \(quantized) of \(layers.count) layers in 8 bits, "
        + "\(QuantizationNumbers.megabytes(bytesBefore)) MB before and "
        + "\(QuantizationNumbers.megabytes(bytesAfter)) MB now",
      "levels by \(range), from \(samples) \(samples == 1 ? "sample" : "samples")",
    ]
    if let preprocessing { lines.append("pictures brought to \(preprocessing)") }
    lines.append("")
    var table = TextTable(alignments: [.left, .left, .right, .right, .left])
    table.add("layer", "weight", "its error", "effect", "")
    let order = layers.sorted { ($0.relativeError ?? .infinity) > ($1.relativeError ?? .infinity) }
    for layer in order.prefix(shownLayers) {
      table.add(
        ErrorReport.oneLine(layer.name), layer.shape.map(String.init).joined(separator: "×"),
        QuantizationNumbers.percent(layer.weightError),
        QuantizationNumbers.percent(layer.relativeError), layer.isQuantized ? "" : "left in floats")
    }
    lines += table.lines
    if layers.count > shownLayers {
      lines.append("… \(layers.count - shownLayers) more with less effect (--json: all)")
    }
    lines += exceptionLines
    lines.append("")
    let differences = outputs.map {
      "\(ErrorReport.oneLine($0.name)) by \(QuantizationNumbers.percent($0.relativeError))"
    }
    lines.append(
      "on \(probes) \(probes == 1 ? "sample" : "samples") outputs differ: "
        + differences.prefix(8).joined(separator: ", ")
        + (differences.count > 8 ? ", …" : ""))
    if let relativeError, relativeError > tolerance {
      lines.append("that is beyond --tolerance \(NumberText.short(tolerance)): more samples, or --keep more layers")
    }
    if let detections {
      lines.append(
        "in \(detections.pictures) \(detections.pictures == 1 ? "picture" : "pictures") \(detections.matched) of "
          + "\(detections.matched + detections.missed) objects are found again, and \(detections.added) others")
    }
    return lines.map { $0 + "\n" }.joined()
  }

  /// What stays in floats whatever it costs, and why.
  private var exceptionLines: [String] {
    var reasons: [String] = []
    for exception in exceptions where !reasons.contains(exception.reason) { reasons.append(exception.reason) }
    return reasons.map { reason in
      let names = exceptions.filter { $0.reason == reason }.map { "'\(ErrorReport.oneLine($0.name))'" }
      return "in floats always, \(reason): " + names.prefix(3).joined(separator: ", ")
        + (names.count > 3 ? " and \(names.count - 3) more" : "")
    }
  }

  /// What the differences of the outputs do not show: that a detector finds other objects than before, or that the
  /// pictures show none.
  var warning: String? {
    guard let detections, detections.pictures > 0 else { return nil }
    let before = detections.matched + detections.missed
    if before == 0 {
      return "\(input): finds nothing in these pictures in floats either: are they what it is for, and prepared as it "
        + "wants them?"
    }
    guard detections.missed + detections.added > before / 2 else { return nil }
    return
      "\(output): of \(before) objects it finds \(detections.matched) again, and \(detections.added) others: do not "
      + "use it as it is"
  }
}

extension DetectionAgreement: Encodable {
  private enum CodingKeys: String, CodingKey { case pictures, matched, missed, added }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(pictures, forKey: .pictures)
    try container.encode(matched, forKey: .matched)
    try container.encode(missed, forKey: .missed)
    try container.encode(added, forKey: .added)
  }
}
