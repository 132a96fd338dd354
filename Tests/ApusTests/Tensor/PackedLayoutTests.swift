import ApusBase
import ApusTestSupport
import Testing

@testable import Apus

/// How weights are laid out is part of a file that outlives the program. Where this fails a layout has changed: raise
/// `PackedKey.version`, so that no file of before is used, and put the new numbers here.
@Suite struct PackedLayoutTests {
  /// XXH64 of a file with all layers of `PackedCacheTests` for the kernels that could be asked.
  private static let expected: [KernelVariant: UInt64] = [
    .baseline: 3_331_266_976_696_542_036, .avx2: 1_040_296_284_211_728_880,
  ]

  #if arch(x86_64)
    @Test(arguments: Execution.availableVariants.filter { expected[$0] != nil })
    func layoutsAreThoseOfTheVersion(variant: KernelVariant) throws {
      let folder = try TemporaryFolder()
      let path = folder.path + "/kept"
      try Execution.with(variant: variant) {
        let cache = PackedCache(path: path, label: 1)
        for layer in PackedCacheTests.layers {
          _ = try PackedCache.$current.withValue(cache) { try layer.make(1) }()
        }
        cache.save()
      }
      let found = try MappedFile(path: path).withUnsafeBytes { XXH64.hash($0) }
      #expect(found == Self.expected[variant])
    }
  #endif
}
