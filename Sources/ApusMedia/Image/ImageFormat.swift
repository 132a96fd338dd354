/// The kinds of picture files that are read.
public enum ImageFormat: String, Sendable, Hashable, CaseIterable {
  case png, jpeg, netpbm, bmp

  /// How names of such files end, without a dot.
  package var fileExtensions: [String] {
    switch self {
    case .png: ["png"]
    case .jpeg: ["jpg", "jpeg"]
    case .netpbm: ["ppm", "pgm", "pbm", "pnm", "pam"]
    case .bmp: ["bmp"]
    }
  }
}

extension ImageFormat: CustomStringConvertible {
  /// The usual name, in capitals.
  public var description: String {
    switch self {
    case .png: "PNG"
    case .jpeg: "JPEG"
    case .netpbm: "PPM"
    case .bmp: "BMP"
    }
  }
}
