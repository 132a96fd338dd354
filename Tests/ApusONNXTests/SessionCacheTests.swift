import Apus
import ApusPlatform
import ApusTestSupport
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// Sessions that find their weights as another one has laid them out.
@Suite struct SessionCacheTests {
  private static func tensor(_ shape: [Int], seed: UInt64) throws -> Tensor<Float> {
    var generator = SplitMix64(seed: seed)
    return try Tensor(randomNumbers(shape.reduce(1, *), in: -1...1, using: &generator), shape: shape)
  }

  /// Convolutions of several kinds, a product with a matrix that is transposed on its way, and one with a table of codes.
  private static func model(seed: UInt64 = 1) throws -> ONNXModel {
    var graph = SmallGraph()
    graph.input("x", [.size(1), .size(3), .size(32), .size(32)])
    try graph.constant("first", GraphValue(tensor([16, 3, 3, 3], seed: 1)))
    try graph.constant("second", GraphValue(tensor([32, 16, 3, 3], seed: seed)))
    try graph.constant("deep", GraphValue(tensor([32, 1, 7, 7], seed: 3)))
    try graph.constant("matrix", GraphValue(tensor([40, 32], seed: 4)))
    try graph.constant("halves", GraphValue(tensor([40, 500], seed: 5).converted(to: BFloat16.self)))
    let same: AttributeProto.Content = .ints([1, 1, 1, 1])
    graph.node("Conv", ["x", "first"], ["a"], ["pads": same])
    graph.node("Relu", ["a"], ["b"])
    graph.node("Conv", ["b", "second"], ["c"], ["pads": same])
    graph.node("Conv", ["c", "deep"], ["d"], ["group": .int(32)])
    graph.node("GlobalAveragePool", ["d"], ["e"])
    graph.node("Flatten", ["e"], ["f"])
    graph.node("Transpose", ["matrix"], ["turned"])
    graph.node("MatMul", ["f", "turned"], ["g"])
    graph.node("Cast", ["halves"], ["wide"], ["to": .int(1)])
    graph.node("MatMul", ["g", "wide"], ["y"])
    return try graph.model(outputs: ["y"])
  }

  private static func inputs() throws -> [String: GraphValue] {
    ["x": GraphValue(try tensor([1, 3, 32, 32], seed: 9))]
  }

  private static func bits(_ values: [String: GraphValue], _ name: String = "y") throws -> [UInt32] {
    let tensor = try #require(values[name]?.tensor(of: Float.self))
    return try tensor.elements.map(\.bitPattern)
  }

  /// What a session gives, and what its cache was worth.
  private static func run(
    _ model: ONNXModel, in folder: String?, _ options: InferenceSession.Options = .init()
  ) throws -> (bits: [UInt32], use: InferenceSession.CacheUse?) {
    var options = options
    options.cacheFolder = folder
    let session = try InferenceSession(model, options: options)
    let bits = try bits(session.run(inputs()))
    return (bits, session.cacheUse)
  }

  @Test(arguments: Execution.Precision.allCases, [true, false])
  func theSecondSessionLaysNothingOut(precision: Execution.Precision, optimizes: Bool) throws {
    let folder = try TemporaryFolder()
    let options = InferenceSession.Options(precision: precision, optimizes: optimizes)
    for variant in Execution.availableVariants {
      try Execution.with(variant: variant) {
        let model = try Self.model()
        let plain = try Self.run(model, in: nil, options)
        #expect(plain.use == nil)
        let first = try Self.run(model, in: folder.path, options)
        let made = try #require(first.use).made
        #expect(first.bits == plain.bits && first.use?.found == 0 && first.use?.failure == nil)
        // Without rewriting, a matrix that is turned is turned in each run.
        #expect(made >= (optimizes ? 4 : 2))
        let second = try Self.run(model, in: folder.path, options)
        #expect(second.bits == plain.bits && second.use?.found == made && second.use?.made == 0)
        #expect(second.use?.path == first.use?.path)
      }
    }
    #expect(try folder.contents().count == Execution.availableVariants.count)
  }

  @Test func theFolderIsMade() throws {
    let folder = try TemporaryFolder()
    let inner = folder.path + "/a/b/"
    #expect(try Self.run(Self.model(), in: inner).use?.failure == nil)
    #expect(try Self.run(Self.model(), in: inner).use?.made == 0)
  }

  /// The file is found by a glance at the model; what is in it by all of the numbers.
  @Test func oneChangedWeightIsNoticed() throws {
    let folder = try TemporaryFolder()
    let before = try Self.run(Self.model(), in: folder.path)
    var graph = try Self.model().proto.graph
    let index = try #require(graph.initializers.firstIndex { $0.name == "second" })
    var weights = try #require(graph.initializers[index].value().tensor(of: Float.self))
    try weights.withUnsafeMutableBufferPointer { $0[1000] = 5 }
    graph.initializers[index] = try TensorProto(name: "second", value: GraphValue(weights))
    let changed = try ONNXModel(ModelProto(opsetImports: [OperatorSetID(version: 21)], graph: graph))
    let after = try Self.run(changed, in: folder.path)
    #expect(try after.bits == Self.run(changed, in: nil).bits && after.bits != before.bits)
    // In the same file everything else is found.
    #expect(after.use?.path == before.use?.path && after.use?.made == 1)
    #expect(try Self.run(Self.model(), in: folder.path).bits == before.bits)
  }

