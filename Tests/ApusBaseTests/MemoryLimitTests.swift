import Testing

@testable import ApusBase

@Suite struct MemoryLimitTests {
  private func limit(_ text: String?) -> MemoryLimit {
    MemoryLimit({ $0 == "APUS_MEMORY_LIMIT" ? text : nil }, available: 1 << 30)
  }

  @Test func whatIsAvailableIsTheLimitUnlessTheEnvironmentSaysSo() {
    #expect(limit(nil).byteCount == 1 << 30 && limit(nil).error == nil)
    #expect(limit("512M").byteCount == 512 << 20 && limit("512M").error == nil)
  }

  /// Nobody knows what was to be kept free, so nothing is given out.
  @Test(arguments: ["0", "-1", "abc", "K", "12X", "9999999999G", "1.5G", "99999999999999999999"])
  func anImpossibleLimitIsAnErrorAndLeavesNoMemory(text: String) throws {
    #expect(limit(text).byteCount == 0)
    let error = try #require(limit(text).error)
    #expect(error.variable == "APUS_MEMORY_LIMIT")
    #expect(error.description.contains("APUS_MEMORY_LIMIT=\(text): expected bytes"))
  }

  @Test func itIsKnownWhetherSomebodySaidIt() {
    #expect(!limit(nil).isGiven && limit("1G").isGiven && limit("abc").isGiven)
  }

  @Test func halfOfTheMemoryOrWhatTheProcessMayUseIsAvailable() {
    #expect(MemoryLimit.availableByteCount > 16 << 20)
    #expect(MemoryLimit.available(physical: 100, group: nil, process: nil) == 50)
    #expect(MemoryLimit.available(physical: 100, group: 30, process: 80) == 15)
    #expect(MemoryLimit.available(physical: 100, group: 60, process: 20) == 10)
    // What is no tensor needs memory too: an eighth, and 128 MiB at least where there are twice as many.
    #expect(MemoryLimit.available(physical: .max, group: 512 << 20, process: nil) == 384 << 20)
    #expect(MemoryLimit.available(physical: .max, group: 8 << 30, process: nil) == 7 << 30)
    // A machine that does not say.
    #expect(MemoryLimit.available(physical: .max, group: nil, process: nil) == .max)
  }

  @Test func suffixesMultiply() {
    #expect(MemoryLimit.byteCount("123") == 123)
    #expect(MemoryLimit.byteCount("4K") == 4 << 10)
    #expect(MemoryLimit.byteCount("4m") == 4 << 20)
    #expect(MemoryLimit.byteCount("4G") == 4 << 30)
  }

  @Test func thereIsMemory() {
    #expect(MemoryLimit.availableByteCount > 16 << 20)
  }

  @Test func streamsTakeAQuarterOfTheMemoryAtMost() {
    #expect(MemoryLimit.streamLimit(1 << 30, memory: 8 << 30) == 1 << 30)
    #expect(MemoryLimit.streamLimit(1 << 30, memory: 512 << 20) == 128 << 20)
  }
}
