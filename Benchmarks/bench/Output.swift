import ApusPlatform

/// Something could not be written.
struct OutputError: Error, CustomStringConvertible {
  let description: String
}

/// Writes bytes to a file descriptor, all of them.
func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws {
  var rest = bytes
  while !rest.isEmpty {
    #if canImport(Darwin)
      let written = Darwin.write(descriptor, rest.baseAddress, rest.count)
    #elseif canImport(Musl)
      let written = Musl.write(descriptor, rest.baseAddress, rest.count)
    #else
      let written = Glibc.write(descriptor, rest.baseAddress, rest.count)
    #endif
    if written < 0 {
      if errno == EINTR { continue }
      throw OutputError(description: String(cString: strerror(errno)))
    }
    rest = UnsafeRawBufferPointer(rebasing: rest[written...])
  }
}

/// Writes a line to standard output at once: its reader may be waiting.
func printLine(_ line: some StringProtocol) throws {
  try writeText(line + "\n", to: STDOUT_FILENO)
}

func printError(_ line: some StringProtocol) {
  try? writeText("bench: \(line)\n", to: STDERR_FILENO)
}

private func writeText(_ text: String, to descriptor: Int32) throws {
  var text = text
  try text.withUTF8 { try write(UnsafeRawBufferPointer($0), to: descriptor) }
}

/// Replaces a file's contents; `-` is standard output.
func writeFile(_ text: String, path: String) throws {
  if path == "-" { return try writeText(text, to: STDOUT_FILENO) }
  let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
  guard descriptor >= 0 else { throw OutputError(description: "\(path): \(String(cString: strerror(errno)))") }
  defer { close(descriptor) }
  do { try writeText(text, to: descriptor) } catch { throw OutputError(description: "\(path): \(error)") }
}
