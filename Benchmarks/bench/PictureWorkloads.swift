import Apus
import ApusMedia

/// Decoding of picture files: those given, or two that are made here.
func pictureWorkloads(_ paths: [String] = []) -> [Workload] {
  guard paths.isEmpty else {
    return paths.map { path in
      picture(String(path.split(separator: "/").last ?? ""), "\(path)") {
        try MappedFile(path: path, access: .copied).withUnsafeBytes { Array($0) }
      }
    }
  }
  return [("jpeg-1mp", 1152, 864), ("jpeg-12mp", 4000, 3000)].map { name, width, height in
    picture(name, "\(width)×\(height), quality 85, 4:2:0", pixels: width * height) {
      try JPEGEncoder.encode(try landscape(width, height), quality: 85)
    }
  }
}

private func picture(
  _ name: String, _ shape: String, pixels: Int = 0, _ file: @escaping () throws -> [UInt8]
) -> Workload {
  // What comes out, three bytes per pixel.
  Workload(name: "picture/\(name)", shape: shape, cost: .bytes(Double(3 * pixels)), twin: nil) {
    let bytes = try file()
    return {
      _ = try bytes.withUnsafeBytes { try ImageFile.decode($0) }
      return nil
    }
  }
}

/// Slopes, edges and grain: about as many coefficients as a photograph has.
private func landscape(_ width: Int, _ height: Int) throws -> Image<UInt8> {
  var state: UInt64 = 1
  return try Image(width: width, height: height, color: .rgb) { samples in
    var place = 0
    for y in 0..<height {
      for x in 0..<width {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let grain = Int(state >> 60) + Int(state >> 56 & 15)
        let edge = (x / 61 + y / 47) % 5 * 24 + (x * y / 4096) % 31
        for channel in 0..<3 {
          samples[place] = UInt8(truncatingIfNeeded: min(255, edge + grain + (x * (channel + 1) / 40 + y / 30) % 90))
          place += 1
        }
      }
    }
  }
}
