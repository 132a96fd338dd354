import ApusMedia
import ApusNetworks

/// How the numbers that a detection network gives are to be read.
///
/// Anchors are the cells of maps with steps of 8, 16 and 32 pixels (and 64, where a network has four), row by row.
/// Boxes are in pixels of the network's input.
public enum DetectionLayout: String, Sendable, Hashable, CaseIterable {
  /// `[1, 4 + classes + keypoints, anchors]`: centre x and y, width, height, a score per class. YOLO v8, v9, 11, v5u.
  case v8
  /// The same with the last two axes exchanged.
  case v8Transposed = "v8-transposed"
  /// `[1, 3 · anchors, 5 + classes]`: centre x and y, width, height, a score for the box, a score per class; what
  /// counts is their product. YOLO v5, v7.
  case v5
  /// `[1, anchors, 5 + classes]`, boxes in cells relative to their anchor, sizes as logarithms. YOLOX as it is
  /// exported.
  case yolox
  /// The same with boxes in pixels: YOLOX exported with its decoder.
  case yoloxDecoded = "yolox-decoded"
  /// `[1, boxes, 6 + keypoints]`: left, top, right, bottom, score, class; suppression is part of the network. YOLO v10
  /// and exports with suppression inside.
  case endToEnd = "end-to-end"
  /// `[boxes, 7]`: picture, left, top, right, bottom, class, score; suppression is part of the network. YOLO v7
  /// exported end to end.
  case endToEndBatch = "end-to-end-batch"
  /// Two outputs, `[boxes, 4]`: centre x and y, width, height, as parts of the input's sides, and `[boxes, classes]`: a
  /// score per class. As one, their columns stand in this order. Core ML's own suppression gives these, and what goes
  /// into it.
  case boxesAndScores = "boxes-and-scores"

  /// Whether the network has dropped boxes that show the same thing.
  public var isSuppressed: Bool { self == .endToEnd || self == .endToEndBatch }

  /// Whether a score for the box precedes those of the classes.
  var hasObjectness: Bool { self == .v5 || self == .yolox || self == .yoloxDecoded }

  /// What networks of this layout usually want of a picture. YOLOX is trained on bytes in the order that its authors'
  /// reader gives, in the upper left corner.
  func usualInput(width: Int, height: Int) -> ImageInput {
    var input = ImageInput(width: width, height: height, fit: .letterbox, filter: .bilinear)
    if self == .yolox || self == .yoloxDecoded {
      (input.fit, input.order, input.normalization) = (.letterboxTopLeft, .bgr, .bytes)
    }
    return input
  }

  /// What messages call it.
  public var summary: String {
    switch self {
    case .v8: "YOLO v8 (a row a number, a column an anchor)"
    case .v8Transposed: "YOLO v8, transposed (a row an anchor)"
    case .v5: "YOLO v5 (three boxes a cell, with a score for the box)"
    case .yolox: "YOLOX, not decoded"
    case .yoloxDecoded: "YOLOX, decoded"
    case .endToEnd: "end to end, with suppression inside"
    case .endToEndBatch: "end to end for batches, with suppression inside"
    case .boxesAndScores: "boxes and scores apart, as Core ML has them"
    }
  }
}

/// What a detector reports of each object, and how its numbers are laid out.
public struct DetectionFormat: Sendable, Hashable {
  /// What rows and columns of the output mean.
  public var layout: DetectionLayout
  /// How many classes are distinguished; for ``DetectionLayout/endToEnd`` only known from names.
  public var classCount: Int?
  /// How many keypoints an object has and how many numbers each: x and y, or x, y and visibility.
  public var keypoints: YOLOConfiguration.Keypoints?
  /// The classes whose objects have keypoints, by index; all when nil.
  public var keypointClasses: Set<Int>?
  /// How many numbers of an object say which part each prototype has in its mask; 0 without masks.
  public var maskCoefficients = 0
  /// Whether boxes are turned: the last number of an object is the angle, and boxes are centre, width and height in all
  /// layouts.
  public var isRotated = false
  /// What the scores are.
  public var scores = ScoreScale.probabilities

  /// Keypoints, where there are any, belong to objects of all classes until ``keypointClasses`` says otherwise.
  public init(layout: DetectionLayout, classCount: Int?, keypoints: YOLOConfiguration.Keypoints? = nil) {
    self.layout = layout
    self.classCount = classCount
    self.keypoints = keypoints
  }

  /// The most numbers of one kind that an object may have: sums and products of these never overflow.
  private static let most = 1 << 24

  /// - Throws: ``DetectorError`` naming the number that makes no sense.
  public func validate() throws(DetectorError) {
    func check(_ count: Int, _ name: String) throws(DetectorError) {
      guard 0...Self.most ~= count else {
        throw DetectorError(.badOption("the format has \(count) \(name); 0 to \(Self.most) was expected"))
      }
    }
    if let classCount { try check(classCount, "classes") }
    try check(maskCoefficients, "coefficients of a mask")
    guard let keypoints else { return }
    try check(keypoints.count, "keypoints")
    guard 2...3 ~= keypoints.dimensions else {
      throw DetectorError(
        .badOption("a keypoint of the format has \(keypoints.dimensions) numbers; 2 or 3 was expected"))
    }
  }

  /// Where the numbers of the keypoints are.
  var keypointNumbers: Range<Int> {
    let first = layout.isSuppressed ? 6 : (layout.hasObjectness ? 5 : 4) + (classCount ?? 0)
    return first..<first + (keypoints?.numbers ?? 0)
  }

  /// Where the coefficients of the mask are.
  var maskNumbers: Range<Int> { keypointNumbers.upperBound..<keypointNumbers.upperBound + maskCoefficients }

  /// Where the angle is.
  var angleNumbers: Range<Int> { maskNumbers.upperBound..<maskNumbers.upperBound + (isRotated ? 1 : 0) }
}
