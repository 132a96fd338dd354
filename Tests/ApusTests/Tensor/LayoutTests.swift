import Testing

@testable import Apus

@Suite("Tensor layouts")
struct LayoutTests {
  static let shapes = [
    [1, 16, 1], [2, 32, 5], [1, 16, 17], [3, 48, 3, 7], [1, 64, 20, 20], [1, 16, 100, 101], [0, 16, 3], [2, 16, 0],
    [2, 24, 5], [1, 9, 3, 3], [3, 31, 2, 7], [2, 144, 9], [1, 15, 1],
    [1, 24, 8, 9], [1, 31, 16, 33], [2, 12, 41], [1, 9, 15],
  ]

  @Test("channel-blocked is [batch, channels / 16 rounded up, positions, 16], and back", arguments: shapes)
  func roundTrip(shape: [Int]) throws {
    let x: Tensor<Float> = try randomTensor(shape, seed: 1)
    for (variant, blocked) in try resultsByVariant({ try x.channelBlocked }) {
      #expect(blocked.layout == .channelBlocked && blocked.shape == shape)
      let positions = shape[2...].reduce(1, *)
      let source = try x.elements
      let memory = withExtendedLifetime(blocked.storage) {
        Array(UnsafeBufferPointer(start: blocked.pointer, count: blocked.storedCount))
      }
      var isRight = true
      for n in 0..<shape[0] {
        for c in 0..<shape[1] {
          for p in 0..<positions {
            let place = ((n * ((shape[1] + 15) / 16) + c / 16) * positions + p) * 16 + c % 16
            isRight = isRight && memory[place] == source[(n * shape[1] + c) * positions + p]
          }
        }
      }
      #expect(isRight, "\(variant)")
      #expect(try blocked.rowMajor.bytes == x.bytes, "\(variant)")
    }
  }

  @Test("what cannot be blocked stays row-major")
  func unsuitable() throws {
    #expect(try Tensor<Float>(zeros: [2, 8, 4]).channelBlocked.layout == .rowMajor)
    #expect(try Tensor<Float>(zeros: [2, 0, 4]).channelBlocked.layout == .rowMajor)
    #expect(try Tensor<Float>(zeros: [2, 16]).channelBlocked.layout == .rowMajor)
    #expect(try Tensor<Double>(zeros: [2, 16, 4]).channelBlocked.layout == .rowMajor)
  }
}
