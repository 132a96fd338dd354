import ApusVision

/// What an exporter wrote into the file of a detector: literals of Python and JSON.
struct DetectorMetadataTarget: JSONFuzzTarget {
  let name = "detector-metadata"
  let summary = "names, sizes and keypoints in the metadata of a detector"
  let dictionary = ["{0: '", "'}", "\": \"", "[640, 640]", "(17, 3)", "\\'", "\"}", "99999999999999999999"]

  func seeds() -> [[UInt8]] {
    [
      "{0: 'person', 1: \"lifter's bar\"}", "{\"0\": \"plate\", \"1\": \"it\\\"s\"}", "['a', 'b']", "[640, 480]",
      "(17, 3)",
    ]
    .map { Array($0.utf8) }
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    let text = String(decoding: input, as: UTF8.self)
    var result = FuzzOutcome.refused
    for key in ["names", "imgsz", "kpt_shape", "keypoint_classes", "task"] {
      if case .accepted = try outcome(allowing: DetectorError.self, read: { try Detector.checkMetadata([key: text]) }) {
        result = .accepted
      }
    }
    return result
  }
}
