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
    #expect(ProcessorFeatures.fromFlags(flags + ["avx_vnni"]) == KernelVariant.avxvnni.requirements)
    #expect(ProcessorFeatures.fromFlags([]) == [])
  }

  @Test func namesAreThoseOfTheFlags() {
    #expect(ProcessorFeatures.fromFlags(ProcessorFeatures.cascadeLake.names.map { $0[...] }) == .cascadeLake)
    let arm = "fp asimd evtstrm aes crc32 atomics asimddp i8mm bf16".split(separator: " ")
    #expect(ProcessorFeatures.fromFlags(arm) == [.neon, .dotprod, .i8mm])
    #expect(ProcessorFeatures.fromFlags(arm).names == ["asimd", "asimddp", "i8mm"])
  }

  @Test func currentFeaturesAreConsistent() {
    let features = ProcessorFeatures.current
    #if arch(arm64)
      #expect(features.contains(.neon))
      // The products of mixed signs came later.
      if features.contains(.i8mm) { #expect(features.contains(.dotprod)) }
    #else
      // Nobody has built AVX2 without AVX, nor AVX-512 without AVX2.
      if features.contains(.avx2) { #expect(features.contains(.avx)) }
      if features.contains(.avx512f) { #expect(features.contains(.avx2)) }
    #endif
    #expect(Execution.availableVariants.first == .baseline)
    #expect(Execution.availableVariants.contains(Execution.current.variant))
  }

  @Test func productsOfBytesAreAllThatVariantsOfOneBaseDifferIn() {
    func kernels(_ set: KernelSet) -> [ObjectIdentifier] {
      let types: [Any.Type] = [set.float32, set.float64, set.data, set.convolution, set.pixels]
      return types.map { ObjectIdentifier($0) }
    }
    #if arch(arm64)
      let variants: [KernelVariant] = [.baseline, .dotprod, .i8mm]
    #else
      let variants: [KernelVariant] = [.baseline, .avx2, .avxvnni, .avx512]
    #endif
    for variant in variants { #expect(kernels(KernelSet(variant)) == kernels(KernelSet(variant.base))) }
    #expect(Set(variants.map { kernels(KernelSet($0)) }).count == Set(variants.map(\.base)).count)
    #expect(Set(variants.map { ObjectIdentifier(KernelSet($0).quantized) }).count == variants.count)
  }

  @Test func thereIsAProcessor() {
    #expect(!ProcessorInformation.name.isEmpty)
    #expect(ProcessorInformation.coreCount >= 1)
  }
}
