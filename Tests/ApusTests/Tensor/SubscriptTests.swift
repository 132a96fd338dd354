import Testing

@testable import Apus

/// Expected values are those of the same expressions in NumPy on `arange(24).reshape(2, 3, 4)`.
@Suite struct SubscriptTests {
  private let x: Tensor<Int32>

  init() throws { x = try Tensor((0..<24).map { Int32($0) }, shape: [2, 3, 4]) }

  @Test func positionsTakeTheirAxesAway() throws {
    #expect(try x[1].shape == [3, 4])
    #expect(try x[1, 2].elements == [20, 21, 22, 23])
    #expect(try x[-1, 0, -2].elements == [14])
    #expect(try x[-1, 0, -2].shape == [])
  }

  @Test func rangesKeepTheirAxes() throws {
    #expect(try x[0..<1].shape == [1, 3, 4])
    #expect(try x[0, 1..., ..<2].elements == [4, 5, 8, 9])
    #expect(try x[0, 1..., ..<2].shape == [2, 2])
    #expect(try x[0..., ...0, 3].elements == [3, 15])
    #expect(try x[0, 0, 1...2].elements == [1, 2])
  }

  @Test func rangesAreCutToTheAxis() throws {
    #expect(try x[0, 2..<9].shape == [1, 4])
    #expect(try x[0, 7...].shape == [0, 4])
    #expect(try x[0, 0, 0...Int.max].elements == [0, 1, 2, 3])
    #expect(try x[0, 0, ...Int.max].elements == [0, 1, 2, 3])
    #expect(try x[0, 0, Int.min...].elements == [0, 1, 2, 3])
  }

  @Test func aWholeRangeIsTheWhole() throws {
    #expect(try x[0...].elements == x.elements)
  }

  @Test func positionsOutsideAreRefused() {
    #expect(throws: TensorError.self) { try x[2] }
    #expect(throws: TensorError.self) { try x[0, -4] }
    #expect(throws: TensorError.self) { try x[0, 0, 0, 0] }
  }
}
