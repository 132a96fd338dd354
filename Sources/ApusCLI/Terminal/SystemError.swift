import ApusPlatform

/// What the system says of an error number, such as "No space left on device".
func systemMessage(_ code: Int32) -> String {
  guard let text = strerror(code) else { return "error \(code)" }
  return String(cString: text)
}
