import Testing

@testable import Apus

@Suite struct EnvironmentSettingsTests {
  private func settings(
    _ environment: [String: String], cores: Int = 4, variants: [KernelVariant] = [.baseline, .avx2]
  ) -> EnvironmentSettings {
    EnvironmentSettings({ environment[$0] }, cores: cores, memory: 1 << 30, variants: variants)
  }

  @Test func nothingSetMeansTheBest() {
    let settings = settings([:])
    #expect(settings.variant == .avx2)
    #expect(settings.threads == 4)
    #expect(settings.memoryLimit == 1 << 30)
    #expect(settings.warnings.isEmpty && settings.errors.isEmpty)
  }

  @Test func valuesAreTaken() {
    let settings = settings(["APUS_KERNELS": "Baseline", "APUS_THREADS": "256", "APUS_MEMORY_LIMIT": "512M"])
    #expect(settings.variant == .baseline)
    #expect(settings.threads == 256)
    #expect(settings.memoryLimit == 512 << 20)
    #expect(settings.warnings.isEmpty && settings.errors.isEmpty)
  }

  @Test func aVariantThatTheProcessorLacksIsAWarning() throws {
    let settings = settings(["APUS_KERNELS": "avx512"])
    #expect(settings.variant == .avx2)
    let warning = try #require(settings.warnings.first)
    #expect(settings.warnings.count == 1 && settings.errors.isEmpty)
    #expect(warning.contains("APUS_KERNELS=avx512") && warning.contains("baseline, avx2"))
  }

  @Test(arguments: ["sse9", "avx2 ", "1"])
  func aVariantThatNobodyKnowsIsAnError(name: String) {
    let settings = settings(["APUS_KERNELS": name])
    #expect(settings.variant == .avx2 && settings.warnings.isEmpty)
    #expect(
      settings.errors == [
        EnvironmentError(variable: "APUS_KERNELS", value: name, expected: "one of baseline, avx2, avx512")
      ])
  }

  @Test(arguments: ["0", "-1", "257", "two", "1.5", "99999999999999999999"])
  func anImpossibleThreadCountIsAnError(text: String) {
    let settings = settings(["APUS_THREADS": text])
    #expect(settings.threads == 4 && settings.warnings.isEmpty)
    #expect(settings.errors.map { "\($0)" } == ["APUS_THREADS=\(text): expected a number from 1 to 256"])
  }

  /// Nobody knows what was to be kept free, so nothing is given out.
  @Test(arguments: ["0", "-1", "abc", "K", "12X", "9999999999G", "1.5G", "99999999999999999999"])
  func anImpossibleLimitIsAnErrorAndLeavesNoMemory(text: String) {
    let settings = settings(["APUS_MEMORY_LIMIT": text])
    #expect(settings.memoryLimit == 0 && settings.warnings.isEmpty)
    #expect(settings.errors.map(\.variable) == ["APUS_MEMORY_LIMIT"])
    #expect(settings.errors.first?.description.contains("APUS_MEMORY_LIMIT=\(text): expected bytes") == true)
  }

  @Test func suffixesMultiply() {
    #expect(EnvironmentSettings.byteCount("123") == 123)
    #expect(EnvironmentSettings.byteCount("4K") == 4 << 10)
    #expect(EnvironmentSettings.byteCount("4m") == 4 << 20)
    #expect(EnvironmentSettings.byteCount("4G") == 4 << 30)
  }

  @Test func moreCoresThanThreadsAllowed() {
    #expect(settings([:], cores: 1_000).threads == 256)
  }

  @Test func scopesClampThreads() {
    #expect(Execution.with(threads: 0) { Execution.current.threads } == 1)
    #expect(Execution.with(threads: -5) { Execution.current.threads } == 1)
    #expect(Execution.with(threads: 9_999) { Execution.current.threads } == 256)
    #expect(Execution.with(threads: 3) { Execution.current.threads } == 3)
  }
}
