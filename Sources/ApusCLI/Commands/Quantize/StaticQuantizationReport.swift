import Apus
import ApusGraph

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
  var outputs: [Output]

  enum CodingKeys: String, CodingKey {
    case input, output, samples, probes, range, tolerance, layers, outputs
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
    outputs = choice.error.outputs.map {
      Output(name: $0.name, relativeError: QuantizationNumbers.finite($0.relativeError))
    }
  }

  private var shownLayers: Int { 12 }

  var text: String {
    let quantized = layers.count { $0.isQuantized }
    var lines = [
      "\(output): \(quantized) of \(layers.count) layers in 8 bits, \(QuantizationNumbers.megabytes(bytesBefore)) MB before and "
        + "\(QuantizationNumbers.megabytes(bytesAfter)) MB now",
      "levels by \(range), from \(samples) \(samples == 1 ? "sample" : "samples")", "",
    ]
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
    lines.append("")
    let differences = outputs.map {
      "\(ErrorReport.oneLine($0.name)) by \(QuantizationNumbers.percent($0.relativeError))"
    }
    lines.append(
      "on \(probes) \(probes == 1 ? "sample" : "samples") outputs differ: "
        + (differences.isEmpty ? "none is of floats" : differences.prefix(8).joined(separator: ", "))
        + (differences.count > 8 ? ", …" : ""))
    if let relativeError, relativeError > tolerance {
      lines.append("that is beyond --tolerance \(NumberText.short(tolerance)): more samples, or --keep more layers")
    }
    return lines.map { $0 + "\n" }.joined()
  }

}
