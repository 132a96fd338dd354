import ApusBase

/// A kind of frame that files hold, and what can be wrong with it.
public protocol ReadableFrame: Sendable {
  /// What can be wrong with a frame that was read.
  associatedtype Fault: Error & Equatable & CustomStringConvertible
  /// What can be wrong with a file as a whole, such as several animals in it.
  associatedtype FileFault: Error & Equatable & CustomStringConvertible
}

/// A frame that cannot be used, and why.
public struct FrameError<Frame: ReadableFrame>: ApusError, Sendable, Equatable {
  /// What is wrong with the frame.
  public typealias Reason = Frame.Fault

  /// The frame's index in its stream, from 0.
  public let frameIndex: Int
  /// What is wrong with it.
  public let reason: Reason

  /// An error of a frame.
  public init(frameIndex: Int, reason: Reason) {
    self.frameIndex = frameIndex
    self.reason = reason
  }
}

extension FrameError: CustomStringConvertible {
  /// Such as `frame 7: timestamp is nan, expected a finite number`.
  public var description: String { "frame \(frameIndex): \(reason)" }
}

extension FrameError {
  /// The data are at fault.
  public var fault: Fault { .data }
}

/// A line of a file of frames that cannot be used, and why.
public struct FrameReadError<Frame: ReadableFrame>: ApusError, Sendable, Equatable {
  /// What is wrong with the line.
  ///
  /// Indirect, so that it is thrown as one pointer whatever the kind of frame: Swift 6.2 cannot match a function that throws
  /// an error of known size with a requirement that throws one of unknown size.
  public indirect enum Reason: Error, Sendable, Equatable {
    /// It is not what its format asks for.
    case row(RowFault)
    /// It was read, but the frame in it cannot be used.
    case frame(Frame.Fault)
    /// The file as a whole cannot be read as it is.
    case file(Frame.FileFault)
  }

  /// The line's number in the input, from 1.
  public let line: Int
  /// The index, from 0, of the frame on that line; nil for a line without one, such as a CSV header.
  public let frameIndex: Int?
  /// What is wrong with it.
  public let reason: Reason

  /// An error of a line.
  public init(line: Int, frameIndex: Int?, reason: Reason) {
    self.line = line
    self.frameIndex = frameIndex
    self.reason = reason
  }
}

extension FrameReadError: CustomStringConvertible {
  /// Such as `line 8 (frame 7): t is missing`.
  public var description: String {
    let place = frameIndex.map { "line \(line) (frame \($0))" } ?? "line \(line)"
    return place + ": " + reason.description
  }
}

extension FrameReadError.Reason: CustomStringConvertible {
  /// What is wrong with the line.
  public var description: String {
    switch self {
    case .row(let fault): fault.description
    case .frame(let fault): fault.description
    case .file(let fault): fault.description
    }
  }

  /// What `read` gives; a fault of the row is the reason where it fails.
  static func inRow<Result>(_ read: () throws(RowFault) -> Result) throws(Self) -> Result {
    do throws(RowFault) {
      return try read()
    } catch {
      throw .row(error)
    }
  }
}

extension FrameReadError {
  /// The file is at fault.
  public var fault: Fault { .data }
}
