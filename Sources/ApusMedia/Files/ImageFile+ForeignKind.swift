extension ImageFile {
  /// What bytes are by their mark, in words, when they are a picture or a video that is not read; nil for anything else,
  /// and for what models and archives begin with as well.
  package static func foreignKind(of bytes: UnsafeRawBufferPointer) -> String? {
    guard case .other(let what, _) = ImageSignature(bytes), !elsewhere.contains(what) else { return nil }
    return what
  }

  private static let elsewhere = [
    "an empty file", "text", "something unknown", "a ZIP archive", "a gzip file", "a NumPy array",
  ]
}
