import Apus

/// A YOLO network: finds objects, or people and their joints, in pictures.
///
/// Generations v8, v5 with the anchor-free head ("v5u"), and 11, in the sizes n, s, m, l and x; heads for boxes and for
/// poses. Parameters have the names of the usual checkpoints, such as `model.0.conv.weight`.
///
/// ```swift
/// let network = try YOLO<Float>(path: "yolov8n.safetensors")
/// let found = try Execution.with(precision: .fast) { try network(pictures) }   // [batch, 84, anchors]
/// ```
///
/// Pictures are `[batch, 3, height, width]`, red, green and blue from 0 to 1; height and width are multiples of 32.
/// What comes out has a column for each anchor, a cell of one of three maps with steps of 8, 16 and 32 pixels: centre
/// x, centre y, width and height of a box in pixels of the picture, a score from 0 to 1 for each class, and for poses x
/// and y in pixels and visibility from 0 to 1 of each keypoint. Choosing among boxes that overlap is left to the
/// caller.
public struct YOLO<Scalar: FloatingPointScalar>: Sendable {
  /// Generation, size, classes and keypoints, given or inferred from the weights.
  public let configuration: YOLOConfiguration
  private let body: any YOLOBody<Scalar>
  private let head: YOLOHead<Scalar>

  /// Height and width of a picture are multiples of it.
  public static var stride: Int { 32 }

  /// Builds the network.
  ///
  /// - Parameters:
  ///   - weights: the scope that holds `model`. Batch normalisations are folded into the convolutions before them;
  ///     weights in which they were folded already are accepted.
  ///   - configuration: what network it is; inferred from the weights when absent.
  /// - Throws: ``WeightsError`` for a parameter that is missing, has another shape than the configuration asks for, or
  ///   that the network does not have; ``YOLOConfigurationError`` when the weights are those of no known network.
  public init(_ weights: Weights, configuration: YOLOConfiguration? = nil) throws {
    let configuration = try configuration ?? YOLOConfiguration(inferredFrom: weights)
    let model = weights["model"]
    body =
      switch configuration.generation {
      case .v5u: try YOLOv5Body(model, configuration)
      case .v8: try YOLOv8Body(model, configuration)
      case .v11: try YOLO11Body(model, configuration)
      }
    head = try YOLOHead(model[configuration.generation.headIndex], configuration)
    self.configuration = configuration
    try model.refuseUnused(for: configuration.name)
  }

  /// Boxes, scores and keypoints, `[batch, 4 + classes + keypoints, anchors]`, of pictures `[batch, 3, height, width]`.
  /// - Throws: ``TensorError/shape(operation:reason:)`` for another shape, and sizes that are not multiples of 32.
  public func callAsFunction(_ pictures: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try maps(of: pictures).predictions()
  }

  /// What ``callAsFunction(_:)`` decodes.
  /// - Throws: ``TensorError/shape(operation:reason:)`` for another shape, and sizes that are not multiples of 32.
  public func maps(of pictures: Tensor<Scalar>) throws -> YOLOMaps<Scalar> {
    try checkShape(pictures)
    return try head(body(pictures))
  }

  private func checkShape(_ pictures: Tensor<Scalar>) throws {
    guard pictures.rank == 4, pictures.shape[1] == 3 else {
      throw TensorError.shape(
        operation: "YOLO", reason: "pictures have the shape \(pictures.shape), expected [batch, 3, height, width]")
    }
    let (height, width) = (pictures.shape[2], pictures.shape[3])
    guard height > 0, width > 0, height.isMultiple(of: Self.stride), width.isMultiple(of: Self.stride) else {
      throw TensorError.shape(
        operation: "YOLO",
        reason: "pictures are \(height) high and \(width) wide, expected positive multiples of the stride "
          + "\(Self.stride)")
    }
  }
}
