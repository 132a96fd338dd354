import ApusPlatform
import Testing

@testable import Apus

/// A sanitizer's allocator ends the program where the system's returns null.
private let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

@Suite struct BufferPoolTests {
  @Test func sizeClassesWasteAQuarterAtMost() {
    var previous = 0
    for size in [0, 1, 255, 256, 257, 320, 321, 1 << 20, (1 << 20) + 1, 3 << 30, 1 << 61] {
      let rounded = BufferPool.sizeClass(size)
      #expect(rounded >= max(size, previous))
      #expect(Double(rounded) <= Double(max(size, 256)) * 1.25)
      #expect(BufferPool.sizeClass(rounded) == rounded)
      previous = rounded
    }
  }

  @Test func memoryIsAligned() throws {
    let pool = BufferPool()
    for size in [0, 1, 100, 4_096, 1_000_003] {
      let buffer = try pool.allocate(byteCount: size)
      #expect(UInt(bitPattern: buffer.base) % UInt(AlignedMemory.alignment) == 0)
      pool.recycle(buffer)
    }
  }

  @Test func releasedMemoryCountsNoMoreAndIsNotKept() throws {
    let pool = BufferPool(memoryLimit: 5000)
    for _ in 0..<3 {
      let buffer = try pool.allocate(byteCount: 4000)
      #expect(pool.usedByteCount == 4000)
      pool.release(buffer)
      #expect(pool.usedByteCount == 0)
      #expect(pool.idleByteCount == 0)
    }
  }

  @Test func whatIsReservedCountsWithTheBuffers() throws {
    let pool = BufferPool(idleLimit: 1 << 20, memoryLimit: 10_000)
    try pool.reserve(byteCount: 6000)
    #expect(throws: TensorError.memory(bytes: 5000, limit: 10_000)) { try pool.allocate(byteCount: 5000) }
    pool.recycle(try pool.allocate(byteCount: 4000))
    #expect(pool.usedByteCount == 6000 && pool.idleByteCount == BufferPool.sizeClass(4000))
    #expect(throws: TensorError.memory(bytes: 4001, limit: 10_000)) { try pool.reserve(byteCount: 4001) }
    // What is idle makes room.
    try pool.reserve(byteCount: 4000)
    #expect(pool.usedByteCount == 10_000 && pool.idleByteCount == 0)
    pool.endReservation(byteCount: 10_000)
    #expect(pool.usedByteCount == 0)
  }

