import Apus
import ApusMedia
import ApusVision

/// What networks give, read as boxes and as breeds: numbers of any kind, in shapes of any layout.
struct NetworkOutputsTarget: FuzzTarget {
  let name = "network-outputs"
  let summary = "outputs of detectors and classifiers: every layout, numbers that are not finite"

  /// Layout, classes, keypoints, anchors, options; then the numbers, repeated as often as the shape needs.
  func seeds() -> [[UInt8]] {
    let numbers: [Float] = [12, 20, 8, 9, 0.9, 0.2, 0.7, 1, 30, 5, 4, 4, 0.1, 0.8]
    let data = numbers.flatMap { number in withUnsafeBytes(of: number.bitPattern.littleEndian) { Array($0) } }
    return [1, 8, 16].flatMap { options in
      DetectionLayout.allCases.indices.map { [UInt8($0), 2, UInt8($0 % 3), 20, options, 128] + data }
    }
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    guard input.count >= 10 else { return .refused }
    let layout = DetectionLayout.allCases[Int(input[0]) % DetectionLayout.allCases.count]
    let classes = Int(input[1] % 8)
    let (points, anchors) = (Int(input[2] % 4), Int(input[3]))
    let numbers = stride(from: 6, through: input.count - 4, by: 4).map { place in
      Float(bitPattern: UInt32(littleEndian: input.loadUnaligned(fromByteOffset: place, as: UInt32.self)))
    }
    var options = DetectionOptions()
    options.isClassAgnostic = input[4] & 1 == 1
    options.confidence = input[4] & 2 == 2 ? 0 : 0.25
    options.maximumCount = Int(input[5])
    var format = DetectionFormat(
      layout: layout, classCount: classes,
      keypoints: points > 0 ? .init(count: points, dimensions: 2 + Int(input[4] >> 2 & 1)) : nil)
    format.isRotated = input[4] & 8 == 8
    format.maskCoefficients = input[4] & 16 == 16 ? 2 : 0
    let found = try detections(format, anchors, numbers, options)
    return try classify(numbers) == .accepted ? .accepted : found
  }

  private func detections(
    _ format: DetectionFormat, _ anchors: Int, _ numbers: [Float], _ options: DetectionOptions
  ) throws(FuzzFinding) -> FuzzOutcome {
    let extra = (format.keypoints?.numbers ?? 0) + format.maskCoefficients + (format.isRotated ? 1 : 0)
    let width =
      (format.layout == .v5 || format.layout == .yolox || format.layout == .yoloxDecoded ? 5 : 4)
      + (format.classCount ?? 0) + extra
    let shape =
      switch format.layout {
      case .v8: [1, width, anchors]
      case .endToEndBatch: [anchors, 7]
      case .boxesAndScores: [anchors, width]
      case .endToEnd: [1, anchors, 6 + extra]
      default: [1, anchors, width]
      }
    return try outcome(allowing: DetectorError.self, ImageError.self, TensorError.self) {
      func tensor(_ shape: [Int]) throws -> Tensor<Float> {
        try Tensor<Float>((0..<shape.reduce(1, *)).map { numbers[$0 % numbers.count] }, shape: shape)
      }
      let prototypes = try format.maskCoefficients > 0 ? tensor([1, format.maskCoefficients, 8, 8]) : nil
      let letterbox = try Letterbox(imageWidth: 64, imageHeight: 48, width: 32, height: 32)
      let decoder = DetectionDecoder(format: format, inputWidth: 32, inputHeight: 32)
      let found = try decoder.detections(
        in: tensor(shape), prototypes: prototypes, letterbox: letterbox, options: options)
      guard found.count <= options.maximumCount,
        found.allSatisfy({ $0.score > options.confidence && $0.score.isFinite && $0.classIndex >= 0 })
      else { throw FuzzFinding(message: "a detection that was not to be reported") }
    }
  }

  private func classify(_ numbers: [Float]) throws(FuzzFinding) -> FuzzOutcome {
    try outcome(allowing: ClassScoringError.self) {
      let prediction = try BreedPrediction(classes: (0..<120).map { numbers[$0 % numbers.count] })
      let sum = prediction.ranking.entries.reduce(0) { $0 + $1.probability }
      guard prediction.ranking.top?.displayName.isEmpty == false else {
        throw FuzzFinding(message: "the likeliest breed has no name")
      }
      guard abs(sum - 1) < 1e-6 else { throw FuzzFinding(message: "probabilities add up to \(sum)") }
    }
  }
}
