import Apus
import ApusMotion
import ApusVision

/// What the points of a detector are called, and how they are written.
struct PosePoints {
  /// A name for each point.
  let names: [String]
  /// What was only assumed of the names, in words; nil where they are known.
  private(set) var assumed: String?
  /// Of a detector of animals which of its points are those of a dog.
  private let animal: KeypointNames?

  /// The joints of a person, as COCO has them.
  private static let coco = [
    "nose", "left_eye", "right_eye", "left_ear", "right_ear", "left_shoulder", "right_shoulder", "left_elbow",
    "right_elbow", "left_wrist", "right_wrist", "left_hip", "right_hip", "left_knee", "right_knee", "left_ankle",
    "right_ankle",
  ]
  /// Those of an animal, as AP-10K has them.
  private static let ap10k = [
    "left_eye", "right_eye", "nose", "neck", "root_of_tail", "left_shoulder", "left_elbow", "left_front_paw",
    "right_shoulder", "right_elbow", "right_front_paw", "left_hip", "left_knee", "left_back_paw", "right_hip",
    "right_knee", "right_back_paw",
  ]
  private static let known = ["coco": coco, "ap-10k": ap10k, "stanford-extra": StanfordExtraJoint.names]

  /// - Parameter stated: a known set, names separated by commas, or a file of names.
  /// - Throws: ``CommandFailure`` for a detector without points, and another number of names.
  init(of detector: Detector, stated: String?) throws {
    guard let count = detector.format.keypoints?.count else {
      throw CommandFailure(.badData, "\(detector.file): finds boxes and no points; a model for poses was expected")
    }
    if let stated {
      names = try Self.names(stated)
      guard names.count == count else {
        throw CommandFailure(.usage, "--points: there are \(names.count) names, and the model finds \(count) points")
      }
    } else if let written = detector.keypointNames, written.count == count {
      names = written
    } else if count == Self.coco.count,
      ["person", nil].contains(detector.classNames.first) || detector.classNames.contains("person")
    {
      names = Self.coco
    } else if let (set, found) = Self.known.first(where: { $0.key != "coco" && $0.value.count == count }) {
      names = found
      assumed =
        "nothing says what its \(count) points are called; they are taken for those of \(set). If that is wrong, so is "
        + "every pose: --points says it"
    } else {
      names = (0..<count).map { "point_\($0)" }
    }
    animal = KeypointNames(ofAnimal: names)
  }

  /// Adds what is read of `--points` to a plan.
  static func plan(_ stated: String, _ files: inout FilePlan) {
    if known[stated.lowercased()] == nil { files.reads(stated, as: "--points") }
  }

  private static func names(_ text: String) throws -> [String] {
    if let known = known[text.lowercased()] { return known }
    if fileExists(text) { return try ClassLabels(path: text).names }
    guard text.contains(",") else {
      throw CommandFailure(
        .usage,
        "--points \(text): \(known.keys.sorted().joined(separator: ", ")), names separated by commas, or a file was "
          + "expected")
    }
    return text.split(separator: ",", omittingEmptySubsequences: false).map { trimmed($0) }
  }

  /// The one that is measured.
  private static func foremost(_ found: [Detection]) -> Detection? { found.first { !$0.keypoints.isEmpty } }

  // MARK: - JSON

  /// What is said of a frame.
  func line(_ found: [Detection], in picture: SourcePicture, by detector: Detector) throws -> String {
    guard let animal else { return try jsonText(DetectionReport(picture, found, by: detector)) }
    let best = Self.foremost(found)
    let points = best?.keypoints.map(Self.numbers) ?? names.map { _ in nil }
    return try jsonText(
      AnimalPose(
        image: picture.name, frame: picture.index, t: picture.timestamp, width: picture.image.width,
        height: picture.image.height, name: best.map { detector.name(ofClass: $0.classIndex) }, score: best?.score,
        box: best.map { [$0.box.x0, $0.box.y0, $0.box.x1, $0.box.y1] }, keypoints: animal.dogPoints(points),
        points: best == nil ? nil : Dictionary(zip(names, points), uniquingKeysWith: { first, _ in first })))
  }

  private static func numbers(_ point: DetectedKeypoint) -> [Float]? {
    [point.x, point.y] + (point.visibility.map { [$0] } ?? [])
  }

  // MARK: - Table

  /// The names of the columns, as 'apus behavior' reads them.
  var header: String {
    let columns = (animal == nil ? names : DogKeypoint.names).flatMap { ["\($0)_x", "\($0)_y", "\($0)_confidence"] }
    return (["t", "width", "height", "space"] + columns).joined(separator: ",")
  }

  /// The row of a frame.
  func row(_ found: [Detection], in picture: SourcePicture) -> String {
    let own = Self.foremost(found)?.keypoints.map { Optional($0) } ?? names.map { _ in nil }
    let points = animal?.dogPoints(own) ?? own
    let numbers = points.flatMap { point -> [String] in
      guard let point else { return ["", "", ""] }
      return ["\(point.x)", "\(point.y)", point.visibility.map { "\($0)" } ?? ""]
    }
    let frame = [
      picture.timestamp.map { "\($0)" } ?? "", "\(picture.image.width)", "\(picture.image.height)", "pixel",
    ]
    return (frame + numbers).joined(separator: ",")
  }
}

/// A line of `apus pose` of an animal, in the form that poses are read in.
private struct AnimalPose: Encodable {
  var image: String?
  var frame: Int
  var t: Double?
  var width: Int
  var height: Int
  let space = "pixel"
  var name: String?
  var score: Float?
  var box: [Double]?
  /// The 24 points of a dog, null where there is none.
  var keypoints: [[Float]?]
  /// All that the model finds, under its own names.
  var points: [String: [Float]?]?

  enum CodingKeys: String, CodingKey {
    case image, frame, t, width, height, space, score, box, keypoints, points
    case name = "class"
  }
}
