import Apus
import ApusMedia

/// What is done to a picture before a network sees it.
func imageWorkloads() -> [Workload] {
  [(1000, 1000), (1280, 720), (4000, 3000)].map { width, height in
    let bytes = 640 * 640 * 3 * 4 + width * height * 3
    return Workload(
      name: "image/letterbox-tensor-\(width)x\(height)", shape: "\(width)×\(height) to 1×3×640×640",
      cost: .bytes(Double(bytes)), twin: nil
    ) {
      let image = try picture(width, height)
      let box = try Letterbox(imageWidth: width, imageHeight: height, width: 640, height: 640)
      return { try box.tensor(image) }
    }
  }
}

/// Slopes with something like noise.
private func picture(_ width: Int, _ height: Int) throws -> Image<UInt8> {
  let samples = (0..<width * height * 3).map { UInt8(truncatingIfNeeded: $0 / 7 &+ $0 &* 2_654_435_761 >> 27) }
  return try Image(width: width, height: height, color: .rgb, samples: samples)
}
