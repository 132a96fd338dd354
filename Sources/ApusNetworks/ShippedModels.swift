extension ShippedModel {
  /// Every one of them.
  public static let all: [ShippedModel] =
    [
      ShippedModel(
        name: "behavior-classifier", weights: BehaviorClassifier<Float>.shippedFile,
        golden: "behavior/samples/golden.safetensors", single: BehaviorClassifier<Float>.self,
        double: BehaviorClassifier<Double>.self)
    ] + yolo + textModels + imageClassifiers + temporalModels
}
