import ApusBase

/// The path as a table: `frame,timestamp_ms,bar_x,bar_y,bar_vy,rep_id,wrist_l_x,wrist_l_y,wrist_r_x,wrist_r_y`.
///
/// One frame a row, line ends LF, decimal points, two decimals; what is not known is an empty field. Positions are
/// smoothed, in pixels of the picture; `bar_vy` is upward speed in the unit that ``BarPathResult/csvVelocityUnit``
/// tells; `rep_id` counts from 0 and is empty outside of repetitions.
public enum BarPathCSV {
  /// The header.
  public static let header =
    "frame,timestamp_ms,bar_x,bar_y,bar_vy,rep_id,wrist_l_x,wrist_l_y,wrist_r_x,wrist_r_y"

  /// One row without its line end.
  ///
  /// - Parameter timestamp: in seconds.
  public static func row(
    frame: Int, timestamp: Double, bar: BarPoint?, velocity: Double?, repID: Int?, leftWrist: BarPoint?,
    rightWrist: BarPoint?
  ) -> String {
    var bytes: [UInt8] = []
    append(
      frame: frame, timestamp: timestamp, bar: bar, velocity: velocity, repID: repID, leftWrist: leftWrist,
      rightWrist: rightWrist, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  static func append(
    frame: Int, timestamp: Double, bar: BarPoint?, velocity: Double?, repID: Int?, leftWrist: BarPoint?,
    rightWrist: BarPoint?, to bytes: inout [UInt8]
  ) {
    let comma = UInt8(ascii: ",")
    func append(_ value: Double?) {
      bytes.append(comma)
      if let value { appendHundredths(value, to: &bytes) }
    }
    bytes += "\(frame)".utf8
    append(timestamp * 1000)
    append(bar?.x)
    append(bar?.y)
    append(velocity)
    bytes.append(comma)
    if let repID { bytes += "\(repID)".utf8 }
    append(leftWrist?.x)
    append(leftWrist?.y)
    append(rightWrist?.x)
    append(rightWrist?.y)
  }

  /// The value with two decimals. `NumberText` rounds by the decimal digits, and is slow; it is only asked where
  /// binary rounding could say something else.
  private static func appendHundredths(_ value: Double, to bytes: inout [UInt8]) {
    let scaled = value.magnitude * 100
    let whole = scaled.rounded(.down)
    guard scaled < 1e13, abs(scaled - whole - 0.5) > 0.01 else {
      bytes += NumberText.fixed(value, decimals: 2).utf8
      return
    }
    let rounded = Int(scaled.rounded())
    if value < 0, rounded > 0 { bytes.append(UInt8(ascii: "-")) }
    let cents = rounded % 100
    bytes += "\(rounded / 100)".utf8
    bytes += [UInt8(ascii: "."), UInt8(ascii: "0") + UInt8(cents / 10), UInt8(ascii: "0") + UInt8(cents % 10)]
  }
}

extension BarPathResult {
  /// What `bar_vy` is in: `cm/s`, in imperial units `in/s`, without a scale `px/s`.
  public var csvVelocityUnit: String { isCalibrated && settings.units == .imperial ? "in/s" : velocityUnit }

  /// The whole table, with ``metadataJSON`` in a line `# {…}` before it if `includesMetadata`.
  public func csv(includesMetadata: Bool = false) -> String {
    var text = ""
    writeCSV(includesMetadata: includesMetadata) { text += String(decoding: $0, as: UTF8.self) }
    return text
  }

  /// Hands the table over in pieces of some 64 KiB.
  public func writeCSV<Failure: Error>(
    includesMetadata: Bool = false, to write: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    var bytes: [UInt8] = []
    if includesMetadata { bytes += "# \(metadataJSON)\n".utf8 }
    bytes += (BarPathCSV.header + "\n").utf8
    let isImperial = isCalibrated && settings.units == .imperial
    for sample in samples {
      BarPathCSV.append(
        frame: sample.frame, timestamp: sample.timestamp, bar: sample.smoothed,
        velocity: isImperial ? sample.velocity.map(BarUnits.imperial.length) : sample.velocity,
        repID: sample.repID, leftWrist: sample.leftWrist, rightWrist: sample.rightWrist, to: &bytes)
      bytes.append(0x0A)
      if bytes.count >= 1 << 16 {
        try write(bytes)
        bytes.removeAll(keepingCapacity: true)
      }
    }
    if !bytes.isEmpty { try write(bytes) }
  }
}
