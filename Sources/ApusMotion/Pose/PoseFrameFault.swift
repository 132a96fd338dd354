import ApusBase

extension PoseFrame: ReadableFrame {
  /// What is wrong with a frame.
  public enum Fault: Error, Sendable, Equatable {
    /// The frame has another number of points than its order asks for.
    case wrongPointCount(found: Int, expected: Int, order: KeypointOrder)
    /// Width or height is zero or negative, in pixels.
    case invalidImageSize(width: Double, height: Double)
    /// A number is NaN or infinite, or too large for single precision; `field` says which.
    case notFinite(field: String, value: Double)
    /// The timestamp is not after that of the frame before; both in seconds.
    case timestampNotIncreasing(Double, previous: Double)
    /// The timestamp lies beyond ±``PoseFrame/timestampLimit``.
    case timestampOutOfRange(Double)
    /// So many of the points up to this frame lie outside of its image that its size cannot be right: `share` of
    /// them, as far as `x` and `y` pixels from its top left.
    case pointsOutsideImage(share: Double, x: Double, y: Double, width: Double, height: Double)
    /// All points up to this frame lie in the one pixel in the corner of its image: they are fractions of its sides.
    case fractionsForPixels(width: Double, height: Double)
  }

  /// What is wrong with a file of poses as a whole.
  public enum FileFault: Error, Sendable, Equatable {
    /// None of a file's names for body parts is known.
    case noKnownKeypoints([String])
    /// The file has several animals, and it was not said which one is meant; empty where they have no names.
    case severalIndividuals([String])
    /// The file has no animal of the name asked for.
    case unknownIndividual(String, among: [String])
    /// The file is HDF5, which is not read.
    case hdf5
  }
}

/// A pose that cannot be used, and why.
public typealias PoseFrameError = FrameError<PoseFrame>

/// A line of a pose file that cannot be used, and why.
public typealias PoseReadError = FrameReadError<PoseFrame>

extension PoseFrame.Fault: CustomStringConvertible {
  /// What is wrong, and what was expected.
  public var description: String {
    switch self {
    case .wrongPointCount(let found, let expected, let order):
      "\(found) keypoints, expected \(expected) (keypoint order \(order.rawValue))"
    case .invalidImageSize(let width, let height):
      "image size \(width) x \(height), expected width and height above 0"
    case .notFinite(let field, let value):
      "\(field) is \(value), expected a finite number"
    case .timestampNotIncreasing(let timestamp, let previous):
      "timestamp \(timestamp) s does not come after \(previous) s, that of the frame before"
    case .timestampOutOfRange(let timestamp):
      "timestamp \(timestamp) s, expected seconds within ±\(PoseFrame.timestampLimit)"
    case .pointsOutsideImage(let share, let x, let y, let width, let height):
      "\(NumberText.fixed(100 * share, decimals: 0)) % of the points lie outside the image of "
        + "\(NumberText.short(width)) x \(NumberText.short(height)) pixels, as far as \(NumberText.short(x)), "
        + "\(NumberText.short(y)): its width and height are not those of the recording"
    case .fractionsForPixels(let width, let height):
      SpaceMistake.fractionsForPixels(width: width, height: height).description
    }
  }
}

extension PoseFrame.FileFault: CustomStringConvertible {
  /// What is wrong, and what to do about it.
  public var description: String {
    switch self {
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
    }
  }

  /// Names for a message; not more than twenty.
  private static func list(_ names: [String]) -> String {
    let shown = names.prefix(20).map(\.quotedForMessage).joined(separator: ", ")
    return names.isEmpty ? "none" : names.count > 20 ? shown + ", …" : shown
  }
}
