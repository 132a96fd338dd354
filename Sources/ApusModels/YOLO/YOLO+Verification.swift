import Apus

extension YOLO: VerifiableModel {
  public init(verifying weights: Weights, metadata: [String: String]) throws {
    try self.init(weights, configuration: YOLOConfiguration(metadata: metadata, file: weights.file))
  }

  /// `output`, and what it was decoded from: `map.0`, `map.1` and `map.2`, boxes before scores, and `keypoints`.
  public func outputs(for inputs: SampleInputs) throws -> [String: Tensor<Scalar>] {
    let maps = try maps(of: inputs.single())
    var outputs = ["output": try maps.predictions()]
    for (index, pair) in zip(maps.boxes, maps.scores).enumerated() {
      outputs["map.\(index)"] = try concatenate([pair.0, pair.1], axis: 1)
    }
    if !maps.keypoints.isEmpty { outputs["keypoints"] = try YOLOMaps.joined(maps.keypoints) }
    return outputs
  }
}

extension ShippedModel {
  /// Every generation and both heads, at sizes that are quick to check.
  static let yolo = ["yolov8n", "yolov8n-pose", "yolov8s", "yolov5nu", "yolo11n"].map {
    ShippedModel(name: $0, single: YOLO<Float>.self, double: YOLO<Double>.self)
  }
}
