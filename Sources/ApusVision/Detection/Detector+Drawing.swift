import Apus
import ApusMedia

extension Detector {
  /// A picture with what was found in it drawn on it: a box with class and score each, the pixels that belong to it where
  /// the network says so, and its joints.
  ///
  /// - Parameters:
  ///   - leastVisibility: joints that are less visible are not drawn.
  ///   - annotationScale: how large lines and labels are, compared with what suits the picture's size.
  public func drawn(
    _ found: [Detection], on image: Image<UInt8>, leastVisibility: Float = 0.5, annotationScale: Double = 1
  ) -> Image<UInt8> {
    var canvas = Canvas(image)
    canvas.annotationScale = annotationScale
    // What is surest is in front.
    for detection in found.reversed() {
      let color = PixelColor.palette(forClass: detection.classIndex)
      let label = "\(name(ofClass: detection.classIndex)) \(NumberText.fixed(Double(detection.score), decimals: 2))"
      if let mask = detection.mask { canvas.fillPolygons(mask.outlines, color: color.with(alpha: 96)) }
      if let rotated = detection.rotatedBox {
        canvas.drawOutline(rotated.corners, label: label, color: color)
      } else {
        canvas.drawBox(detection.box, label: label, color: color)
      }
      if !detection.keypoints.isEmpty { canvas.draw(detection.keypoints, color, leastVisibility) }
    }
    return canvas.image
  }
}

extension Canvas {
  /// Joints, and lines between them where they are those of a person.
  fileprivate mutating func draw(_ joints: [DetectedKeypoint], _ color: PixelColor, _ leastVisibility: Float) {
    let points = joints.map { joint in
      joint.visibility ?? 1 >= leastVisibility ? PixelPoint(x: Double(joint.x), y: Double(joint.y)) : nil
    }
    let isPerson = joints.count == PersonKeypoint.allCases.count
    let edges = isPerson ? PersonKeypoint.connections.map { ($0.0.rawValue, $0.1.rawValue) } : []
    drawSkeleton(points: points, edges: edges) { _ in color }
  }
}
