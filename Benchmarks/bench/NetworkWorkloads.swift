import Apus
import ApusNetworks

/// Whole networks with the weights that their golden files describe, `exact` and `fast`.
func networkWorkloads() -> [Workload] {
  NetworkCase.all.flatMap { network in
    network.precisions.map { precision in
      Workload(
        name: "network\(precision == .fast ? "-fast" : "")/\(network.label)", shape: network.shape,
        cost: .operations(network.operations), twin: Twin(network: network.name)
      ) {
        let body = try network.prepare(network.model())
        return { try Execution.with(precision: precision, body) }
      }
    }
  }
}

/// A network, and what of it is run.
struct NetworkCase: Sendable {
  let name: String
  var label: String
  let shape: String
  /// Floating-point operations of convolutions and matrix products; a multiply-add counts twice.
  let operations: Double
  var precisions: [Execution.Precision] = [.exact, .fast]
  /// The sample of the golden file; its first when nil.
  var sample: String?
  private let body: @Sendable (any VerifiableModel<Float>, SampleInputs) throws -> Workload.Body

  static let all = [
    NetworkCase("yolov8n", "3×640×640 → 84×8400", operations: 8.7e9, body: detections),
    NetworkCase("yolov8n-pose", "3×256×192", operations: 1.1e9, body: detections),
    NetworkCase("yolov8s", "3×192×256", operations: 3.4e9, body: detections),
    NetworkCase("yolov5nu", "3×320×256", operations: 1.5e9, body: detections),
    NetworkCase("yolo11n", "3×256×320", operations: 1.3e9, body: detections),
    NetworkCase("mobilenet_v2", "3×224×224 → 1000", operations: 0.6e9, precisions: [.exact], body: logits),
    NetworkCase("resnet18", "2×3×64×96 → 10", operations: 0.89e9, sample: "small", body: logits),
    NetworkCase("resnet50", "3×224×224 → 1000", operations: 8.2e9, body: logits),
    NetworkCase("inception_v3", "3×299×299 → 1000", operations: 11.4e9, body: logits),
    NetworkCase(
      "mobilebert", "32 tokens → 32×30522", operations: 2.3e9, precisions: [.exact], sample: "sentence",
      body: logits),
    NetworkCase(
      "mobilebert", label: "mobilebert-mask", "32 tokens → 1×30522", operations: 1.4e9, precisions: [.exact],
      sample: "sentence", body: maskedLogits),
    NetworkCase(
      "bert", "32 tokens, 4 layers of 256", operations: 0.71e9, precisions: [.exact], sample: "sentence",
      body: logits),
    NetworkCase("tcn", "24×48×60 → 21", operations: 0.52e9, precisions: [.exact], sample: "window", body: logits),
    NetworkCase("lstm", "24×48×60 → 21", operations: 0.45e9, precisions: [.exact], sample: "window", body: logits),
    NetworkCase("gru", "24×48×60 → 21", operations: 0.51e9, precisions: [.exact], sample: "window", body: logits),
  ]

  init(
    _ name: String, label: String? = nil, _ shape: String, operations: Double,
    precisions: [Execution.Precision] = [.exact, .fast], sample: String? = nil,
    body: @escaping @Sendable (any VerifiableModel<Float>, SampleInputs) throws -> Workload.Body
  ) {
    (self.name, self.label, self.shape, self.operations) = (name, label ?? name, shape, operations)
    (self.precisions, self.sample, self.body) = (precisions, sample, body)
  }
}

extension NetworkCase {
  private var shipped: ShippedModel {
    get throws {
      guard let model = ShippedModel.all.first(where: { $0.name == name }) else {
        throw BenchmarkUnavailable("there is no network \(name)")
      }
      return model
    }
  }

  /// A safetensors file of weights; `nil` for generated ones.
  func model(weights path: String? = nil) throws -> any VerifiableModel<Float> {
    do { return try shipped.model(weights: path) } catch let error as WeightsLocatorError {
      throw BenchmarkUnavailable("\(error)")
    }
  }

  /// What is to be measured, on the golden file's first sample.
  func prepare(_ model: any VerifiableModel<Float>) throws -> Workload.Body {
    let golden = try shipped.goldenSamples()
    return try body(model, golden.inputs(of: sample ?? golden.sampleNames[0]))
  }
}

/// An output of a network for one sample.
private func logits(_ model: any VerifiableModel<Float>, _ inputs: SampleInputs) throws -> Workload.Body {
  { try model.outputs(for: inputs)["logits"]?.rowMajor }
}

private func detections(_ model: any VerifiableModel<Float>, _ inputs: SampleInputs) throws -> Workload.Body {
  guard let network = model as? YOLO<Float> else { throw BenchmarkUnavailable("it is no YOLO network") }
  let pictures: Tensor<Float> = try inputs.single()
  return { try network(pictures).rowMajor }
}

/// The logits of one position only, as a keyboard needs them.
private func maskedLogits(_ model: any VerifiableModel<Float>, _ inputs: SampleInputs) throws -> Workload.Body {
  guard let network = model as? MobileBERTForMaskedLM<Float> else { throw BenchmarkUnavailable("it is no MobileBERT") }
  let input = TokenInput(
    ids: try inputs.tensor("input_ids"), attentionMask: try inputs.optional("attention_mask"),
    tokenTypes: try inputs.optional("token_type_ids"))
  let position = try Tensor<Int64>([Int64(input.ids.shape[1] - 2)], shape: [1, 1])
  return { try network.logits(input, at: position) }
}
