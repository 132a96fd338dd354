#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Bytes to a file, or to standard output, as they are made.
final class ByteOutput {
  private let name: String
  private let descriptor: Int32
  private var isOpen = true

  /// - Parameter path: a path, whose file is made or emptied, or `-` for standard output.
  init(path: String) throws {
    if path == "-" {
      name = "standard output"
      descriptor = STDOUT_FILENO
    } else {
      name = path
      descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
      guard descriptor >= 0 else {
        throw CommandFailure(.inputOutput, "\(path): cannot be written: \(systemMessage(errno))")
      }
    }
  }

  deinit {
    if isOpen, descriptor != STDOUT_FILENO { Self.closed(descriptor) }
  }

  func write(_ bytes: [UInt8]) throws {
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { Self.written(descriptor, $0) }
      if count > 0 {
        written += count
      } else if errno != EINTR {
        throw CommandFailure(.inputOutput, "\(name): cannot be written: \(systemMessage(errno))")
      }
    }
  }

  /// Reports what the system could not write until now.
  func close() throws {
    guard isOpen, descriptor != STDOUT_FILENO else { return }
    isOpen = false
    guard Self.closed(descriptor) == 0 else {
      throw CommandFailure(.inputOutput, "\(name): cannot be written: \(systemMessage(errno))")
    }
  }

  private static func written(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
      Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    #elseif canImport(Musl)
      Musl.write(descriptor, bytes.baseAddress, bytes.count)
    #else
      Darwin.write(descriptor, bytes.baseAddress, bytes.count)
    #endif
  }

  @discardableResult
  private static func closed(_ descriptor: Int32) -> Int32 {
    #if canImport(Glibc)
      Glibc.close(descriptor)
    #elseif canImport(Musl)
      Musl.close(descriptor)
    #else
      Darwin.close(descriptor)
    #endif
  }
}
