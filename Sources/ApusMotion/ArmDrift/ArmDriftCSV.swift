extension ArmSamples {
  /// A header and a row for each frame: `t,left_angle_deg,right_angle_deg,asymmetry,vertical_difference,interpolated`.
  /// A frame that could not be used has its time alone. LF line ends, decimal points.
  public var csv: String { samples.csv }
}

extension ArmDriftMeasurement {
  /// The table of its samples, as ``ArmSamples/csv`` has it.
  public var csv: String { samples.csv }
}

extension [ArmSample] {
  fileprivate var csv: String {
    var text = "t,left_angle_deg,right_angle_deg,asymmetry,vertical_difference,interpolated\n"
    for sample in self {
      text += "\(sample.timestamp),"
      if let measures = sample.measures {
        text += "\(measures.leftAngle),\(measures.rightAngle),\(measures.asymmetry),\(measures.verticalDifference),"
        text += sample.isInterpolated ? "1\n" : "0\n"
      } else {
        text += ",,,,\n"
      }
    }
    return text
  }
}
