import Apus
import ApusMedia
import Testing

@Suite struct NormalizationTests {
  /// A picture whose channels go through all bytes in different orders.
  private let image: Image<UInt8>

  init() throws {
    let samples = (UInt8.min...UInt8.max).flatMap { [$0, 255 - $0, $0 &* 7] }
    image = try Image(width: 16, height: 16, color: .rgb, samples: samples)
  }

  @Test func everyByteBecomesWhatNumPyMakesOfIt() throws {
    let fixture = try TransformFixture()
    let unit = try fixture.elements("normalization.unit", as: Float.self)
    let imageNet = try fixture.elements("normalization.imagenet", as: Float.self)
    try inEverySetting { setting in
      for (order, sources) in [(ColorOrder.rgb, [0, 1, 2]), (.bgr, [2, 1, 0])] {
        for (normalization, table) in [(ImageNormalization.unit, unit + unit + unit), (.imageNet, imageNet)] {
          let planes = try Tensor(image, order: order, normalization: normalization)
          #expect(planes.shape == [1, 3, 16, 16])
          let expected: [Float] = sources.enumerated().flatMap { plane, source in
            let levels = (0..<256).map { pixel in Int(image.samples[3 * pixel + source]) }
            return levels.map { level in table[256 * plane + level] }
          }
          #expect(try planes.elements == expected, "\(order), \(setting)")
          let pixels = try Tensor(image, layout: .nhwc, order: order, normalization: normalization)
          #expect(pixels.shape == [1, 16, 16, 3])
          let interleaved = (0..<256).flatMap { pixel in (0..<3).map { plane in expected[256 * plane + pixel] } }
          #expect(try pixels.elements == interleaved)
        }
      }
      #expect(try Tensor(image, layout: .nhwc, normalization: .bytes).elements == image.samples.map { Float($0) })
    }
  }

  @Test func aGreyPictureHasOneChannel() throws {
    let gray = try Image<UInt8>(width: 2, height: 1, color: .gray, samples: [0, 51])
    let tensor = try Tensor(gray)
    #expect(tensor.shape == [1, 1, 1, 2])
    #expect(try tensor.elements == [0, Float(51) / 255])
    #expect(try Tensor(gray, normalization: .init(mean: [1], deviation: [2])).elements == [-0.5, -0.4])
  }

  @Test(arguments: [
    ImageNormalization(mean: [0], deviation: [1]), ImageNormalization(mean: [0, 0, 0], deviation: [1, 1]),
    ImageNormalization(divisor: 0), ImageNormalization(divisor: .nan), ImageNormalization(mean: [0, .infinity, 0]),
    ImageNormalization(deviation: [1, 0, 1]), ImageNormalization(mean: [], deviation: []),
  ])
  func whatCannotBeComputedIsRefused(normalization: ImageNormalization) {
    #expect(throws: ImageError.self) { try Tensor(image, normalization: normalization) }
  }

  @Test func opacityIsRefused() {
    #expect(throws: ImageError.self) { try Tensor(pattern(width: 2, height: 2, channels: 4)) }
    #expect(throws: ImageError.self) { try Tensor(pattern(width: 2, height: 2, channels: 2)) }
  }
}
