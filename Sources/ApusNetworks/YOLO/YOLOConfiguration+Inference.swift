import Apus

extension YOLOConfiguration {
  /// What network the weights are of, inferred from their names and shapes.
  ///
  /// The head's index gives the generation, the channels of the first convolution and the number of repeated blocks the
  /// size, the last convolutions of the head the classes and the numbers of a pose. Such a number that 3 divides is
  /// taken as keypoints of x, y and visibility, another one that 2 divides as keypoints of x and y.
  ///
  /// - Parameters:
  ///   - weights: the scope that holds `model`.
  ///   - keypointDimensions: 2 or 3, to decide where both are possible.
  /// - Throws: ``YOLOConfigurationError`` naming the parameter that fits no network; ``WeightsError``.
  public init(inferredFrom weights: Weights, keypointDimensions: Int? = nil) throws {
    let model = weights["model"]
    let generation = try Self.generation(model)
    let head = model[generation.headIndex]
    try self.init(
      generation: generation, size: Self.size(model, generation), classes: Self.outputs(head["cv3"]),
      keypoints: Self.keypoints(head, dimensions: keypointDimensions))
  }

  private static func generation(_ model: Weights) throws -> Generation {
    let named = Generation.allCases.filter { model[$0.headIndex].contains("cv2.0.2.weight") }
    guard let generation = named.first, named.count == 1 else {
      let names = Generation.allCases.map { model[$0.headIndex].fullName("cv2.0.2.weight") }
      throw YOLOConfigurationError(
        "not the parameters of a known network: of \(names.joined(separator: ", ")) there must be one, and there are "
          + "\(named.count)", file: model.file)
    }
    return generation
  }

  private static func size(_ model: Weights, _ generation: Generation) throws -> Size {
    let stem = model[0]["conv"]
    let shape = try stem.shape(of: "weight")
    // Repeated six times in v5 and v8 and twice in 11, before scaling.
    let repeated = model[4]["m"]
    let count = Set(repeated.names.map { $0.prefix { $0 != "." } }).count
    for size in Size.allCases {
      let candidate = try YOLOConfiguration(generation: generation, size: size, classes: 1)
      if shape.first == candidate.channels(64), count == candidate.repeats(generation == .v11 ? 2 : 6) { return size }
    }
    throw YOLOConfigurationError(
      "has the shape \(shape), and \(model[4].fullName("m")) \(count) blocks: no size of \(generation.rawValue) has "
        + "both", file: model.file, parameter: stem.fullName("weight"))
  }

  /// Outputs of the last convolution of a branch.
  private static func outputs(_ branch: Weights) throws -> Int {
    try branch["0"]["2"].shape(of: "weight").first ?? 0
  }

  private static func keypoints(_ head: Weights, dimensions: Int?) throws -> Keypoints? {
    let branch = head["cv4"]
    guard branch.contains("0.2.weight") else { return nil }
    if let mask = head["proto"].names.first {
      throw YOLOConfigurationError(
        "belongs to a segmentation network; only boxes and poses are known", file: head.file,
        parameter: head["proto"].fullName(mask))
    }
    let numbers = try outputs(branch)
    let possible = [3, 2].filter { numbers.isMultiple(of: $0) && dimensions ?? $0 == $0 }
    guard let dimensions = possible.first, numbers > 0 else {
      let expected = dimensions.map(String.init) ?? "2 or 3"
      throw YOLOConfigurationError(
        "has \(numbers) outputs, which is not a multiple of the \(expected) numbers of a keypoint", file: head.file,
        parameter: branch.fullName("0.2.weight"))
    }
    return Keypoints(count: numbers / dimensions, dimensions: dimensions)
  }
}

extension YOLOConfiguration {
  /// What messages call the network.
  var name: String {
    "YOLO \(generation.rawValue), size \(size.rawValue), for \(keypoints == nil ? "boxes" : "poses")"
  }
}
