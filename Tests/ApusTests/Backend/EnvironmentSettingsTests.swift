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
    #expect(settings.warnings.isEmpty)
  }

  @Test func valuesAreTaken() {
    let settings = settings(["APUS_KERNELS": "Baseline", "APUS_THREADS": "256", "APUS_MEMORY_LIMIT": "512M"])
    #expect(settings.variant == .baseline)
    #expect(settings.threads == 256)
    #expect(settings.memoryLimit == 512 << 20)
    #expect(settings.warnings.isEmpty)
  }

  @Test(arguments: ["avx512", "sse9", "avx2 ", "1"])
  func anImpossibleVariantIsAWarning(name: String) throws {
    let settings = settings(["APUS_KERNELS": name])
    #expect(settings.variant == .avx2)
    let warning = try #require(settings.warnings.first)
    #expect(settings.warnings.count == 1)
    #expect(warning.contains("APUS_KERNELS=\(name)"))
    #expect(warning.contains("baseline, avx2"))
  }

  @Test(arguments: ["0", "-1", "257", "two", "1.5", "99999999999999999999"])
  func anImpossibleThreadCountIsAWarning(text: String) {
    let settings = settings(["APUS_THREADS": text])
    #expect(settings.threads == 4)
    #expect(settings.warnings.count == 1)
    #expect(settings.warnings.first?.contains("APUS_THREADS=\(text)") == true)
  }

  @Test(arguments: ["0", "-1", "K", "12X", "9999999999G", "1.5G", "99999999999999999999"])
  func anImpossibleLimitIsAWarning(text: String) {
    let settings = settings(["APUS_MEMORY_LIMIT": text])
    #expect(settings.memoryLimit == 1 << 30)
    #expect(settings.warnings.count == 1)
    #expect(settings.warnings.first?.contains("APUS_MEMORY_LIMIT=\(text)") == true)
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
