import Testing

@testable import Apus

@Suite struct MemoryArenaTests {
  private let places = [0, 64].map { MemoryArena.Place(offset: $0, byteCount: 4096) }

  @Test func aTensorOfTheSizeOfferedLiesInItsPlace() throws {
    let arena = try MemoryArena(byteCount: 8192, places: places)
    try TaskMemory.with(arena: arena) {
      arena.offer(0..<1)
      let other = try Tensor<Float>(zeros: [1000])
      #expect(arena.takenByteCount == 0)
      let tensor = try Tensor<Float>(zeros: [1024])
      #expect(arena.takenByteCount == 4096)
      let second = try Tensor<Float>(zeros: [1024])
      #expect(arena.takenByteCount == 4096)
      withExtendedLifetime((other, tensor, second)) {}
    }
    #expect(arena.takenByteCount == 0)
  }

  @Test func aPlaceIsNotGivenWhileSomethingThereIsAlive() throws {
    let arena = try MemoryArena(byteCount: 8192, places: places)
    try TaskMemory.with(arena: arena) {
      arena.offer(1..<2)
      var first: Tensor<Float>? = try Tensor(repeating: 1, shape: [1024])
      let address = first?.pointer
      // Another place that overlaps the first, and the same.
      arena.offer(0..<1)
      let second = try Tensor<Float>(repeating: 2, shape: [1024])
      #expect(arena.takenByteCount == 4096)
      #expect(try first?.elements.allSatisfy { $0 == 1 } == true)
      // A view keeps it alive as well.
      var view = try first?.reshaped([32, 32])
      first = nil
      let third = try Tensor<Float>(repeating: 3, shape: [1024])
      #expect(third.pointer != address)
      #expect(try view?.elements.allSatisfy { $0 == 1 } == true)
      view = nil
      arena.offer(1..<2)
      let fourth = try Tensor<Float>(repeating: 4, shape: [1024])
      #expect(fourth.pointer == address)
      #expect(try second.elements.allSatisfy { $0 == 2 })
    }
  }

  /// One that may have either of two sizes has two places, and what lies in one of them keeps both.
  @Test func anOfferHoldsForEachSize() throws {
    let sizes = [2048, 4096].map { MemoryArena.Place(offset: 0, byteCount: $0) }
    let arena = try MemoryArena(byteCount: 4096, places: sizes)
    try TaskMemory.with(arena: arena) {
      arena.offer(0..<2)
      for count in [512, 1024, 512] {
        let tensor = try Tensor<Float>(zeros: [count])
        #expect(arena.takenByteCount == 4 * count)
        let other = try Tensor<Float>(zeros: [1536 - count])
        #expect(arena.takenByteCount == 4 * count)
        withExtendedLifetime((tensor, other)) {}
      }
    }
  }

  @Test func aTensorKeepsTheMemoryThatItLiesIn() throws {
    var arena: MemoryArena? = try MemoryArena(byteCount: 4096, places: places)
    weak let reference = arena
    var tensor: Tensor<Float>? = try TaskMemory.with(arena: arena) {
      arena?.offer(0..<1)
      return try Tensor(repeating: 5, shape: [1024])
    }
    arena = nil
    #expect(reference != nil)
    #expect(try tensor?.elements.allSatisfy { $0 == 5 } == true)
    tensor = nil
    #expect(reference == nil)
  }

  @Test func otherThreadsSeeNoOffer() async throws {
    let arena = try MemoryArena(byteCount: 4096, places: [])
    let other = TaskMemory.with(arena: arena) {
      #expect(TaskMemory.current.arena === arena)
      return Task.detached { TaskMemory.current.arena == nil }
    }
    #expect(await other.value)
  }

  @Test func wrongOffersAreNotTaken() throws {
    let places = [64, -64, Int.max].map { MemoryArena.Place(offset: $0, byteCount: 4096) }
    let arena = try MemoryArena(byteCount: 4096, places: places)
    try TaskMemory.with(arena: arena) {
      for range in [0..<1, 1..<2, 2..<3, 0..<3, 3..<9] {
        arena.offer(range)
        let tensor = try Tensor<Float>(zeros: [1024])
        #expect(arena.takenByteCount == 0)
        withExtendedLifetime(tensor) {}
      }
    }
  }

  @Test func sizesAreThoseThatTensorsTake() throws {
    #expect(try MemoryArena.byteCounts([2, 3], .float64) == [48])
    #expect(try MemoryArena.byteCounts([2, 20, 5, 5], .float32) == [4000, 6400])
    #expect(try MemoryArena.byteCounts([2, 16, 5, 5], .float32) == [3200])
    #expect(try MemoryArena.byteCounts([2, 20, 5, 5], .float64) == [8000])
    #expect(throws: TensorError.self) { try MemoryArena.byteCounts([1 << 40, 1 << 40], .float32) }
  }

  @Test func elementsAreReplacedInMemoryThatIsNotShared() throws {
    var x = try Tensor<Double>([-1, 2, -3])
    let address = x.pointer
    try x.apply(.absolute)
    #expect(x.pointer == address)
    #expect(try x.elements == [1, 2, 3])
    let held = x
    try x.apply(.negate)
    #expect(x.pointer != address)
    #expect(try held.elements == [1, 2, 3])
    #expect(try x.elements == [-1, -2, -3])
  }
}
