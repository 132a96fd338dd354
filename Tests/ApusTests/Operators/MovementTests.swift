import Testing

@testable import Apus

@Suite("Operators that move elements")
struct MovementTests {
  @Test("agree with PyTorch", arguments: GoldenCase.all(in: "movement"))
  func agree(golden: GoldenCase) throws {
    func evaluate<S: FloatingPointScalar>(_ inputs: GoldenInputs<S>) throws -> [String: Tensor<S>] {
      let attributes = inputs.attributes
      func x() throws -> Tensor<S> { try inputs["x"] }
      func indices() throws -> Tensor<Int64> { try inputs.tensor("indices", as: Int64.self) }
      switch golden.name.prefix(while: { $0 != "." }) {
      case "permute": return ["y": try x().permuted(attributes.ints("axes"))]
      case "pad":
        let mode = try #require(PaddingMode(rawValue: attributes.string("mode")))
        return ["y": try pad(x(), attributes.ints("amounts"), mode: mode, value: S(attributes.double("value")))]
      case "slice":
        return [
          "y": try x().sliced(
            axis: 1, from: attributes.int("start"), to: attributes.int("end"), step: attributes.int("step"))
        ]
      case "flip": return ["y": try x().flipped(axes: attributes.ints("axes"))]
      case "expand": return ["y": try x().expanded(to: attributes.ints("shape"))]
      case "tile": return ["y": try x().tiled(attributes.ints("counts"))]
      case "select": return ["y": try x().selected(axis: attributes.int("axis"), index: attributes.int("index"))]
      case "concatenate":
        return ["y": try concatenate([inputs["a"], inputs["b"], inputs["c"]], axis: attributes.int("axis"))]
      case "stack": return ["y": try stack([inputs["a"], inputs["b"]], axis: attributes.int("axis"))]
      case "embedding": return ["y": try embedding(indices(), weight: inputs["weight"])]
      case "indexSelect": return ["y": try x().indexSelect(axis: attributes.int("axis"), indices())]
      case "gather": return ["y": try x().gather(axis: attributes.int("axis"), indices())]
      case "chunk":
        let parts = try x().chunked(attributes.int("count"), axis: 1)
        return Dictionary(uniqueKeysWithValues: parts.enumerated().map { ("\($0)", $1) })
      default: throw GoldenError.missing("operator \(golden.name)")
      }
    }
    try golden.check(evaluate, evaluate)
  }

  static let shapes = [
    [3, 4, 5], [1, 17, 31], [33, 2, 65], [16, 16, 16], [100, 1, 37], [2, 129, 130], [7, 300, 70], [0, 3, 2],
    [1024, 1, 27],
  ]

  @Test("transposition for every element size, against a naive loop", arguments: shapes)
  func transpositions(shape: [Int]) throws {
    func check<S: TensorScalar>(_ make: (Int) -> S) throws {
      let count = shape.reduce(1, *)
      let elements = (0..<count).map(make)
      let x = try Tensor(elements, shape: shape)
      for axes in [[0, 2, 1], [2, 1, 0], [1, 0, 2], [2, 0, 1], [1, 2, 0]] {
        let newShape = axes.map { shape[$0] }
        let strides = Shape.strides(newShape)
        let own = Shape.strides(shape)
        let expected = (0..<count).map { index -> S in
          var place = 0
          for axis in 0..<3 { place += index / strides[axis] % newShape[axis] * own[axes[axis]] }
          return elements[place]
        }
        for (variant, result) in try resultsByVariant({ try x.permuted(axes) }) {
          #expect(result.shape == newShape)
          #expect(try result.elements == expected, "\(axes) \(variant) \(S.self)")
        }
      }
    }
    try check { UInt8(truncatingIfNeeded: $0 &* 7) }
    try check { Int16(truncatingIfNeeded: $0) }
    try check { Float($0) }
    try check { Int64($0) }
  }

  @Test("slices, flips and concatenation of small types")
  func smallTypes() throws {
    let x = try Tensor((0..<24).map { $0 % 5 == 0 }, shape: [2, 3, 4])
    let odd = try x.sliced(axis: 2, from: 1, step: 2)
    #expect(odd.shape == [2, 3, 2])
    #expect(try odd.elements == [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23].map { $0 % 5 == 0 })
    #expect(try concatenate([x, x], axis: 1).shape == [2, 6, 4])
    #expect(try concatenate(x.split(sizes: [1, 2], axis: 1), axis: 1).elements == x.elements)
    #expect(try x.flipped(axes: [0, 1, 2]).elements == x.elements.reversed())
    let half = try Tensor((0..<6).map { Float16($0) }, shape: [2, 3])
    #expect(try half.transposed().elements == [0, 3, 1, 4, 2, 5])
    #expect(try pad(half, [1, 0]).elements == [0, 0, 1, 2, 0, 3, 4, 5])
  }

