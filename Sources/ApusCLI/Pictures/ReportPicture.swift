import Apus
import ApusMedia

/// Pictures inside a report.
enum ReportPicture {
  /// Lines and labels that can be seen although pages show pictures small.
  static let annotationScale = 2.0

  private static let longestSide = 480

  static func make(_ image: Image<UInt8>, _ caption: String) throws -> HTMLReport.Picture {
    let small = reduced(image)
    let bytes = try JPEGEncoder.encode(small, quality: 85)
    return HTMLReport.Picture(caption, kind: .jpeg, bytes: bytes, width: small.width, height: small.height)
  }

  /// A picture small enough for a report.
  static func reduced(_ image: Image<UInt8>) -> Image<UInt8> {
    let scale = Double(longestSide) / Double(max(image.width, image.height))
    guard scale < 1 else { return image }
    let small = try? image.resized(
      width: max(1, Int((Double(image.width) * scale).rounded())),
      height: max(1, Int((Double(image.height) * scale).rounded())), filter: .antialiasedBilinear)
    return small ?? image
  }
}