  @Test func reservationsCountInTheAccountOfTheTaskThatMadeThem() throws {
    let account = MemoryAccount(limit: 1000)
    try TaskMemory.with(account: account) {
      let memory = try MemoryReservation([10, 10], of: Int64.self, operation: "test")
      #expect(account.usedByteCount == 800)
      #expect(throws: TensorError.growth(bytes: 201, limit: 1000)) { try memory.grow(by: 201) }
      try memory.grow(by: 200)
      memory.shrink(by: 500)
      #expect(account.usedByteCount == 500)
      withExtendedLifetime(memory) {}
    }
    #expect(account.usedByteCount == 0)
    #expect(throws: TensorError.growth(bytes: 1024, limit: 1000, shape: [128])) {
      try TaskMemory.with(account: account) { try MemoryReservation([128], of: Int64.self, operation: "test") }
    }
    #expect(account.usedByteCount == 0)
  }

  @Test func countedListsGrowWithinTheAccount() throws {
    let account = MemoryAccount(limit: 64 * 8 * 3)
    try TaskMemory.with(account: account) {
      var list = CountedList<Int64>()
      for index in 0..<128 { try list.append(Int64(index)) }
      #expect(list.elements == (0..<128).map { Int64($0) } && account.usedByteCount == 128 * 8)
      #expect(throws: TensorError.growth(bytes: 256 * 8, limit: 64 * 8 * 3)) { try list.append(0) }
    }
    #expect(account.usedByteCount == 0)
  }

  @Test func recycledMemoryIsUsedAgain() throws {
    let pool = BufferPool(idleLimit: 1 << 20)
    let first = try pool.allocate(byteCount: 10_000)
    pool.recycle(first)
    // The same class, though not the same size.
    let second = try pool.allocate(byteCount: 10_100)
    #expect(first.base == second.base)
    let third = try pool.allocate(byteCount: 10_000)
    #expect(third.base != second.base)
    pool.recycle(second)
    pool.recycle(third)
    #expect(pool.usedByteCount == 0)
    #expect(pool.idleByteCount == 2 * BufferPool.sizeClass(10_000))
  }

  @Test func aLargerOneIsLentWhereNothingFits() throws {
    let pool = BufferPool(idleLimit: 1 << 24)
    let large = try pool.allocate(byteCount: 4 << 20)
    pool.recycle(large)
    // Four times as large at most, for what is given back soon, and none that is small.
    for size in [3 << 18, 1 << 10] {
      let own = try pool.allocate(byteCount: size)
      #expect(own.base != large.base)
      #expect(own.capacity == BufferPool.sizeClass(size))
      pool.release(own)
    }
    let kept = try pool.allocate(byteCount: 2 << 20, lending: false)
    #expect(kept.base != large.base)
    pool.release(kept)
    let lent = try pool.allocate(byteCount: 1 << 20)
    #expect(lent.base == large.base)
    #expect(pool.usedByteCount == 1 << 20)
    #expect(pool.idleByteCount == 0)
    pool.recycle(lent)
    #expect(pool.idleByteCount == 4 << 20)
    // And is of its own size again.
    let again = try pool.allocate(byteCount: 4 << 20)
    #expect(again.base == large.base)
    pool.recycle(again)
    #expect(pool.usedByteCount == 0)
  }

  @Test func manySizesShareMemory() throws {
    let pool = BufferPool(idleLimit: 1 << 24)
    for size in stride(from: 4 << 20, through: 1 << 20, by: -100_000) {
      pool.recycle(try pool.allocate(byteCount: size))
    }
    #expect(pool.idleByteCount == 4 << 20)
  }

  @Test func buffersInUseNeverOverlap() throws {
    let pool = BufferPool(idleLimit: 1 << 22)
    var generator = SystemRandomNumberGenerator()
    var inUse: [(buffer: BufferPool.Buffer, mark: UInt8)] = []
    for round in 0..<5_000 {
      if inUse.count < 40, Bool.random(using: &generator) {
        let count = Int.random(in: 0...60_000, using: &generator)
        let buffer = try pool.allocate(byteCount: count)
        let mark = UInt8(truncatingIfNeeded: round)
        buffer.base.initializeMemory(as: UInt8.self, repeating: mark, count: count)
        inUse.append((buffer, mark))
      } else if let index = inUse.indices.randomElement(using: &generator) {
        let (buffer, mark) = inUse.remove(at: index)
        let bytes = UnsafeRawBufferPointer(start: buffer.base, count: buffer.byteCount)
        #expect(bytes.allSatisfy { $0 == mark })
        pool.recycle(buffer)
      }
    }
    for (buffer, _) in inUse { pool.recycle(buffer) }
    #expect(pool.usedByteCount == 0)
  }

  @Test func nothingGrowsInSteadyState() throws {
    let pool = BufferPool(idleLimit: 1 << 24)
    let sizes = [1_000, 40_000, 500, 40_000, 123_456]
    func round() throws {
      let buffers = try sizes.map { try pool.allocate(byteCount: $0) }
      for buffer in buffers { pool.recycle(buffer) }
    }
    try round()
    let idle = pool.idleByteCount
    for _ in 0..<10_000 { try round() }
    #expect(pool.idleByteCount == idle)
    #expect(pool.usedByteCount == 0)
  }

  @Test func whatIsUsedNowStaysAndTheRestGoes() throws {
    let pool = BufferPool(idleLimit: 1 << 20)
    func fill(_ size: Int, _ count: Int) throws {
      let buffers = try (0..<count).map { _ in try pool.allocate(byteCount: size) }
      for buffer in buffers { pool.recycle(buffer) }
    }
    try fill(1 << 16, 32)
    #expect(pool.idleByteCount == 1 << 20)
    try fill(1 << 19, 2)
    #expect(pool.idleByteCount <= 1 << 20)
    let one = try pool.allocate(byteCount: 1 << 19)
    let two = try pool.allocate(byteCount: 1 << 19)
    // Both came from what was idle.
    #expect(pool.idleByteCount == 0)
    pool.recycle(one)
    pool.recycle(two)
    // More than the limit goes back at once, and so did what was idle when it was asked for.
    let large = try pool.allocate(byteCount: 2 << 20)
    #expect(pool.idleByteCount == 0)
    pool.recycle(large)
    #expect(pool.idleByteCount == 0)
    try fill(1 << 19, 1)
    pool.trim()
    #expect(pool.idleByteCount == 0)
  }

  @Test func asManyBytesOfSmallerOnesGiveWay() throws {
    let pool = BufferPool(idleLimit: 1 << 30)
    let small = try (0..<8).map { _ in try pool.allocate(byteCount: 1 << 17) }
    let tiny = try pool.allocate(byteCount: 1 << 10)
    let large = try pool.allocate(byteCount: 1 << 22)
    for buffer in small + [tiny, large] { pool.recycle(buffer) }
    let all = pool.idleByteCount
    // Four of the eight; what is larger stays, as does what takes little.
    let new = try pool.allocate(byteCount: 1 << 19, lending: false)
    #expect(pool.idleByteCount == all - 1 << 19)
    pool.recycle(new)
    #expect(pool.idleByteCount == all)
  }

  @Test func whatIsUsedAgainAndAgainIsKept() throws {
    let pool = BufferPool(idleLimit: 1 << 20)
    func run() throws -> Set<UnsafeMutableRawPointer> {
      let buffers = try (0..<3).map { _ in try pool.allocate(byteCount: 2 << 20) }
      for buffer in buffers { pool.recycle(buffer) }
      return Set(buffers.map(\.base))
    }
    _ = try run()
    #expect(pool.idleByteCount == 0)
    pool.beginRecurringUse()
    pool.beginRecurringUse()
    let places = try run()
    #expect(pool.idleByteCount == 6 << 20)
    #expect(try run() == places)
    // No more than was held at most, and the usual limit.
    let others = try (0..<3).map { _ in try pool.allocate(byteCount: 1 << 20, lending: false) }
    for other in others { pool.recycle(other) }
    #expect(pool.idleByteCount == 7 << 20)
    pool.endRecurringUse()
    #expect(pool.idleByteCount == 7 << 20)
    pool.endRecurringUse()
    #expect(pool.idleByteCount <= 1 << 20)
    // What is given back on demand counts no longer.
    pool.beginRecurringUse()
    pool.trim()
    let small = try pool.allocate(byteCount: 1 << 10)
    pool.recycle(small)
    #expect(pool.idleByteCount == 1 << 10)
    pool.endRecurringUse()
  }

  /// Whatever gives way to something larger: after a few runs a network has all that it needs.
  @Test(arguments: 1...20) func theSameRunsComeToRest(seed: UInt64) throws {
    let pool = BufferPool(idleLimit: 1 << 30)
    var generator = SplitMix64(seed: seed)
    let steps = (0..<60).map { _ in
      (
        size: 1 << Int.random(in: 14...22, using: &generator) + Int.random(in: 0...9_999, using: &generator),
        life: Int.random(in: 1...8, using: &generator)
      )
    }
    func run() throws -> Set<UnsafeMutableRawPointer> {
      var (alive, places) = ([(buffer: BufferPool.Buffer, end: Int)](), Set<UnsafeMutableRawPointer>())
      for (index, step) in steps.enumerated() {
        for (buffer, _) in alive.filter({ $0.end <= index }) { pool.recycle(buffer) }
        alive.removeAll { $0.end <= index }
        let buffer = try pool.allocate(byteCount: step.size)
        alive.append((buffer, index + step.life))
        places.insert(buffer.base)
      }
      for (buffer, _) in alive { pool.recycle(buffer) }
      return places
    }
    for _ in 0..<20 { _ = try run() }
    let (places, bytes) = (try run(), pool.idleByteCount)
    for _ in 0..<20 {
      #expect(try places.isSuperset(of: run()))
      #expect(pool.idleByteCount == bytes)
    }
  }

  @Test(arguments: [0, 1 << 10, 1 << 16, 1 << 30])
  func whatABufferHeldDoesNotMatter(idleLimit: Int) throws {
    let pool = BufferPool(idleLimit: idleLimit)
    for size in [1, 7, 300, 5_000, 70_000, 300] {
      let buffers = try (0..<3).map { _ in try pool.allocate(byteCount: size) }
      for buffer in buffers {
        buffer.base.initializeMemory(as: UInt8.self, repeating: 0xFF, count: size)
        pool.recycle(buffer)
      }
    }
    #expect(pool.usedByteCount == 0)
    #expect(pool.idleByteCount <= idleLimit)
  }

  @Test func tooMuchIsAnError() throws {
    let limit = 1 << 20
    let pool = BufferPool(memoryLimit: limit)
    for size in [-1, Int.min, Int.max, limit + 1] {
      #expect(throws: TensorError.memory(bytes: size, limit: limit)) { try pool.allocate(byteCount: size) }
    }
    #expect(pool.usedByteCount == 0)
  }

  @Test func allTensorsTogetherCount() throws {
    let limit = 1_000_000
    let part = 250_000
    let pool = BufferPool(memoryLimit: limit)
    var buffers: [BufferPool.Buffer] = []
    #expect(throws: TensorError.memory(bytes: part, limit: limit)) {
      for _ in 0..<5 { buffers.append(try pool.allocate(byteCount: part)) }
    }
    #expect(buffers.count == 4)
    for buffer in buffers { pool.recycle(buffer) }
    #expect(pool.usedByteCount == 0)
    // What is idle does not stand in the way.
    let whole = try pool.allocate(byteCount: limit)
    #expect(pool.idleByteCount == 0)
    pool.recycle(whole)
  }

  @Test(.disabled(if: isSanitized, "a sanitizer's allocator ends the program"))
  func whatTheSystemRefusesIsAnError() {
    let pool = BufferPool(memoryLimit: .max)
    #expect(throws: TensorError.memory(bytes: 1 << 60, limit: .max)) { try pool.allocate(byteCount: 1 << 60) }
    #expect(throws: TensorError.memory(bytes: .max, limit: .max)) { try pool.allocate(byteCount: .max) }
    #expect(pool.usedByteCount == 0)
  }

  @Test func severalTasksAtOnce() async throws {
    let pool = BufferPool(idleLimit: 1 << 20)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for round in 0..<2_000 {
            let size = 64 + (round * 7 + task * 13) % 3_000
            let buffer = try pool.allocate(byteCount: size)
            buffer.base.storeBytes(of: task, as: Int.self)
            await Task.yield()
            #expect(buffer.base.load(as: Int.self) == task)
            pool.recycle(buffer)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(pool.usedByteCount == 0)
  }
}
