import Apus

/// What the head of a YOLO network gives before it is decoded: a tensor for each step of 8, 16 and 32 pixels.
public struct YOLOMaps<Scalar: FloatingPointScalar>: Sendable {
  /// `[batch, 64, rows, columns]` each: for the left, upper, right and lower side of a box the logarithms, up to a
  /// constant, of how likely it is 0, 1, … 15 cells away from the cell's centre.
  public let boxes: [Tensor<Scalar>]
  /// `[batch, classes, rows, columns]` each: scores before the logistic function.
  public let scores: [Tensor<Scalar>]
  /// `[batch, keypoints · dimensions, rows, columns]` each, for a pose network; else empty.
  public let keypoints: [Tensor<Scalar>]

  let configuration: YOLOConfiguration
  /// `[bins, 1]`.
  let distances: Tensor<Scalar>
}

extension YOLOMaps {
  /// Boxes in pixels, scores from 0 to 1, and keypoints in pixels: `[batch, 4 + classes + keypoints, anchors]`.
  ///
  /// Anchors are the cells of the three maps, row by row. A side's distance is the mean of its distribution:
  ///
  ///     p = softmax(box)                     d = Σ p · [0, 1, … 15]
  ///     low = centre - (d_left, d_upper)     high = centre + (d_right, d_lower)
  ///     box = ((low + high) / 2, high - low) · step
  ///     keypoint = (2 · (x, y) + corner) · step
  public func predictions() throws -> Tensor<Scalar> {
    let grid = try AnchorGrid<Scalar>(maps: boxes)
    var rows = [try decodedBoxes(grid), try sigmoid(Self.joined(scores))]
    if let shape = configuration.keypoints { rows.append(try decodedKeypoints(shape, grid)) }
    return try concatenate(rows, axis: 1)
  }

  private func decodedBoxes(_ grid: AnchorGrid<Scalar>) throws -> Tensor<Scalar> {
    let sides = try concatenate(boxes.map { try distances(ofSidesIn: $0) }, axis: 2)
    let low = try grid.centers - sides.sliced(axis: 1, to: 2)
    let high = try grid.centers + sides.sliced(axis: 1, from: 2)
    return try concatenate([(low + high) / 2, high - low], axis: 1) * grid.steps
  }

  /// How far the sides are from the centre of each cell of a map, in cells: `[batch, 4, cells]`.
  private func distances(ofSidesIn map: Tensor<Scalar>) throws -> Tensor<Scalar> {
    let (batch, cells) = (map.shape[0], map.shape[2] * map.shape[3])
    let probabilities = try softmax(map.reshaped([batch, 4, YOLOConfiguration.bins, cells]), axis: 2)
    return try (probabilities * distances).sum(axes: [2])
  }

  private func decodedKeypoints(
    _ shape: YOLOConfiguration.Keypoints, _ grid: AnchorGrid<Scalar>
  ) throws -> Tensor<Scalar> {
    let joined = try Self.joined(keypoints)
    let points = try joined.reshaped([joined.shape[0], shape.count, shape.dimensions, grid.count])
    let corners = try grid.centers - 0.5
    let places = try (points.sliced(axis: 2, to: 2) * 2 + corners) * grid.steps
    let visibility = try sigmoid(points.sliced(axis: 2, from: 2))
    return try concatenate([places, visibility], axis: 2).reshaped(joined.shape)
  }

  /// `[batch, channels, anchors]` of the three maps.
  static func joined(_ maps: [Tensor<Scalar>]) throws -> Tensor<Scalar> {
    try concatenate(maps.map { try $0.flattened(from: 2) }, axis: 2)
  }
}

/// Where the cells of the three maps are.
struct AnchorGrid<Scalar: FloatingPointScalar>: Sendable {
  /// x and y of each cell's centre, in cells of its map: `[2, anchors]`.
  let centers: Tensor<Scalar>
  /// Pixels a cell, `[1, anchors]`.
  let steps: Tensor<Scalar>

  var count: Int { centers.shape[1] }

  init(maps: [Tensor<Scalar>]) throws {
    var (centers, steps): ([Tensor<Scalar>], [Tensor<Scalar>]) = ([], [])
    for (map, step) in zip(maps, YOLOConfiguration.strides) {
      let size = [map.shape[2], map.shape[3]]
      let x = try (Tensor<Scalar>(range: size[1]) + 0.5).expanded(to: size).flattened()
      let y = try (Tensor<Scalar>(range: size[0]) + 0.5).reshaped([size[0], 1]).expanded(to: size).flattened()
      centers.append(try stack([x, y], axis: 0))
      steps.append(try Tensor(repeating: Scalar(step), shape: [1, x.count]))
    }
    self.centers = try concatenate(centers, axis: 1)
    self.steps = try concatenate(steps, axis: 1)
  }
}
