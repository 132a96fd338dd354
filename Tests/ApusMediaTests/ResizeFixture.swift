import Apus
import ApusMedia
import Testing

/// What `generate/image_transforms.py` wrote.
struct TransformFixture: Sendable {
  private let file: SafetensorsFile

  init() throws {
    file = try SafetensorsFile(path: mediaFixture("transform.safetensors"))
  }

  func elements<Scalar: TensorScalar>(_ name: String, as type: Scalar.Type) throws -> [Scalar] {
    try file.tensor(named: name, as: type).elements
  }

  /// The cases of a kind, as their names say: `kind.width.height.channels.newWidth.newHeight`, and maybe a box.
  func cases(_ kind: String) throws -> [ResizeCase] {
    let names = file.tensorNames.filter { $0.hasPrefix(kind + ".") }.sorted()
    try #require(!names.isEmpty)
    return try names.map { name in
      let numbers = name.dropFirst(kind.count + 1).split(separator: ".").compactMap { Double($0) }
      try #require(numbers.count == 5 || numbers.count == 9)
      let sides = numbers.prefix(5).map { Int($0) }
      return ResizeCase(
        name: name, image: pattern(width: sides[0], height: sides[1], channels: sides[2]), width: sides[3],
        height: sides[4],
        box: numbers.count == 9
          ? PixelBox(x0: numbers[5] / 4, y0: numbers[6] / 4, x1: numbers[7] / 4, y1: numbers[8] / 4) : nil)
    }
  }
}

struct ResizeCase {
  let name: String
  let image: Image<UInt8>
  let width: Int
  let height: Int
  let box: PixelBox?
}

/// The picture that the Python script of the fixture makes under this name.
func pattern(width: Int, height: Int, channels: Int) -> Image<UInt8> {
  var samples: [UInt8] = []
  for y in 0..<height {
    for x in 0..<width {
      for c in 0..<channels {
        let noise = UInt32(truncatingIfNeeded: (x * 7919 + y * 104_729 + c * 1_299_709) * 2_654_435_761) >> 26
        let edge = (x / 6 + y / 4) % 2 == 1 ? 120 : 0
        samples.append(UInt8(truncatingIfNeeded: x * 5 + y * 3 + c * 40 + Int(noise) + edge))
      }
    }
  }
  let color = ColorModel.allCases.first { $0.channels == channels }
  guard let color, let image = try? Image(width: width, height: height, color: color, samples: samples) else {
    preconditionFailure("no picture has \(channels) channels")
  }
  return image
}

/// Runs `body` on every kernel variant with one and with several threads; nothing but `body` compares what it makes.
func inEverySetting(_ body: (_ setting: String) throws -> Void) rethrows {
  for variant in Execution.availableVariants {
    for threads in [1, 3] {
      try Execution.with(threads: threads, variant: variant) { try body("\(variant), \(threads) threads") }
    }
  }
}
