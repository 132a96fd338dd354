import Apus
import ApusMedia
import ApusVision

/// What `apus detect` says of a picture: a line of JSON, or rows for people.
struct DetectionReport: Encodable {
  struct Object: Encodable {
    var name: String
    var index: Int
    var detection: Detection

    enum CodingKeys: String, CodingKey {
      case name = "class"
      case index = "class_id"
      case score, box, keypoints, polygons, corners, angle
      case maskArea = "mask_area"
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
      try container.encode(index, forKey: .index)
      try container.encode(detection.score, forKey: .score)
      let box = detection.box
      try container.encode([box.x0, box.y0, box.x1, box.y1], forKey: .box)
      if !detection.keypoints.isEmpty {
        try container.encode(
          detection.keypoints.map { [$0.x, $0.y] + ($0.visibility.map { [$0] } ?? []) }, forKey: .keypoints)
      }
      if let mask = detection.mask {
        try container.encode(mask.outlines.map { $0.map { [$0.x, $0.y] } }, forKey: .polygons)
        try container.encode(mask.area, forKey: .maskArea)
      }
      if let rotated = detection.rotatedBox {
        try container.encode(rotated.corners.map { [$0.x, $0.y] }, forKey: .corners)
        try container.encode(rotated.angle * 180 / .pi, forKey: .angle)
      }
    }
  }

  /// The picture's file; of a video, which frame it is follows from ``frame``.
  var image: String?
  var frame: Int
  /// Seconds, of a video.
  var t: Double?
  var width: Int
  var height: Int
  var detections: [Object]

  init(_ picture: SourcePicture, _ found: [Detection], by detector: Detector) {
    image = picture.name
    frame = picture.index
    t = picture.timestamp
    width = picture.image.width
    height = picture.image.height
    detections = found.map {
      Object(name: detector.name(ofClass: $0.classIndex), index: $0.classIndex, detection: $0)
    }
  }

  /// What picture it is.
  private var title: String {
    let place = t.map { "frame \(frame), \(NumberText.fixed($0, decimals: 3)) s" }
    return ErrorReport.oneLine([image, place].compactMap { $0 }.joined(separator: ", "))
  }

  /// A row for each object.
  var rows: [String] {
    let terminal = Terminal.output
    var lines = [
      terminal.styled(title, .bold) + terminal.styled("  \(width) × \(height)", .dim)
        + (detections.isEmpty ? "  nothing found" : "")
    ]
    let hasMasks = detections.contains { $0.detection.mask != nil }
    let hasAngles = detections.contains { $0.detection.rotatedBox != nil }
    let extra = (hasAngles ? ["angle"] : []) + (hasMasks ? ["pixels"] : [])
    var table = TextTable(alignments: [.left] + [TextTable.Alignment](repeating: .right, count: 5 + extra.count))
    if !detections.isEmpty {
      table.add((["class", "score", "left", "top", "right", "bottom"] + extra).map { terminal.styled($0, .dim) })
    }
    for object in detections {
      let box = object.detection.box
      var row = [ErrorReport.oneLine(object.name), NumberText.fixed(Double(object.detection.score), decimals: 2)]
      row += [box.x0, box.y0, box.x1, box.y1].map { NumberText.fixed($0, decimals: 1) }
      if hasAngles {
        row.append(object.detection.rotatedBox.map { NumberText.fixed($0.angle * 180 / .pi, decimals: 1) + "°" } ?? "")
      }
      if hasMasks { row.append(object.detection.mask.map { CountText.grouped($0.area) } ?? "") }
      table.add(row)
    }
    lines += table.lines.map { "  " + $0 }
    return lines
  }

  /// All of it in a line, for one picture of many.
  var line: String {
    var counts: [(name: String, count: Int)] = []
    for object in detections {
      if let index = counts.firstIndex(where: { $0.name == object.name }) {
        counts[index].count += 1
      } else {
        counts.append((object.name, 1))
      }
    }
    let found = counts.map { "\($0.count) \(ErrorReport.oneLine($0.name))" }.joined(separator: ", ")
    return "\(title)  \(found.isEmpty ? Terminal.output.styled("nothing", .dim) : found)"
  }
}