  @Test func modelsAndPrecisionsHaveFilesOfTheirOwn() throws {
    let folder = try TemporaryFolder()
    let exact = try Self.run(Self.model(), in: folder.path).use?.path
    let fast = try Self.run(Self.model(), in: folder.path, .init(precision: .fast)).use?.path
    let wide = try Self.run(Self.model(), in: folder.path, .init(optimizes: false)).use?.path
    let other = try Self.run(Self.model(seed: 2), in: folder.path).use?.path
    #expect(Set([exact, fast, wide, other]).count == 4)
    #expect(try folder.contents().count == 4)
  }

  @Test func doublesAreKeptToo() throws {
    let folder = try TemporaryFolder()
    var options = InferenceSession.Options(computesInFloat64: true)
    func run() throws -> ([UInt64], InferenceSession.CacheUse?) {
      let session = try InferenceSession(Self.model(), options: options)
      let inputs = ["x": GraphValue(try Self.tensor([1, 3, 32, 32], seed: 9).converted(to: Double.self))]
      let result = try #require(session.run(inputs)["y"]?.tensor(of: Double.self))
      return (try result.elements.map(\.bitPattern), session.cacheUse)
    }
    let plain = try run()
    options.cacheFolder = folder.path
    let (first, second) = (try run(), try run())
    #expect(first.0 == plain.0 && second.0 == plain.0 && second.1?.made == 0 && second.1?.found == first.1?.made)
  }

  /// A value inside the graph is another plan, of the same weights.
  @Test func fetchedValuesAreTheSame() throws {
    let folder = try TemporaryFolder()
    let expected = try Self.bits(InferenceSession(Self.model()).run(Self.inputs(), fetching: ["c"]), "c")
    for _ in 0..<2 {
      let session = try InferenceSession(Self.model(), options: .init(cacheFolder: folder.path))
      _ = try session.run(Self.inputs())
      #expect(try Self.bits(session.run(Self.inputs(), fetching: ["c"]), "c") == expected)
    }
    let session = try InferenceSession(Self.model(), options: .init(cacheFolder: folder.path))
    #expect(try Self.bits(session.run(Self.inputs(), fetching: ["c"]), "c") == expected)
    #expect(session.cacheUse?.made == 0)
  }

  @Test func whatCannotBeWrittenIsSaidAndNoFailure() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(Array("text".utf8), to: "file")
    let plain = try Self.run(Self.model(), in: nil)
    for place in [file, "/proc/apus", file + "/inside"] {
      let found = try Self.run(Self.model(), in: place)
      #expect(found.bits == plain.bits && found.use?.failure?.contains("cannot be written") == true, "\(place)")
    }
    // Somebody else's file under our name.
    let path = try #require(Self.run(Self.model(), in: folder.path).use?.path)
    let name = String(path.split(separator: "/").last ?? "")
    _ = try folder.write(Array("text".utf8), to: name)
    let found = try Self.run(Self.model(), in: folder.path)
    #expect(found.bits == plain.bits && found.use?.failure?.contains("is something else") == true)
    #expect(try MappedFile(path: path).withUnsafeBytes { Array($0) } == Array("text".utf8))
  }

  @Test func anEmptyPathIsRefused() throws {
    let model = try Self.model()
    #expect(throws: FileError.self) { try InferenceSession(model, options: .init(cacheFolder: "")) }
  }

  @Test func damagedFilesAreMadeAnew() throws {
    let folder = try TemporaryFolder()
    let plain = try Self.run(Self.model(), in: folder.path)
    let path = try #require(plain.use?.path)
    let name = String(path.split(separator: "/").last ?? "")
    let sound = try MappedFile(path: path).withUnsafeBytes { Array($0) }
    for place in stride(from: 8, to: sound.count, by: sound.count / 50) {
      var bytes = sound
      bytes[place] ^= 1
      _ = try folder.write(bytes, to: name)
      #expect(try Self.run(Self.model(), in: folder.path).bits == plain.bits, "byte \(place)")
      _ = try folder.write(Array(sound[..<place]), to: name)
      let short = try Self.run(Self.model(), in: folder.path)
      #expect(short.bits == plain.bits && short.use?.found == 0, "\(place) bytes")
      #expect(try MappedFile(path: path).count == sound.count)
    }
  }

  @Test func manySessionsAtOnce() async throws {
    let folder = try TemporaryFolder()
    let expected = try Self.run(Self.model(), in: nil).bits
    let path = folder.path
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<12 { group.addTask { try Self.run(Self.model(), in: path).bits == expected } }
      for try await isSame in group { #expect(isSame) }
    }
    #expect(try Self.run(Self.model(), in: folder.path).use?.made == 0)
    #expect(try folder.contents().count == 1)
  }
}
