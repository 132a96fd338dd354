import Testing

@testable import ApusBase

/// Expected values are those of Python's `xxhash`.
@Suite struct XXH64Tests {
  /// The hashes of the bytes `7 · i + 3`, by how many there are: with seed 0, and with `seed`.
  private static let vectors: [(count: Int, plain: UInt64, seeded: UInt64)] = [
    (0, 17_241_709_254_077_376_921, 7_982_296_497_641_744_295),
    (1, 2_244_420_788_148_980_662, 14_510_698_698_641_693_851),
    (3, 3_589_991_498_569_311_433, 136_335_747_840_913_612),
    (4, 11_220_238_523_610_079_194, 4_024_649_709_214_354_151),
    (7, 11_131_513_552_845_562_072, 14_607_555_851_238_796_145),
    (8, 15_760_801_637_573_656_722, 10_693_945_108_507_580_271),
    (15, 1_965_763_522_714_177_074, 6_178_924_810_693_375_909),
    (31, 11_721_285_656_260_534_553, 16_774_766_082_188_184_686),
    (32, 2_577_116_162_849_570_199, 8_998_691_843_980_584_824),
    (33, 5_811_842_300_876_720_004, 9_931_982_575_666_268_829),
    (63, 6_790_958_421_027_277_116, 6_065_533_134_270_931_404),
    (64, 1_060_117_496_095_223_839, 17_955_747_802_333_357_977),
    (100, 11_970_441_692_518_016_305, 10_982_548_789_071_780_841),
    (255, 4_156_353_662_958_510_191, 4_349_092_443_729_796_849),
    (300, 2_594_078_728_003_495_644, 790_085_347_795_050_156),
  ]
  private static let seed: UInt64 = 0x9E37_79B1_85EB_CA87

  @Test func everyLengthAroundAStripeIsHashed() {
    for (count, plain, seeded) in Self.vectors {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + 3) }
      #expect(bytes.withUnsafeBytes { XXH64.hash($0) } == plain, "\(count) bytes")
      #expect(bytes.withUnsafeBytes { XXH64.hash($0, seed: Self.seed) } == seeded, "\(count) bytes")
    }
  }

  @Test(arguments: 1..<8) func bytesMayLieAnywhere(offset: Int) {
    let bytes = [UInt8](repeating: 0, count: offset) + (0..<300).map { UInt8(truncatingIfNeeded: $0 * 7 + 3) }
    let hash = bytes.withUnsafeBytes { XXH64.hash(UnsafeRawBufferPointer(rebasing: $0[offset...])) }
    #expect(hash == Self.vectors.last?.plain)
  }
}
