import Apus
import ApusCoreML
import ApusGraph
import ApusMedia

/// What `apus quantize` says of a model without samples: how its weights are stored, and what quantises it.
struct StoredWeightsReport: Encodable {
  struct Form: Encodable {
    var form: String
    var tensors: Int
    var elements: Int
    var bytes: Int
    /// Of each number.
    var bits: Double
  }

  var input: String
  var format: String
  var weights: [Form]
  var advice: String

  init(input: String, of model: any GraphModel) {
    self.input = input
    format = model.summary.format.name
    let forms = StoredWeights(model.graph).forms
    weights = forms.map {
      Form(form: $0.name, tensors: $0.tensors, elements: $0.elements, bytes: $0.bytes, bits: $0.bits)
    }
    advice =
      forms.contains(where: \.isPlain)
      ? Self.calibration(input) + "\n" + Self.advice(input, model) : "nothing in it is left to quantise"
  }

  var text: String {
    let bytes = weights.reduce(0) { $0.addingClamped($1.bytes) }
    var lines = [
      "\(ErrorReport.oneLine(input)): \(format), \(ByteText.size(bytes)) of weights with two axes and more"
    ]
    if !weights.isEmpty {
      var table = TextTable(alignments: [.left, .right, .right, .right, .right])
      table.add("stored as", "tensors", "numbers", "size", "bits each")
      for form in weights {
        table.add(
          form.form, CountText.grouped(form.tensors), CountText.grouped(form.elements), ByteText.size(form.bytes),
          NumberText.fixed(form.bits, decimals: 2))
      }
      lines += [""] + table.lines.map { "  " + $0 }
    }
    return (lines + ["", advice]).map { $0 + "\n" }.joined()
  }

  /// What this command does about them.
  private static func calibration(_ path: String) -> String {
    """
    to quantise it, with samples of what it is for, pictures or arrays:
      apus quantize \(ForeignMedia.shellQuoted(ErrorReport.oneLine(path))) quantized.onnx --calibrate samples
    """
  }

  /// What else there is for matrices that are plain numbers.
  private static func advice(_ path: String, _ model: any GraphModel) -> String {
    let path = ErrorReport.oneLine(path)
    guard let model = model as? CoreMLModel else {
      return """
        or without samples, in Python:
          from onnxruntime.quantization import quantize_dynamic
          quantize_dynamic("\(path)", "quantized.onnx")
        """
    }
    let opening = """
      or its weights alone, in Python:
        import coremltools as ct
        model = ct.models.MLModel("\(path)", skip_model_load=True)
      """
    switch model.kind {
    case "mlProgram":
      return opening + """

          import coremltools.optimize.coreml as cto
          options = cto.OptimizationConfig(cto.OpLinearQuantizerConfig(mode="linear_symmetric"))
          cto.linear_quantize_weights(model, options).save("quantized.mlpackage")
        """
    case let kind where kind.hasPrefix("neuralNetwork"):
      return opening + """

          from coremltools.models.neural_network.quantization_utils import quantize_weights
          quantize_weights(model, nbits=8).save("quantized.mlmodel")
        """
    case let kind where kind.hasPrefix("pipeline"):
      return "or quantise the models that it is made of, and join them again"
    default: return "coremltools has nothing for models of this kind (\(model.kind))"
    }
  }
}
