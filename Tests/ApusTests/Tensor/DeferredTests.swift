import ApusTestSupport
import Testing

@testable import Apus

/// Tensors whose elements are made when they are needed, beside the same elements made beforehand.
@Suite struct DeferredTests {
  /// Numbers of sixteen bits, deferred and converted.
  private func halves(_ shape: [Int], seed: UInt64) throws -> (deferred: Tensor<Float>, made: Tensor<Float>) {
    let stored = try randomTensor(shape, seed: seed, as: Float.self).converted(to: BFloat16.self)
    return (try stored.deferringConversion(to: Float.self), try stored.converted(to: Float.self))
  }

  private func randomBytes(_ count: Int, seed: UInt64) -> [UInt8] {
    var generator = SplitMix64(seed: seed)
    return randomIntegers(count, in: 0...255, using: &generator)
  }

  /// Code `index` of `bits` bits, bit by bit.
  private func code(_ index: Int, _ bits: Int, _ bytes: [UInt8]) -> UInt8 {
    (0..<bits).reduce(0) { code, bit in
      let place = index * bits + bit
      return code | (bytes[place / 8] >> UInt8(place % 8) & 1) << UInt8(bit)
    }
  }

  @Test func lookingMakesThemOnce() throws {
    let (deferred, made) = try halves([300, 257], seed: 1)
    #expect(deferred.deferredSource != nil)
    let reshaped = try deferred.reshaped([257, 300])
    #expect(reshaped.deferredSource != nil)
    #expect(try reshaped.bytes == made.bytes)
    #expect(deferred.deferredSource == nil)
    #expect(try deferred.bytes == made.bytes)
    // A copy that is written to leaves the other as it was.
    var changed = deferred
    try changed.setElement(0, 0, to: 77)
    #expect(try deferred.bytes == made.bytes)
  }

  @Test func aRaisedSignLeavesNothingOut() throws {
    let (deferred, made) = try halves([400, 400], seed: 2)
    let stop = StopSign(deadline: 0)
    #expect(stop.check())
    let sum = try Execution.with(stop: stop) { try deferred.elements.reduce(0, +) }
    #expect(try sum == made.elements.reduce(0, +))
    #expect(try deferred.bytes == made.bytes)
  }

  @Test func manyTasksMayLookAtOnce() async throws {
    let (deferred, made) = try halves([500, 301], seed: 3)
    let expected = try made.bytes
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<16 { group.addTask { try deferred.bytes == expected } }
      for try await isSame in group { #expect(isSame) }
    }
  }

  @Test(arguments: 1...8)
  func packedCodes(bits: Int) throws {
    let count = 1003
    let bytes = randomBytes((count * bits + 7) / 8, seed: UInt64(bits))
    let codes = try PackedCodes(Tensor(bytes), bits: bits)
    for range in [0..<count, 1..<2, 5..<5, 6..<401, 7..<count, count - 1..<count] {
      let found = try Tensor<UInt8>.filled([range.count]) { codes.write(range, to: $0) }
      #expect(try found.elements == range.map { code($0, bits, bytes) }, "\(range)")
    }
  }

  /// Tables for parts of even and of odd length, and codes that are packed and such that are not.
  @Test(arguments: [
    (4, 1, 9001), (4, 2, 9000), (4, 3, 15_003), (4, 500, 9000), (2, 1, 4097), (6, 2, 5000), (8, 1, 777),
  ])
  func tableEntries(bits: Int, tables: Int, count: Int) throws {
    let entries = 1 << bits
    let bytes = randomBytes((count * bits + 7) / 8, seed: 9)
    let table = try randomTensor([tables, entries], seed: 10, as: Float.self)
    let numbers = try table.elements
    let expected = (0..<count).map { numbers[$0 / (count / tables) * entries + Int(code($0, bits, bytes))] }
    let packed = try Tensor(deferring: PackedCodes(Tensor(bytes), bits: bits), shape: [count])
    let plain = try Tensor<UInt8>((0..<count).map { code($0, bits, bytes) })
    for codes in [packed, plain] {
      let source = try TableEntries(codes: codes, tables: table, entries: entries)
      for range in [0..<count, 1..<count, 1..<2, 3..<700, 255..<256, count / 2..<count] {
        let found = try Tensor<Float>.filled([range.count]) { source.write(range, to: $0) }
        #expect(try found.elements == Array(expected[range]), "\(range)")
      }
    }
    #expect(packed.deferredSource != nil)
  }

  /// Laid out in tiles: depths and columns beyond a tile and beyond the longest line, and such that no vector divides.
  @Test(arguments: [
    (1, 1), (5, 3), (16, 16), (17, 33), (33, 17), (300, 130), (40, 5000), (5000, 40), (2049, 65), (700, 2100),
  ])
  func linear(inputs: Int, outputs: Int) throws {
    let bias = try randomTensor([outputs], seed: 5, as: Float.self)
    let x = try randomTensor([3, inputs], seed: 6, as: Float.self)
    for isOutputsFirst in [true, false] {
      let (deferred, made) = try halves(isOutputsFirst ? [outputs, inputs] : [inputs, outputs], seed: 4)
      func piece(_ weight: Tensor<Float>) -> LinearWeight<Float> {
        isOutputsFirst ? .outputsFirst(weight) : .inputsFirst(weight)
      }
      let found = try resultsByVariant { try Linear(stacking: [piece(deferred)], bias: bias)(x) }
      for (variant, y) in found {
        let expected = try Execution.with(variant: variant) { try Linear(stacking: [piece(made)], bias: bias)(x) }
        #expect(try y.bytes == expected.bytes, "\(variant)")
      }
      #expect(deferred.deferredSource != nil)
    }
  }

  @Test func piecesOfBothKindsAreOneMatrix() throws {
    let (first, firstMade) = try halves([50, 37], seed: 7)
    let (last, lastMade) = try halves([19, 50], seed: 8)
    let middle = try randomTensor([50, 21], seed: 9, as: Float.self)
    let x = try randomTensor([4, 77], seed: 10, as: Float.self)
    let found = try resultsByVariant {
      try Linear(stacking: [.outputsFirst(first), .outputsFirst(middle), .inputsFirst(last)])(x)
    }
    for (variant, y) in found {
      let expected = try Execution.with(variant: variant) {
        try Linear(stacking: [.outputsFirst(firstMade), .outputsFirst(middle), .inputsFirst(lastMade)])(x)
      }
      #expect(try y.bytes == expected.bytes, "\(variant)")
    }
  }

  @Test func aFewEntriesAreMadeAlone() throws {
    let (deferred, made) = try halves([100, 7, 3], seed: 11)
    let few = try Tensor<Int64>([3, -1, 99, 0, -100, 3], shape: [2, 3])
    #expect(try deferred.indexSelect(axis: 0, few).bytes == made.indexSelect(axis: 0, few).bytes)
    #expect(try deferred.indexSelect(axis: 0, few).shape == [2, 3, 7, 3])
    #expect(deferred.deferredSource != nil)
    let beyond = try Tensor<Int64>([100])
    #expect(throws: TensorError.self) { try deferred.indexSelect(axis: 0, beyond) }
    let others = try Tensor<Int64>([6, 0])
    #expect(try deferred.indexSelect(axis: 1, others).bytes == made.indexSelect(axis: 1, others).bytes)
    let (again, _) = try halves([100, 7, 3], seed: 11)
    let many = try Tensor<Int64>((0..<60).map { Int64($0) })
    #expect(try again.indexSelect(axis: 0, many).bytes == made.indexSelect(axis: 0, many).bytes)
  }
}
