import Apus
import ApusPlatform

/// Bytes to a file, or to standard output, as they are made.
///
/// The file has its name once it is closed. One that never is stays beside it as `NAME.part`, which is said: frames are
/// worth something without those that were to follow.
final class ByteOutput {
  private enum Target {
    case standardOutput
    case file(AtomicFile)
  }

  private let path: String
  private let target: Target
  private var isClosed = false

  /// - Parameter path: a path, whose file is made or replaced, or `-` for standard output.
  init(path: String) throws {
    self.path = path
    target = path == "-" ? .standardOutput : .file(try AtomicFile(path: path, isStream: true))
  }

  deinit {
    guard !isClosed, case .file(let file) = target, let part = file.keep() else { return }
    UnfinishedNotice(path: path, part: part).write()
  }

  func write(_ bytes: [UInt8]) throws {
    switch target {
    case .file(let file): try bytes.withUnsafeBytes { try file.append($0) }
    case .standardOutput: try writeToStandardOutput(bytes)
    }
  }

  /// Ends the file, and gives it its name.
  func close() throws {
    if case .file(let file) = target { try file.commit() }
    isClosed = true
  }

  private func writeToStandardOutput(_ bytes: [UInt8]) throws {
    var count = 0
    while count < bytes.count {
      let more = bytes[count...].withUnsafeBytes { written(STDOUT_FILENO, $0) }
      if more > 0 {
        count += more
      } else if errno != EINTR {
        throw CommandFailure(.inputOutput, "standard output: cannot be written: \(systemMessage(errno))")
      }
    }
  }
}

/// The system's `write`, which a method hides.
private func written(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  write(descriptor, bytes.baseAddress, bytes.count)
}
