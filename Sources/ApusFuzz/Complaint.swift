import ApusPlatform

/// Says something on standard error, after all that was printed.
func complain(_ message: String) {
  fflush(nil)
  var text = "apus-fuzz: \(message)\n"
  text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
