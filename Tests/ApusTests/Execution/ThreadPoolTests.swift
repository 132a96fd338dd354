import ApusPlatform
import Synchronization
import Testing

@testable import Apus

@Suite struct ThreadPoolTests {
  /// Marks each index once, so that a lost or repeated one shows. Unprotected: the pool must not call twice for one.
  private final class Tally: @unchecked Sendable {
    private let marks: UnsafeMutableBufferPointer<Int>
    init(_ count: Int) {
      marks = .allocate(capacity: count)
      marks.initialize(repeating: 0)
    }
    deinit { marks.deallocate() }
    func mark(_ index: Int) { marks[index] += 1 }
    var isComplete: Bool { marks.allSatisfy { $0 == 1 } }
  }

  @Test(arguments: [1, 2, 3, 4, 7, 16, 64])
  func everyIndexRunsOnce(threads: Int) {
    for count in [0, 1, 2, 3, 5, 8, 17, 64, 257, 1000] {
      let tally = Tally(count)
      Execution.with(threads: threads) { parallel(count) { tally.mark($0) } }
      #expect(tally.isComplete, "\(count) indexes, \(threads) threads")
    }
  }

  @Test func aNegativeCountDoesNothing() {
    parallel(-1) { _ in Issue.record("called") }
  }

  @Test func jobsFollowEachOther() {
    let total = Atomic(0)
    Execution.with(threads: 3) {
      for _ in 0..<20_000 { parallel(3) { total.wrappingAdd($0 + 1, ordering: .relaxed) } }
    }
    #expect(total.load(ordering: .relaxed) == 20_000 * 6)
  }

  @Test func aWorkerTakesPart() {
    let pool = ThreadPool()
    let arrivals = Atomic(0)
    var execution = Execution.standard
    execution.threads = 2
    // Each call waits for the other one to start, so a single thread would wait for ever.
    let ran = pool.run(2, under: execution) { _ in
      arrivals.wrappingAdd(1, ordering: .sequentiallyConsistent)
      let start = monotonicNanoseconds()
      while arrivals.load(ordering: .sequentiallyConsistent) < 2, monotonicNanoseconds() - start < 20_000_000_000 {}
      #expect(arrivals.load(ordering: .sequentiallyConsistent) == 2)
    }
    #expect(ran)
  }

  @Test func workersSleepAndWake() async throws {
    let pool = ThreadPool()
    var execution = Execution.standard
    execution.threads = 4
    for pause in [0, 10, 100, 1_000, 5_000] {
      for _ in 0..<20 {
        let total = Atomic(0)
        #expect(pool.run(50, under: execution) { total.wrappingAdd($0, ordering: .relaxed) })
        #expect(total.load(ordering: .relaxed) == 50 * 49 / 2)
        try await Task.sleep(nanoseconds: UInt64(pause) * 1_000)
      }
    }
  }

  @Test func theOwnerSleepsWhileAWorkerIsInside() {
    let pool = ThreadPool()
    var execution = Execution.standard
    execution.threads = 2
    let caller = threadIdentity()
    for _ in 0..<20 {
      let arrivals = Atomic(0)
      let departures = Atomic(0)
      _ = pool.run(2, under: execution) { _ in
        arrivals.wrappingAdd(1, ordering: .relaxed)
        let start = monotonicNanoseconds()
        while arrivals.load(ordering: .relaxed) < 2, monotonicNanoseconds() - start < 20_000_000_000 {}
        // The worker goes on for longer than its owner watches.
        if threadIdentity() != caller { usleep(2_000) }
        departures.wrappingAdd(1, ordering: .relaxed)
      }
      #expect(departures.load(ordering: .relaxed) == 2)
    }
  }

  @Test func aNestedJobRunsInline() {
    let tally = Tally(20 * 30)
    Execution.with(threads: 4) {
      parallel(20) { outer in
        parallel(30) { inner in tally.mark(outer * 30 + inner) }
      }
    }
    #expect(tally.isComplete)
  }

  @Test func aTakenPoolRefuses() {
    let pool = ThreadPool()
    var execution = Execution.standard
    execution.threads = 2
    let refusals = Atomic(0)
    _ = pool.run(2, under: execution) { [execution] _ in
      if !pool.run(2, under: execution, { _ in Issue.record("called") }) {
        refusals.wrappingAdd(1, ordering: .relaxed)
      }
    }
    #expect(refusals.load(ordering: .relaxed) == 2)
  }

  @Test func severalTasksAtOnce() async {
    let sums = await withTaskGroup(of: Int.self) { group in
      for task in 0..<8 {
        group.addTask {
          let total = Atomic(0)
          Execution.with(threads: 2 + task % 3) {
            for _ in 0..<500 { parallel(20) { total.wrappingAdd($0 + task, ordering: .relaxed) } }
          }
          return total.load(ordering: .relaxed) - 500 * 20 * task
        }
      }
      var sums: [Int] = []
      for await sum in group { sums.append(sum) }
      return sums
    }
    #expect(sums == [Int](repeating: 500 * 190, count: 8))
  }

  @Test func workersSeeTheCallersSettings() {
    let pool = ThreadPool()
    let wrong = Atomic(0)
    for variant in Execution.availableVariants {
      Execution.with(threads: 3, precision: .fast, variant: variant, usesBLAS: false) {
        for _ in 0..<200 {
          _ = pool.run(30, under: .current) { _ in
            let seen = Execution.current
            if seen.threads != 3 || seen.precision != .fast || seen.usesBLAS || seen.variant != variant {
              wrong.wrappingAdd(1, ordering: .relaxed)
            }
          }
        }
      }
    }
    #expect(wrong.load(ordering: .relaxed) == 0)
  }

  #if os(Linux)
    /// Back and forth: a thread that has left a core may run there again.
    @Test(.enabled(if: ProcessorInformation.coreCount > 1, "needs two cores"))
    func aThreadLeavesItsCore() {
      let moves = (0..<100).count { _ in
        let core = CorePlacement.currentCore
        CorePlacement.leave(core: core)
        return CorePlacement.currentCore != core
      }
      #expect(moves > 10)
      // Cores that do not exist.
      for core in [-1, 1023, 1024, .max, .min] { CorePlacement.leave(core: core) }
      #expect(CorePlacement.currentCore >= 0)
    }
  #endif
}

private func threadIdentity() -> UInt {
  #if canImport(Darwin)
    UInt(bitPattern: pthread_self())
  #else
    UInt(pthread_self())
  #endif
}