  @Test("channel-blocked tensors: concatenation and slices at whole blocks stay blocked, others are right too")
  func blocked() throws {
    let a: Tensor<Float> = try randomTensor([2, 16, 3, 5], seed: 1)
    let b: Tensor<Float> = try randomTensor([2, 48, 3, 5], seed: 2)
    let joined = try concatenate([a.channelBlocked, b.channelBlocked], axis: 1)
    #expect(joined.layout == .channelBlocked)
    #expect(try joined.bytes == concatenate([a, b], axis: 1).bytes)
    #expect(try concatenate([a.channelBlocked, b], axis: 1).bytes == joined.bytes)
    #expect(
      try concatenate([a.channelBlocked, a.channelBlocked], axis: 2).bytes == concatenate([a, a], axis: 2).bytes)
    let middle = try joined.sliced(axis: 1, from: 16, to: 48)
    #expect(middle.layout == .channelBlocked)
    #expect(try middle.bytes == b.sliced(axis: 1, to: 32).bytes)
    let plain = try concatenate([a, b], axis: 1)
    #expect(try joined.sliced(axis: 1, from: 8, to: 40).bytes == plain.sliced(axis: 1, from: 8, to: 40).bytes)
    #expect(try joined.sliced(axis: 3, from: 1).bytes == plain.sliced(axis: 3, from: 1).bytes)
  }

  @Test("large copies: the same bits on 1, 2 and 4 threads")
  func threads() throws {
    let x: Tensor<Float> = try randomTensor([70, 50, 41], seed: 1)
    for (_, result) in try resultsByVariant({ try pad(x, [3, 2, 1, 1], mode: .reflect) }) {
      #expect(result.shape == [70, 52, 46])
    }
    for (_, result) in try resultsByVariant({ try x.flipped(axes: [1]) }) { #expect(result.shape == x.shape) }
    for (_, result) in try resultsByVariant({ try x.tiled([2, 1, 3]) }) { #expect(result.shape == [140, 50, 123]) }
  }

  @Test("long rows are copied whole at every distance of their ends", arguments: [0, 1, 4, 12, 15, 16, 64, 4095])
  func distances(apart: Int) throws {
    let (rows, room) = (3, 3 * 9000)
    let source = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 4096)
    let destination = UnsafeMutableRawBufferPointer.allocate(byteCount: room + 4096, alignment: 4096)
    defer {
      source.deallocate()
      destination.deallocate()
    }
    for i in 0..<room { source[i] = UInt8(truncatingIfNeeded: i &* 31 ^ i >> 7) }
    let (x, y) = (try #require(source.baseAddress), try #require(destination.baseAddress))
    for variant in Execution.availableVariants {
      for length in [4095, 4096, 4097, 6000, 8192, 9000] {
        for i in destination.indices { destination[i] = 0 }
        Execution.with(threads: 1, variant: variant) {
          Execution.current.dataKernels.gather(
            elementSize: 1, from: x, axisSize: rows, inner: length, indices: [2, 0], count: 2, to: y + apart)
        }
        let expected = Array(source[2 * length..<3 * length]) + Array(source[..<length])
        #expect(Array(destination[apart..<apart + 2 * length]) == expected)
        let around = Array(destination[..<apart]) + Array(destination[(apart + 2 * length)...])
        #expect(around.allSatisfy { $0 == 0 })
      }
    }
  }

  @Test("indices out of range are named with their position")
  func indices() throws {
    let weight = try Tensor<Float>(zeros: [5, 2])
    let bad = try Tensor<Int64>([0, 1, 4, 3, 7, 2], shape: [2, 3])
    #expect { try embedding(bad, weight: weight) } throws: { "\($0)".contains("7") && "\($0)".contains("[1, 1]") }
    #expect { try embedding(Tensor<Int32>([-1]), weight: weight) } throws: { "\($0)".contains("-1") }
    #expect { try weight.indexSelect(axis: 1, Tensor<Int64>([1, -3])) } throws: { "\($0)".contains("-3") }
    #expect { try weight.gather(axis: 0, Tensor<Int64>([1, 2, 3, 5], shape: [2, 2])) } throws: {
      "\($0)".contains("5") && "\($0)".contains("[1, 1]")
    }
    #expect(try weight.indexSelect(axis: 0, Tensor<Int64>([-1, -5])).shape == [2, 2])
    #expect(try embedding(Tensor<Int64>(zeros: [0]), weight: weight).shape == [0, 2])
    #expect(throws: TensorError.self) { try embedding(bad, weight: Tensor<Float>(zeros: [5])) }
    #expect(throws: TensorError.self) { try weight.gather(axis: 0, Tensor<Int64>(zeros: [2])) }
    #expect(throws: TensorError.self) { try weight.gather(axis: 0, Tensor<Int64>(zeros: [2, 3])) }
  }

  @Test("what cannot be done is refused")
  func refusals() throws {
    let x = try Tensor<Float>(zeros: [2, 3])
    let attempts: [() throws -> Any] = [
      { try x.permuted([0]) }, { try x.permuted([0, 0]) }, { try x.transposed(0, 2) }, { try x.flipped(axes: [2]) },
      { try x.expanded(to: [3]) }, { try x.expanded(to: [2, 4]) }, { try x.expanded(to: [-1, 2, 3]) },
      { try x.expanded(to: [.max, 2, 3]) }, { try x.tiled([2]) }, { try x.tiled([1, -1]) }, { try x.tiled([.max, 2]) },
      { try x.sliced(axis: 0, step: 0) }, { try x.selected(axis: 1, index: 3) },
      { try x.split(sizes: [1, 1], axis: 1) }, { try x.split(sizes: [.max, .max], axis: 1) },
      { try x.split(sizes: [-1, 4], axis: 1) },
      { try x.chunked(0, axis: 0) }, { try x.squeezed(0) }, { try x.unsqueezed(3) },
      { try concatenate([Tensor<Float>](), axis: 0) }, { try concatenate([x, Tensor(zeros: [2, 4])], axis: 0) },
      { try concatenate([x, Tensor(zeros: [2])], axis: 0) }, { try stack([x, Tensor(zeros: [3, 2])], axis: 0) },
      { try stack([x, x], axis: 3) }, { try pad(x, [1]) }, { try pad(x, [1, 1, 1, 1, 1, 1]) }, { try pad(x, [-4, 0]) },
      { try pad(x, [.max, 1]) }, { try pad(x, [.min, 1]) }, { try pad(x, [3, 0], mode: .reflect) },
      { try pad(x, [0, 4], mode: .circular) }, { try pad(Tensor<Float>(zeros: [2, 0]), [1, 0], mode: .replicate) },
      { try pad(x, [0, 1 << 40], mode: .replicate) }, { try pad(Tensor<Float>(zeros: [0, .max]), [1, 0]) },
      { try Tensor<Float>(range: -1) }, { try Tensor<Float>(range: .max) }, { try Tensor<Float>(range: .max - 1) },
    ]
    for (index, attempt) in attempts.enumerated() {
      #expect(throws: TensorError.self, "attempt \(index)") { _ = try attempt() }
    }
  }

  @Test("slices of a single channel-blocked sample share its memory until one of them is written to")
  func sharedSlices() throws {
    let elements: [Float] = (0..<32 * 6).map { Float($0) }
    let plain = try Tensor(elements, shape: [1, 32, 2, 3])
    var whole = try plain.channelBlocked
    var half = try whole.sliced(axis: 1, from: 16)
    #expect(half.layout == .channelBlocked)
    #expect(half.pointer == whole.pointer + 16 * 6)
    try whole.setElement(0, 16, 0, 0, to: -1)
    #expect(try half.elements == Array(elements[96...]))
    try half.setElement(0, 0, 0, 1, to: -2)
    #expect(try whole.element(0, 16, 0, 1) == 97)
    #expect(try half.element(0, 0, 0, 1) == -2)
  }

  @Test("bounds of slices as Python has them")
  func bounds() throws {
    let x = try Tensor<Float>(range: 10)
    #expect(try x.sliced(axis: 0, from: -3).elements == [7, 8, 9])
    #expect(try x.sliced(axis: 0, from: .min, to: .max, step: 4).elements == [0, 4, 8])
    #expect(try x.sliced(axis: 0, from: 2, to: -2, step: .max).elements == [2])
    #expect(try x.sliced(axis: 0, from: 20).shape == [0])
    #expect(try x.chunked(4, axis: 0).map(\.count) == [3, 3, 3, 1])
    #expect(try x.chunked(20, axis: 0).count == 10)
  }
}
