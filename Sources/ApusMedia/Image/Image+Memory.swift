import Apus

extension Image {
  /// Refuses a picture that the memory could not hold.
  /// - Throws: ``ImageError``.
  static func checkMemory(width: Int, height: Int, color: ColorModel) throws(ImageError) {
    let count = try sampleCount(width: width, height: height, color: color)
    // The picture itself, and the file or the picture that is made of it.
    let most = Execution.memoryLimit / (3 * MemoryLayout<Sample>.stride)
    guard count <= most else {
      throw ImageError(.tooLarge(width: width, height: height, limit: most / color.channels))
    }
  }
}
