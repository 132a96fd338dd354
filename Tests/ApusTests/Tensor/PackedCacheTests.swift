import ApusBase
import ApusTestSupport
import Testing

@testable import Apus

/// Weights that are kept in a file as they were laid out: the same bits, or none.
@Suite struct PackedCacheTests {
  /// A layer, made when it is asked for, and what it computes.
  struct Layer: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Matrices that are kept of it.
    let kept: Int
    /// Makes the layer with weights from a seed; what it gives has the bits of a call.
    let make: @Sendable (_ seed: UInt64) throws -> @Sendable () throws -> [UInt8]

    init(
      _ name: String, kept: Int = 1,
      make: @escaping @Sendable (_ seed: UInt64) throws -> @Sendable () throws -> [UInt8]
    ) {
      (testDescription, self.kept, self.make) = (name, kept, make)
    }
  }

  private static func convolution<Scalar: FloatingPointScalar>(
    _ name: String, _ weight: [Int], groups: Int = 1, padding: Padding2D = 0, input: [Int], kept: Int = 1,
    as type: Scalar.Type = Float.self
  ) -> Layer {
    Layer(name, kept: kept) { seed in
      let layer = try Conv2d<Scalar>(
        weight: randomTensor(weight, seed: seed), bias: randomTensor([weight[0]], seed: 2), padding: padding,
        groups: groups)
      let x: Tensor<Scalar> = try randomTensor(input, seed: 3)
      return { try layer(x).bytes }
    }
  }

  private static func linear<Scalar: FloatingPointScalar>(
    _ name: String, as type: Scalar.Type,
    _ pieces: @escaping @Sendable (_ seed: UInt64) throws -> [LinearWeight<Scalar>]
  ) -> Layer {
    Layer(name) { seed in
      let layer = try Linear(stacking: pieces(seed), bias: nil)
      let x: Tensor<Scalar> = try randomTensor([3, layer.inputs], seed: 3)
      return { try layer(x).bytes }
    }
  }

  static let layers = [
    convolution("direct", [20, 18, 3, 3], padding: 1, input: [1, 18, 9, 10]),
    convolution("channel by channel", [40, 3, 5, 5], input: [2, 3, 9, 10]),
    convolution("depthwise", [72, 1, 5, 5], groups: 72, input: [1, 72, 9, 9]),
    convolution("unfolded", [96, 10, 3, 3], groups: 2, input: [1, 20, 7, 7], kept: 2),
    convolution("float64", [24, 20, 3, 3], input: [1, 20, 7, 7], as: Double.self),
    linear("outputs first", as: Float.self) { [.outputsFirst(try randomTensor([50, 33], seed: $0))] },
    linear("inputs first", as: Float.self) { [.inputsFirst(try randomTensor([33, 50], seed: $0))] },
    linear("float64", as: Double.self) { [.outputsFirst(try randomTensor([50, 33], seed: $0))] },
    linear("in pieces", as: Float.self) {
      [.outputsFirst(try randomTensor([50, 33], seed: $0)), .inputsFirst(try randomTensor([40, 50], seed: $0))]
    },
    linear("deferred", as: Float.self) { seed in
      let stored: Tensor<Float> = try randomTensor([50, 33], seed: seed)
      return [.outputsFirst(try stored.converted(to: BFloat16.self).deferringConversion(to: Float.self))]
    },
    linear("looked up", as: Float.self) { seed in
      var generator = SplitMix64(seed: seed)
      let bytes: [UInt8] = randomIntegers(2000, in: 0...255, using: &generator)
      let codes = try Tensor(deferring: PackedCodes(Tensor(bytes), bits: 4), shape: [50, 80])
      let tables: Tensor<Float> = try randomTensor([16], seed: seed)
      let entries = try TableEntries(codes: codes, tables: tables, entries: 16)
      return [.outputsFirst(try Tensor(deferring: entries, shape: [50, 80]))]
    },
  ]

  /// Makes the layer while `cache` is current, and runs it when it is not, as a session does.
  private func run(
    _ layer: Layer, _ cache: PackedCache?, seed: UInt64 = 1, _ precision: Execution.Precision = .exact,
    variant: KernelVariant? = nil
  ) throws -> [UInt8] {
    try Execution.with(precision: precision, variant: variant) {
      let body = try PackedCache.$current.withValue(cache) { try layer.make(seed) }
      let result = try body()
      cache?.save()
      return result
    }
  }

  private func cache(_ folder: TemporaryFolder, label: UInt64 = 1) -> PackedCache {
    PackedCache(path: path(folder), label: label)
  }

  private func path(_ folder: TemporaryFolder) -> String { folder.path + "/kept" }

  @Test(arguments: layers, Execution.Precision.allCases)
  func whatIsKeptIsTheSame(layer: Layer, precision: Execution.Precision) throws {
    for variant in Execution.availableVariants {
      let folder = try TemporaryFolder()
      let expected = try run(layer, nil, precision, variant: variant)
      let first = cache(folder)
      #expect(try run(layer, first, precision, variant: variant) == expected)
      #expect(first.use == .init(found: 0, made: layer.kept) && first.failure == nil)
      let second = cache(folder)
      #expect(try run(layer, second, precision, variant: variant) == expected)
      #expect(second.use == .init(found: layer.kept, made: 0), "\(variant)")
    }
  }

  @Test(arguments: layers)
  func otherWeightsAreNotFound(layer: Layer) throws {
    let folder = try TemporaryFolder()
    _ = try run(layer, cache(folder))
    let other = cache(folder)
    #expect(try run(layer, other, seed: 5) == run(layer, nil, seed: 5))
    #expect(other.use == .init(found: 0, made: layer.kept))
    // What is new replaces what is as large and not asked for any more, or stays beside it.
    let both = cache(folder)
    #expect(try run(layer, both, seed: 5) == run(layer, nil, seed: 5) && both.use.made == 0)
  }

  @Test func otherLayersOfTheSameNumbersAreNotFound() throws {
    let folder = try TemporaryFolder()
    for (index, layer) in Self.layers.enumerated() {
      let cache = cache(folder)
      _ = try run(layer, cache)
      #expect(cache.use == .init(found: 0, made: layer.kept), "\(index)")
    }
  }

  @Test func otherVariantsAreNotFound() throws {
    let folder = try TemporaryFolder()
    for variant in Execution.availableVariants {
      for layer in Self.layers {
        let cache = cache(folder)
        #expect(try run(layer, cache, variant: variant) == run(layer, nil, variant: variant))
        #expect(cache.use.found == 0, "\(layer.testDescription), \(variant)")
      }
    }
  }

  @Test func filesOfAnotherVersionAreReplaced() throws {
    let folder = try TemporaryFolder()
    let layer = Self.layers[0]
    _ = try run(layer, cache(folder))
    let newer = cache(folder, label: 2)
    #expect(try run(layer, newer) == run(layer, nil))
    #expect(newer.use == .init(found: 0, made: 1) && newer.failure == nil)
    let again = cache(folder, label: 2)
    #expect(try run(layer, again) == run(layer, nil))
    #expect(again.use == .init(found: 1, made: 0))
  }

  @Test func damageIsMadeAnew() throws {
    let folder = try TemporaryFolder()
    let layer = Self.layers[0]
    let expected = try run(layer, cache(folder))
    let sound = try MappedFile(path: folder.path + "/kept").withUnsafeBytes { Array($0) }
    let magic = 8
    for place in stride(from: magic, to: sound.count, by: 61) {
      var bytes = sound
      bytes[place] ^= 0x10
      _ = try folder.write(bytes, to: "kept")
      let damaged = cache(folder)
      #expect(try run(layer, damaged) == expected, "byte \(place)")
      // Between the blocks there are zeros that nobody reads.
      #expect(damaged.use.made == 1 || damaged.use.found == 1 && place < 128, "byte \(place)")
      if damaged.use.made == 1 {
        #expect(try MappedFile(path: folder.path + "/kept").withUnsafeBytes { Array($0) } == sound, "byte \(place)")
      }
    }
    for count in stride(from: magic, to: sound.count, by: 97) {
      _ = try folder.write(Array(sound[..<count]), to: "kept")
      let short = cache(folder)
      #expect(try run(layer, short) == expected, "\(count) bytes")
      #expect(short.use == .init(found: 0, made: 1) && short.failure == nil, "\(count) bytes")
    }
  }

  @Test func nothingElseIsWrittenOver() throws {
    let folder = try TemporaryFolder()
    let text = Array("something that somebody wants to keep".utf8)
    _ = try folder.write(text, to: "kept")
    let layer = Self.layers[0]
    let foreign = cache(folder)
    #expect(try run(layer, foreign) == run(layer, nil))
    #expect(foreign.failure?.hasSuffix("is something else, which is not written over") == true)
    #expect(try MappedFile(path: folder.path + "/kept").withUnsafeBytes { Array($0) } == text)
    for path in ["\(folder.path)/kept/inside", "/proc/apus/kept", folder.path, ""] {
      let nowhere = PackedCache(path: path, label: 1)
      #expect(try run(layer, nowhere) == run(layer, nil))
      #expect(nowhere.failure != nil, "\(path)")
    }
    #expect(try folder.contents() == ["kept"])
  }

  /// Weights for inputs of other sizes stay; those of models that are gone do not for ever.
  @Test func theFileDoesNotGrowForEver() throws {
    let folder = try TemporaryFolder()
    var largest = 0
    for seed in 1...20 as ClosedRange<UInt64> {
      _ = try run(Self.layers[0], cache(folder), seed: seed)
      largest = max(largest, try MappedFile(path: folder.path + "/kept").count)
    }
    #expect(largest < 3 * 20 * 1024 + 1024)
    // What is asked for stays, whatever comes to it.
    let more = cache(folder)
    _ = try run(Self.layers[0], more, seed: 20)
    _ = try run(Self.layers[5], more)
    #expect(more.use == .init(found: 1, made: 1))
    let both = cache(folder)
    _ = try run(Self.layers[5], both)
    _ = try run(Self.layers[0], both, seed: 20)
    #expect(both.use.found == 2 && both.use.made == 0)
  }

  /// What a run lays out, with weights that it computes, is not kept.
  @Test func runsKeepNothing() throws {
    let folder = try TemporaryFolder()
    let cache = cache(folder)
    let layer = Self.layers[5]
    let body = try PackedCache.$current.withValue(cache) { try layer.make(1) }
    _ = try run(layer, nil, seed: 9)
    _ = try body()
    #expect(cache.use == .init(found: 0, made: 1))
  }

  /// What a stopped run begins to lay out is whole, or the next one would compute with it.
  @Test func aStoppedRunLeavesWholeWeights() throws {
    let folder = try TemporaryFolder()
    let cache = cache(folder)
    let layer = Self.layers[0]
    let expected = try run(layer, nil)
    let stop = StopSign(deadline: 0)
    #expect(stop.check())
    let body = try PackedCache.$current.withValue(cache) { try Execution.with(stop: stop) { try layer.make(1) } }
    #expect(try body() == expected)
    cache.save()
    #expect(try run(layer, self.cache(folder)) == expected)
  }

  @Test func manyWritersAtOnceLeaveAWholeFile() async throws {
    let folder = try TemporaryFolder()
    let layers = Self.layers
    let expected = try layers.map { try run($0, nil) }
    let path = path(folder)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<40 {
        group.addTask {
          let number = index % layers.count
          return try run(layers[number], PackedCache(path: path, label: 1)) == expected[number]
        }
      }
      for try await isSame in group { #expect(isSame) }
    }
    #expect(try folder.contents() == ["kept"])
    #expect(try !BlockFile(path: folder.path + "/kept", label: 1).keys.isEmpty)
  }
}
