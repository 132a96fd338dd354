import Apus
import ApusNetworks

/// What an exporter wrote into the file of a detector: the entries `names`, `imgsz`, `kpt_shape`, `task` of the usual
/// ones, as Python or JSON literals, `kpt_names`, what the keypoints are called, where newer ones have it, and
/// `keypoint_classes`, the names of those classes that have keypoints.
struct DetectorMetadata: Sendable, Hashable {
  /// What the classes are called, by index.
  var names: [String]?
  /// The size that pictures are brought to.
  var imageHeight: Int?
  var imageWidth: Int?
  var keypoints: YOLOConfiguration.Keypoints?
  /// What the keypoints are called; nil where that cannot be read, since nothing else depends on it.
  var keypointNames: [String]?
  var task: String?
  /// The classes whose objects have keypoints, by name; all when nil.
  var keypointClasses: [String]?

  init() {}

  /// - Throws: ``DetectorError/Reason/badMetadata(_:)`` naming the entry that cannot be read.
  init(_ entries: [String: String]) throws(DetectorError) {
    func read<Value>(_ key: String, _ read: (inout LiteralReader) throws(LiteralError) -> Value) throws(DetectorError)
      -> Value?
    {
      guard let text = entries[key] else { return nil }
      var reader = LiteralReader(text)
      do throws(LiteralError) {
        let value = try read(&reader)
        try reader.end()
        return value
      } catch {
        throw DetectorError(.badMetadata("the metadata \"\(key)\": \(error)"))
      }
    }
    names = try read("names") { reader throws(LiteralError) in try reader.names() }
    let size = try read("imgsz") { reader throws(LiteralError) in try reader.integers(limit: 4) }
    if let size, let last = size.last {
      guard size.count <= 2, size.allSatisfy({ 1...PicturePreparation.longestSide ~= $0 }) else {
        throw DetectorError(.badMetadata("the metadata \"imgsz\": \(size) is not a height and a width"))
      }
      (imageHeight, imageWidth) = (size[0], last)
    }
    if let shape = try read("kpt_shape", { reader throws(LiteralError) in try reader.integers(limit: 4) }) {
      guard shape.count == 2, 1...10_000 ~= shape[0], 2...3 ~= shape[1] else {
        throw DetectorError(
          .badMetadata("the metadata \"kpt_shape\": \(shape) is not a number of keypoints of 2 or 3 numbers"))
      }
      keypoints = YOLOConfiguration.Keypoints(count: shape[0], dimensions: shape[1])
    }
    keypointClasses = try read("keypoint_classes") { reader throws(LiteralError) in try reader.names() }
    keypointNames = entries["kpt_names"].flatMap { text in
      var reader = LiteralReader(text)
      return try? reader.pointNames()
    }
    task = entries["task"]
    if let task, !["detect", "pose", "segment", "obb"].contains(task) {
      throw DetectorError(
        .badMetadata("the metadata \"task\" is \"\(task)\"; boxes are read of detect, pose, segment and obb alone"))
    }
  }

  /// The usual number of coefficients of a mask, where the prototypes do not show it.
  var maskCoefficients: Int { task == "segment" ? 32 : 0 }

  /// What of it shows the layout, for messages.
  var summary: String {
    let classes = names.map { "\($0.count) names of classes" } ?? "no names of classes"
    return classes + (keypoints.map { " and \($0.count) keypoints" } ?? "") + " in the metadata"
  }
}
