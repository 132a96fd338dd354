import Apus
import ApusMedia
import ApusVision

/// What is done to a picture before a network sees it, and to its boxes afterwards.
func imageWorkloads() -> [Workload] {
  let letterboxes = [(1000, 1000), (1280, 720), (4000, 3000)].map { width, height in
    pictureWorkload("letterbox-tensor", width, height, to: "1×3×640×640", bytes: 640 * 640 * 3 * 4) { image in
      let box = try Letterbox(imageWidth: width, imageHeight: height, width: 640, height: 640)
      return { try box.tensor(image) }
    }
  }
  let filters: [ResizeFilter] = [.nearest, .bilinear, .antialiasedBilinear, .antialiasedBicubic, .lanczos]
  let smaller = filters.map { filter in
    pictureWorkload("resize-\(filter.rawValue)", 1920, 1080, to: "640×360", bytes: 640 * 360 * 3) { image in
      {
        _ = try image.resized(width: 640, height: 360, filter: filter)
        return nil
      }
    }
  }
  let square = pictureWorkload("classifier-tensor", 4000, 3000, to: "1×3×299×299", bytes: 299 * 299 * 3 * 4) { image in
    let input = ImageInput(width: 299, height: 299, fit: .centerCrop, filter: .antialiasedBilinear)
    return { try input.tensor(image) }
  }
  return letterboxes + smaller + [
    square, suppression(things: 40, boxesEach: 50), suppression(things: 8400, boxesEach: 1),
  ]
}

/// Suppression of boxes, many of which show the same thing.
private func suppression(things: Int, boxesEach: Int) -> Workload {
  let count = things * boxesEach
  return Workload(
    name: "image/suppression-\(things)x\(boxesEach)", shape: "\(count) boxes of \(things) things",
    cost: .bytes(Double(count * MemoryLayout<PixelBox>.stride)), twin: nil
  ) {
    let boxes = (0..<count).map { index in
      let (thing, shift) = (index % things, Double(index / things) * 0.2)
      let (x, y) = (Double(thing * 37 % 600) + shift, Double(thing * 91 % 560) + shift)
      return PixelBox(x0: x, y0: y, x1: x + 30, y1: y + 60)
    }
    let scores = (0..<count).map { Float($0 &* 7919 % 1009) / 1009 }
    let classes = (0..<count).map { $0 % things % 80 }
    return {
      _ = NonMaximumSuppression.kept(
        boxes: boxes, scores: scores, classes: classes, overlap: 0.45, isClassAgnostic: false, maximumCount: 300)
      return nil
    }
  }
}

private func pictureWorkload(
  _ name: String, _ width: Int, _ height: Int, to result: String, bytes: Int,
  _ prepare: @escaping (Image<UInt8>) throws -> Workload.Body
) -> Workload {
  Workload(
    name: "image/\(name)-\(width)x\(height)", shape: "\(width)×\(height) to \(result)",
    cost: .bytes(Double(width * height * 3 + bytes)), twin: nil
  ) {
    // Slopes with something like noise.
    let samples = (0..<width * height * 3).map { UInt8(truncatingIfNeeded: $0 / 7 &+ ($0 &* 2_654_435_761) >> 27) }
    return try prepare(try Image(width: width, height: height, color: .rgb, samples: samples))
  }
}
