import ApusTestSupport
import Foundation

@testable import ApusMedia

/// Keypoints and pictures for overlays, small enough to be drawn quickly.
enum OverlayFixtures {
  /// Twelve seconds, two frames per second, of two arms in a picture of 320 by 240, of which the right one sinks.
  static func arms(seconds: Double = 12, missing: String? = nil) -> String {
    let frames = (0...Int(seconds * 2)).map { index in
      let time = Double(index) / 2
      let radians = min(max((time - 4) / 4, 0), 1) * 20 * .pi / 180
      var points = [
        "left_shoulder": (190.0, 100.0), "right_shoulder": (130, 100), "left_wrist": (280, 100),
        "right_wrist": (130 - 90 * cos(radians), 100 + 90 * sin(radians)),
      ]
      if let missing { points[missing] = nil }
      let text = points.sorted { $0.key < $1.key }.map { "\"\($0.key)\":{\"x\":\($0.value.0),\"y\":\($0.value.1)}" }
      return "{\"t\":\(time),\"keypoints\":{\(text.joined(separator: ","))}}"
    }
    return #"{"width":320,"height":240,"coordinate_space":"pixel","frames":["# + frames.joined(separator: ",") + "]}"
  }

  /// A folder with grey pictures.
  static func pictures(_ count: Int, width: Int = 320, height: Int = 240, in folder: TemporaryFolder) throws -> String {
    let path = folder.path("pictures-\(count)-\(width)")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let image = try Image<UInt8>(width: width, height: height, color: .rgb, filledWith: [200, 200, 200])
    for index in 0..<count { try ImageFile.write(image, to: "\(path)/picture-\(1000 + index).png") }
    return path
  }

  /// A folder with the first frames of the squat that ships, `1.jpg` and so on.
  static func sampleFrames(_ count: Int, in folder: TemporaryFolder) throws -> String {
    let path = folder.path("sample-\(count)")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let clip = try ImageArchive(path: shipped("detector/samples/squat.zip"))
    for (index, picture) in clip.pictures.prefix(count).enumerated() {
      let bytes = try clip.withBytes(of: picture) { Data($0) }
      try bytes.write(to: URL(filePath: "\(path)/\(index + 1).jpg"))
    }
    return path
  }

  /// A video of grey pictures.
  static func video(_ count: Int, rate: Int, in folder: TemporaryFolder) throws -> String {
    let path = folder.path("video-\(count)-\(rate).y4m")
    let image = try Image<UInt8>(width: 320, height: 240, color: .rgb, filledWith: [200, 200, 200])
    let writer = try Y4MWriter(width: 320, height: 240, rate: .init(frames: rate, seconds: 1))
    var bytes = writer.firstLine
    for _ in 0..<count { bytes += try writer.frame(image) }
    try Data(bytes).write(to: URL(filePath: path))
    return path
  }

  /// The frames of a video, and its first line.
  static func frames(ofVideo path: String) throws -> (header: String, frames: [Image<UInt8>]) {
    let bytes = Array(try Data(contentsOf: URL(filePath: path)))
    var reader = Y4MReader()
    reader.append(bytes)
    reader.end()
    var frames: [Image<UInt8>] = []
    while let frame = try reader.next() { frames.append(frame.image) }
    return (String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self), frames)
  }
}
