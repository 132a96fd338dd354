import ApusBase

/// A line of a pose file that cannot be used, and why.
public struct PoseReadError: ApusError, Sendable, Equatable {
  /// What is wrong with the line.
  public enum Reason: Sendable, Equatable {
    /// The line is longer than the reader's limit, in bytes.
    case lineTooLong(limit: Int)
    /// The line is not what its format asks for; columns count bytes from 1.
    case malformed(column: Int, message: String)
    /// A field or a column is absent and there is no default for it.
    case missingField(String)
    /// A field or a column occurs twice.
    case duplicateField(String)
    /// A field does not hold what it should.
    case wrongValue(field: String, found: String, expected: String)
    /// A CSV row has another number of fields than its header.
    case wrongColumnCount(found: Int, expected: Int)
    /// None of a file's names for body parts is known.
    case noKnownKeypoints([String])
    /// The file has several animals, and it was not said which one is meant; empty where they have no names.
    case severalIndividuals([String])
    /// The file has no animal of the name asked for.
    case unknownIndividual(String, among: [String])
    /// The file is HDF5, which is not read.
    case hdf5
    /// The line was read, but the frame in it cannot be used.
    case invalidFrame(PoseFrameError.Reason)
  }

  /// The line's number in the input, from 1.
  public let line: Int
  /// The index, from 0, of the frame on that line; nil for a line that holds none, such as a CSV header.
  public let frameIndex: Int?
  public let reason: Reason

  public init(line: Int, frameIndex: Int?, reason: Reason) {
    self.line = line
    self.frameIndex = frameIndex
    self.reason = reason
  }
}

extension PoseReadError: CustomStringConvertible {
  public var description: String {
    let place = frameIndex.map { "line \(line) (frame \($0))" } ?? "line \(line)"
    return "\(place): \(reason)"
  }
}

extension PoseReadError.Reason: CustomStringConvertible {
  public var description: String {
    switch self {
    case .lineTooLong(let limit):
      "longer than \(limit) bytes"
    case .malformed(let column, let message):
      "column \(column): \(message)"
    case .missingField(let field):
      "\(field) is missing"
    case .duplicateField(let field):
      "\(field.quotedForMessage) occurs twice"
    case .wrongValue(let field, let found, let expected):
      "\(field) is \(found.quotedForMessage), expected \(expected)"
    case .wrongColumnCount(let found, let expected):
      "\(found) fields, expected \(expected) as in the header"
    case .noKnownKeypoints(let names):
      "no keypoint has the name of a body part of this file (\(Self.list(names))): say which is which"
    case .severalIndividuals(let names):
      names.isEmpty
        ? "several animals in one frame, and no names to choose by"
        : "several animals (\(Self.list(names))): name one of them"
    case .unknownIndividual(let name, let names):
      "no animal \(name.quotedForMessage) in this file, which names \(Self.list(names))"
    case .hdf5:
      "an HDF5 file, which is not read; export it as CSV: deeplabcut.analyze_videos_converth5_to_csv(folder) of "
        + "DeepLabCut, sleap-convert --format analysis.csv FILE.slp of SLEAP"
    case .invalidFrame(let reason):
      reason.description
    }
  }

  /// Names for a message; not more than twenty.
  static func list(_ names: [String]) -> String {
    let shown = names.prefix(20).map(\.quotedForMessage).joined(separator: ", ")
    return names.isEmpty ? "none" : names.count > 20 ? shown + ", …" : shown
  }
}

extension PoseReadError {
  public var fault: Fault { .data }
}
