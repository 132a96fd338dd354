import Testing

@testable import Apus

@Suite struct ProcessorTests {
  @Test func flagsAreRecognised() {
    let flags = "fpu sse sse2 ssse3 sse4_1 sse4_2 popcnt avx f16c fma movbe abm bmi1 avx2 bmi2".split(separator: " ")
    #expect(ProcessorFeatures.fromFlags(flags) == .haswell)
    #expect(ProcessorFeatures.fromFlags(flags.filter { $0 != "fma" }).isSuperset(of: .haswell) == false)
    let server = flags + ["avx512f", "avx512dq", "avx512cd", "avx512bw", "avx512vl"]
    #expect(ProcessorFeatures.fromFlags(server) == .skylakeServer)
    #expect(ProcessorFeatures.fromFlags(server + ["avx512_vnni"]) == .cascadeLake)
    #expect(ProcessorFeatures.fromFlags([]) == [])
  }

  @Test func namesAreThoseOfTheFlags() {
    #expect(ProcessorFeatures.fromFlags(ProcessorFeatures.cascadeLake.names.map { $0[...] }) == .cascadeLake)
    #expect(ProcessorFeatures.neon.names == ["neon"])
  }

  @Test func currentFeaturesAreConsistent() {
    let features = ProcessorFeatures.current
    #if arch(arm64)
      #expect(features == .neon)
    #else
      // Nobody has built AVX2 without AVX, nor AVX-512 without AVX2.
      if features.contains(.avx2) { #expect(features.contains(.avx)) }
      if features.contains(.avx512f) { #expect(features.contains(.avx2)) }
    #endif
    #expect(Execution.availableVariants.first == .baseline)
    #expect(Execution.availableVariants.contains(Execution.current.variant))
  }

  @Test func thereIsAProcessorAndMemory() {
    #expect(!ProcessorInformation.name.isEmpty)
    #expect(ProcessorInformation.coreCount >= 1)
    #expect(ProcessorInformation.memoryByteCount > 16 << 20)
  }
}

@Suite struct ControlGroupTests {
  private func group(_ membership: String, _ files: [String: String]) -> ControlGroup {
    ControlGroup(membership: membership) { files[$0] }
  }

  @Test func versionTwo() {
    let files = ["/a/cpu.max": "max 100000\n", "/cpu.max": "150000 100000\n", "/a/memory.max": "1048576\n"]
    let limits = group("0::/a\n", files)
    #expect(limits.processorQuota == 1.5)
    #expect(limits.memoryLimit == 1 << 20)
  }

  @Test func theLowestLimitOfAllAncestorsCounts() {
    let files = [
      "/a/b/cpu.max": "400000 100000", "/a/cpu.max": "200000 100000", "/cpu.max": "max 100000",
      "/a/b/memory.max": "max", "/a/memory.max": "4096",
    ]
    let limits = group("0::/a/b", files)
    #expect(limits.processorQuota == 2)
    #expect(limits.memoryLimit == 4096)
  }

  @Test func versionOne() {
    let membership = "4:memory:/box\n1:cpu,cpuacct:/box\n0::/\n"
    let files = [
      "/cpu/box/cpu.cfs_quota_us": "50000\n", "/cpu/box/cpu.cfs_period_us": "100000\n",
      "/cpu/cpu.cfs_quota_us": "-1\n", "/cpu/cpu.cfs_period_us": "100000\n",
      "/memory/box/memory.limit_in_bytes": "2097152\n", "/memory/memory.limit_in_bytes": "9223372036854771712\n",
    ]
    let limits = group(membership, files)
    #expect(limits.processorQuota == 0.5)
    #expect(limits.memoryLimit == 2 << 20)
  }

  @Test(arguments: ["", "nonsense", "0:", "0::", "::::", "0::/../../etc", "1:cpu"])
  func nonsenseLimitsNothing(membership: String) {
    let limits = ControlGroup(membership: membership) { _ in "what? 1 2 3" }
    #expect(limits.processorQuota == nil)
    #expect(limits.memoryLimit == nil)
  }
}
