import Apus

extension YOLO: VerifiableModel {
  /// The network, with the ``YOLOConfiguration`` that the metadata may hold under `configuration`; inferred from the
  /// weights otherwise.
  public init(verifying weights: Weights, metadata: [String: String]) throws {
    try self.init(weights, configuration: YOLOConfiguration(metadata: metadata, file: weights.file))
  }

  /// Pictures, `[batch, 3, height, width]`.
  public var expectedInputs: [ExpectedInput] { [ExpectedInput(extents: [nil, 3, nil, nil])] }

  /// The `predictions` as exporters write them, their rows `boxes`, `scores` and `keypoints`, and what they were decoded
  /// from: `map.0`, `map.1` and `map.2`, boxes before scores, and `map.keypoints`.
  public func outputs(for inputs: SampleInputs) throws -> [String: Tensor<Scalar>] {
    let maps = try maps(of: inputs.single())
    let predictions = try maps.predictions()
    let firstKeypoint = 4 + configuration.classes
    var outputs = [
      "predictions": predictions,
      "boxes": try predictions.sliced(axis: 1, to: 4),
      "scores": try predictions.sliced(axis: 1, from: 4, to: firstKeypoint),
    ]
    for (index, pair) in zip(maps.boxes, maps.scores).enumerated() {
      outputs["map.\(index)"] = try concatenate([pair.0, pair.1], axis: 1)
    }
    if !maps.keypoints.isEmpty {
      outputs["keypoints"] = try predictions.sliced(axis: 1, from: firstKeypoint)
      outputs["map.keypoints"] = try YOLOMaps.joined(maps.keypoints)
    }
    return outputs
  }
}

extension ShippedModel {
  /// Every generation and both heads, at sizes that are quick to check.
  static let yolo = ["yolov8n", "yolov8n-pose", "yolov8s", "yolov5nu", "yolo11n"].map {
    ShippedModel(name: $0, single: YOLO<Float>.self, double: YOLO<Double>.self, isReadFromWeights: true)
  }
}
