import Synchronization
import Testing

@testable import Apus

@Suite struct StopSignTests {
  private func calls(_ stop: StopSign, threads: Int) -> Int {
    let count = Atomic(0)
    Execution.with(threads: threads) {
      Execution.with(stop: stop) {
        parallel(1000) { _ in count.wrappingAdd(1, ordering: .relaxed) }
      }
    }
    return count.load(ordering: .relaxed)
  }

  @Test(arguments: [1, 4])
  func workGoesOnUntilTheSignIsUp(threads: Int) {
    #expect(calls(StopSign(), threads: threads) == 1000)
    #expect(calls(StopSign(deadline: .max - 1), threads: threads) == 1000)
    let over = StopSign(deadline: 0)
    #expect(calls(over, threads: threads) == 0)
    #expect(over.isRaised)
  }

  /// One piece that raises the sign: nobody begins more than the one that it has in hand.
  @Test(arguments: [1, 3])
  func piecesThatNobodyHasBegunAreLeftOut(threads: Int) async {
    let count = Atomic(0)
    await Task {
      let stop = StopSign()
      Execution.with(threads: threads) {
        Execution.with(stop: stop) {
          parallel(1000) { _ in
            count.wrappingAdd(1, ordering: .relaxed)
            // The task's own thread cancels it; the others have none, and wait.
            withUnsafeCurrentTask { $0?.cancel() }
            while !stop.check() {}
          }
        }
      }
    }.value
    #expect(1...threads ~= count.load(ordering: .relaxed))
  }

  @Test func scratchIsForNobodyOnceTheSignIsUp() throws {
    let count = Atomic(0)
    try Execution.with(stop: StopSign(deadline: 0)) {
      try parallelWithScratch(100, of: Float.self, count: 16) { _, _ in count.wrappingAdd(1, ordering: .relaxed) }
    }
    #expect(count.load(ordering: .relaxed) == 0)
  }

  @Test func theSignIsOfItsScopeAlone() async {
    Execution.with(stop: StopSign(deadline: 0)) {
      #expect(Execution.current.stop != nil)
      Execution.with(threads: 2) { #expect(Execution.current.stop != nil) }
    }
    #expect(Execution.current.stop == nil)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return StopSign().check()
    }
    task.cancel()
    #expect(await task.value)
  }
}

@Suite struct MemoryAccountTests {
  @Test func tensorsCountForAsLongAsTheyLive() throws {
    let account = MemoryAccount(limit: 1000)
    var outside: Tensor<Float>?
    try TaskMemory.with(account: account) {
      let first = try Tensor<Float>(zeros: [100])
      #expect(account.usedByteCount == 400)
      outside = first
      #expect(throws: TensorError.growth(bytes: 800, limit: 1000, shape: [200])) { try Tensor<Float>(zeros: [200]) }
      // A copy shares its memory.
      let second = first
      #expect(second.count == 100 && account.usedByteCount == 400)
    }
    #expect(account.usedByteCount == 400)
    _ = try Tensor<Float>(zeros: [10_000])
    outside = nil
    #expect(account.usedByteCount == 0 && outside == nil)
  }

  @Test func memoryThatIsRefusedDoesNotCount() throws {
    let account = MemoryAccount(limit: .max)
    _ = TaskMemory.with(account: account) {
      #expect(throws: TensorError.self) { try Tensor<Float>(uninitialized: [1 << 58]) }
    }
    #expect(account.usedByteCount == 0)
  }

  @Test func errorsSayWhatWasWantedAndHowToRaiseTheLimit() {
    let error = "\(TensorError.memory(bytes: 24, limit: 10, shape: [2, 3]))"
    #expect(error.contains("shape [2, 3], 24 bytes") && error.contains("10 bytes") && error.contains("--memory-limit"))
    let growth = "\(TensorError.growth(bytes: 24, limit: 10, shape: [2, 3]))"
    #expect(growth.contains("may take 10 bytes together; ") && !growth.contains("10 bytes together, 64"))
    #expect(growth.contains("shape [2, 3], 24 bytes") && growth.contains("InferenceSession.Limits.growth"))
  }
}
