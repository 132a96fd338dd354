extension ImageOrientation {
  /// What the first directory of Exif data says; upright when it says nothing, or nothing that makes sense.
  ///
  /// - Parameter exif: A segment of a JPEG file behind the letters `Exif` and two zeros, or such a chunk of another
  ///   format: a TIFF file without pixels.
  init(exif: UnsafeRawBufferPointer) {
    self = Self.read(exif) ?? .upright
  }

  private static func read(_ exif: UnsafeRawBufferPointer) -> ImageOrientation? {
    guard exif.count >= 8 else { return nil }
    let isLittle: Bool
    switch (exif[0], exif[1]) {
    case (0x49, 0x49): isLittle = true
    case (0x4D, 0x4D): isLittle = false
    default: return nil
    }
    func number(_ offset: Int, _ size: Int) -> Int? {
      guard offset >= 0, offset <= exif.count - size else { return nil }
      var value = 0
      for index in 0..<size { value = value << 8 | Int(exif[offset + (isLittle ? size - 1 - index : index)]) }
      return value
    }
    guard number(2, 2) == 42, let directory = number(4, 4), let count = number(directory, 2) else { return nil }
    for index in 0..<count {
      let entry = directory + 2 + 12 * index
      guard let tag = number(entry, 2), let type = number(entry + 2, 2), let values = number(entry + 4, 4) else {
        return nil
      }
      guard tag == 274 else { continue }
      // A number of 16 bits, or of 32 from careless writers.
      guard values == 1, type == 3 || type == 4 else { return nil }
      return number(entry + 8, type == 3 ? 2 : 4).flatMap(ImageOrientation.init)
    }
    return nil
  }
}
