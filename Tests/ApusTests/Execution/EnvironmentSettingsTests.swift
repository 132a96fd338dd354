import Testing

@testable import Apus

@Suite struct EnvironmentSettingsTests {
  private func settings(
    _ environment: [String: String], cores: Int = 4, variants: [KernelVariant] = [.baseline, .avx2]
  ) -> EnvironmentSettings {
    EnvironmentSettings({ environment[$0] }, cores: cores, variants: variants)
  }

  @Test func nothingSetMeansTheBest() {
    let settings = settings([:])
    #expect(settings.variant == .avx2)
    #expect(settings.threads == 4)
    #expect(settings.warnings.isEmpty && settings.errors.isEmpty)
  }

  @Test func valuesAreTaken() {
    let settings = settings(["APUS_KERNELS": "Baseline", "APUS_THREADS": "256"])
    #expect(settings.variant == .baseline)
    #expect(settings.threads == 256)
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
  func anUnknownVariantIsAnError(name: String) {
    let settings = settings(["APUS_KERNELS": name])
    #expect(settings.variant == .avx2 && settings.warnings.isEmpty)
    #expect(
      settings.errors == [
        EnvironmentError(
          variable: "APUS_KERNELS", value: name, expected: "one of baseline, avx2, avxvnni, avx512, dotprod, i8mm")
      ])
  }

  @Test(arguments: ["0", "-1", "257", "two", "1.5", "99999999999999999999"])
  func anImpossibleThreadCountIsAnError(text: String) {
    let settings = settings(["APUS_THREADS": text])
    #expect(settings.threads == 4 && settings.warnings.isEmpty)
    #expect(settings.errors.map { "\($0)" } == ["APUS_THREADS=\(text): expected a number from 1 to 256"])
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

  @Test func assignedThreadsAreClamped() {
    var execution = Execution.standard
    for (threads, expected) in [(0, 1), (-5, 1), (.min, 1), (100_000, 256), (.max, 256), (256, 256), (3, 3)] {
      execution.threads = threads
      #expect(execution.threads == expected)
    }
  }
}
