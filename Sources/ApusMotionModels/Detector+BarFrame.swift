import ApusMedia
import ApusMotion
import ApusVision

extension Detector {
  /// What to report of a frame for ``barFrame(_:timestamp:width:height:plates:person:)``: boxes of little confidence
  /// too, for the analysis has a gate of its own.
  ///
  /// - Parameters:
  ///   - plates: what the network calls what is on the bar.
  ///   - fitsOutline: whether a plate is as large as its outline in the picture, or as the network's box.
  public func barOptions(plates: Set<String> = ["plate"], fitsOutline: Bool = true) -> DetectionOptions {
    var options = DetectionOptions()
    options.confidence = 0.2
    options.includesMasks = false
    if fitsOutline { options.roundClasses.formUnion(plates.compactMap { classIndex(named: $0) }) }
    return options
  }

  /// What a frame shows of a bar and its lifter: every plate is a candidate, and the wrists, elbows and hips are those
  /// of the largest person whose 17 joints are known.
  ///
  /// - Parameters:
  ///   - plates: what the network calls what is on the bar.
  ///   - person: what it calls the lifter.
  public func barFrame(
    _ found: [Detection], timestamp: Double, width: Int, height: Int, plates: Set<String> = ["plate"],
    person: String = "person"
  ) -> BarFrame {
    let candidates = found.filter { plates.contains(name(ofClass: $0.classIndex)) }.map {
      BarDetection(
        x: $0.box.x0, y: $0.box.y0, width: $0.box.width, height: $0.box.height, confidence: Double($0.score))
    }
    let people = found.filter {
      name(ofClass: $0.classIndex) == person && $0.keypoints.count == PersonKeypoint.allCases.count
    }
    return BarFrame(
      timestamp: timestamp, width: Double(width), height: Double(height), observation: .detections(candidates),
      pose: people.max { $0.box.area < $1.box.area }.map(\.barPose))
  }
}

extension Detection {
  /// The joints that show where hands are.
  fileprivate var barPose: BarPose {
    func point(_ joint: PersonKeypoint) -> PosePoint {
      let point = keypoints[joint.rawValue]
      return PosePoint(x: Double(point.x), y: Double(point.y), confidence: point.visibility.map(Double.init))
    }
    return BarPose(
      leftWrist: point(.leftWrist), rightWrist: point(.rightWrist), leftElbow: point(.leftElbow),
      rightElbow: point(.rightElbow), leftHip: point(.leftHip), rightHip: point(.rightHip))
  }
}
