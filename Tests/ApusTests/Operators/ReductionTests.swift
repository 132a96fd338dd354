import Testing

@testable import Apus

@Suite("Reductions")
struct ReductionTests {
  @Test("agree with PyTorch", arguments: GoldenCase.all(in: "reduction").filter { !$0.name.hasPrefix("arg") })
  func agree(golden: GoldenCase) throws {
    func evaluate<S: FloatingPointScalar>(_ inputs: GoldenInputs<S>) throws -> Tensor<S> {
      let x = try inputs["x"]
      let axes = try inputs.attributes.ints("axes")
      switch golden.name.prefix(while: { $0 != "." }) {
      case "sum": return try x.sum(axes: axes)
      case "mean": return try x.mean(axes: axes)
      case "amax": return try x.amax(axes: axes)
      case "amin": return try x.amin(axes: axes)
      case "variance": return try x.variance(axes: axes)
      case "variance0": return try x.variance(axes: axes, correction: 0)
      case "standardDeviation": return try x.standardDeviation(axes: axes)
      case "logSumExp": return try x.logSumExp(axes: axes)
      case "product": return try x.product(axes: axes, keepDims: inputs.attributes.bool("keepDims"))
      default: throw GoldenError.missing("operator \(golden.name)")
      }
    }
    try golden.check(evaluate, evaluate)
  }

  @Test("argmax and argmin agree with PyTorch", arguments: ["argmax", "argmin"])
  func argumentsAgree(name: String) throws {
    for golden in GoldenCase.all(in: "reduction", prefix: name) {
      func evaluate<S: FloatingPointScalar>(_ inputs: GoldenInputs<S>) throws -> Tensor<Int64> {
        let axis = try inputs.attributes.int("axis")
        return try name == "argmax" ? inputs["x"].argmax(axis: axis) : inputs["x"].argmin(axis: axis)
      }
      try golden.checkExactly(evaluate, evaluate)
    }
  }

  static let shapes: [([Int], [Int])] = [
    ([100_003], [0]), ([3, 70_001], [1]), ([70_001, 3], [0]), ([2, 300, 517], [1]), ([17, 31], [1]), ([5, 1, 7], [1]),
    ([2, 3, 4, 5], [1, 3]), ([2, 3, 4, 5], [0, 1]), ([1, 1], [0, 1]), ([40, 50, 30], [0, 2]),
  ]

  @Test("against naive loops, the same bits on any number of threads", arguments: shapes)
  func naive(shape: [Int], axes: [Int]) throws {
    let x: Tensor<Float> = try randomTensor(shape, seed: 1, in: -1...2)
    // Rows of what is reduced, by way of float64.
    let order = shape.indices.filter { !axes.contains($0) } + axes
    let size = axes.reduce(1) { $0 * shape[$1] }
    let moved = try x.permuted(order).elements.map { Double($0) }
    let rows = stride(from: 0, to: moved.count, by: size).map { moved[$0..<($0 + size)] }
    func expect(
      _ name: String, tolerance: Double, _ body: () throws -> Tensor<Float>, _ naive: (ArraySlice<Double>) -> Double
    ) throws {
      for (variant, result) in try resultsByVariant(body) {
        #expect(result.shape == shape.indices.filter { !axes.contains($0) }.map { shape[$0] })
        for (value, row) in zip(try result.elements, rows) {
          let expected = naive(row)
          let difference = (Double(value) - expected).magnitude
          #expect(difference <= tolerance * max(1e-3, expected.magnitude), "\(name) \(variant)")
        }
      }
    }
    // Sums are rounded once: half a unit in the last place.
    try expect("sum", tolerance: 6.1e-8, { try x.sum(axes: axes) }) { $0.reduce(0, +) }
    try expect("mean", tolerance: 1.3e-7, { try x.mean(axes: axes) }) { $0.reduce(0, +) / Double(size) }
    try expect("amax", tolerance: 0, { try x.amax(axes: axes) }) { $0.max() ?? 0 }
    try expect("amin", tolerance: 0, { try x.amin(axes: axes) }) { $0.min() ?? 0 }
    try expect("variance", tolerance: 1.3e-7, { try x.variance(axes: axes, correction: 0) }) { row in
      let mean = row.reduce(0, +) / Double(size)
      return row.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(size)
    }
  }

  @Test("the greatest and smallest of rows of every length, of which some hold NaN")
  func extremesOfRows() throws {
    let sizes = [(1, 20), (15, 7), (16, 1), (16, 2), (17, 3), (33, 8), (50, 20), (40, 39), (35, 41), (19, 75)]
    for (rows, columns) in sizes {
      let numbers: Tensor<Float> = try randomTensor([rows, columns], seed: UInt64(rows * 100 + columns))
      var elements = try numbers.elements
      for row in stride(from: 3, to: rows, by: 7) { elements[row * columns + row % columns] = .nan }
      for row in stride(from: 1, to: rows, by: 5) { elements[row * columns] = -.infinity }
      let x = try Tensor(elements, shape: [rows, columns])
      let lines = stride(from: 0, to: elements.count, by: columns).map { elements[$0..<($0 + columns)] }
      func expected(_ choice: (ArraySlice<Float>) -> Float?) -> [Float?] {
        lines.map { $0.contains(where: \.isNaN) ? nil : choice($0) }
      }
      func numbersOf(_ result: Tensor<Float>) throws -> [Float?] { try result.elements.map { $0.isNaN ? nil : $0 } }
      for (variant, result) in try resultsByVariant({ try x.amax(axes: [1]) }) {
        #expect(try numbersOf(result) == expected { $0.max() }, "\(variant), \(rows) × \(columns)")
      }
      for (variant, result) in try resultsByVariant({ try x.amin(axes: [1]) }) {
        #expect(try numbersOf(result) == expected { $0.min() }, "\(variant), \(rows) × \(columns)")
      }
    }
  }

  @Test("keepDims, negative axes and all axes")
  func resultShapes() throws {
    let x: Tensor<Float> = try randomTensor([2, 3, 4], seed: 1)
    #expect(try x.sum().shape == [])
    #expect(try x.sum(keepDims: true).shape == [1, 1, 1])
    #expect(try x.mean(axes: [-1], keepDims: true).shape == [2, 3, 1])
    #expect(try x.amax(axes: [0, -1]).shape == [3])
    #expect(try x.argmax().shape == [])
    #expect(try x.argmax(axis: 1, keepDims: true).shape == [2, 1, 4])
    #expect(try x.channelBlocked.sum(axes: [1]).bytes == x.sum(axes: [1]).bytes)
    #expect(throws: TensorError.self) { try x.sum(axes: [3]) }
    #expect(throws: TensorError.self) { try x.argmax(axis: -4) }
  }

  @Test("nothing to reduce")
  func empty() throws {
    let x = try Tensor<Float>(zeros: [3, 0])
    #expect(try x.sum(axes: [1]).elements == [0, 0, 0])
    #expect(try x.product(axes: [1]).elements == [1, 1, 1])
    #expect(try x.mean(axes: [1]).elements.map(\.isNaN) == [true, true, true])
    #expect(try x.logSumExp(axes: [1]).elements == [-.infinity, -.infinity, -.infinity])
    #expect(try x.sum(axes: [0]).shape == [0])
    #expect(try x.amax(axes: [0]).shape == [0])
    for attempt in [{ try x.amax(axes: [1]) }, { try x.amin() }] {
      #expect { try attempt() } throws: { "\($0)".contains("[3, 0]") }
    }
    #expect(throws: TensorError.self) { try x.argmax() }
    #expect(try Tensor<Float>([5]).variance().scalar.isNaN)
    #expect(try Tensor<Float>([5]).variance(correction: 0).scalar == 0)
  }

  /// torch.tensor([[1, 3], [2, 2]]).var(dim=1, correction=correction) of PyTorch 2.13.
  @Test(arguments: [2, 3, Int.max])
  func correctionsThatLeaveNothingDivideByZero(correction: Int) throws {
    func check<Real: FloatingPointScalar>(_ type: Real.Type) throws {
      let x = try Tensor<Real>([1, 3, 2, 2], shape: [2, 2])
      for spread in [
        try x.variance(axes: [1], correction: correction), try x.standardDeviation(axes: [1], correction: correction),
      ] {
        let elements = try spread.elements
        #expect(elements[0] == .infinity && elements[1].isNaN)
      }
      #expect(try Tensor<Real>(repeating: 0, shape: [0]).variance(correction: 0).scalar.isNaN)
    }
    try check(Float.self)
    try check(Double.self)
  }

  /// Along an axis that is not the last, as along the last after a transposition.
  @Test("argmax and argmin of columns", arguments: [(1, 40), (5, 3), (21, 35), (33, 16)])
  func argumentsOfColumns(rows: Int, columns: Int) throws {
    // Few values, so that several are greatest, and some columns with one or two that are no number.
    let elements = (0..<2 * rows * columns).map { (index: Int) -> Float in
      (index * 7 + index / 11) % 13 == 12 ? Float.nan : Float(index * 5 % 9)
    }
    let x = try Tensor<Float>(elements, shape: [2, rows, columns])
    let turned = try x.transposed()
    for (variant, result) in try resultsByVariant({ try x.argmax(axis: 1) }) {
      #expect(try result.elements == turned.argmax(axis: 2).elements, "\(variant)")
    }
    for (variant, result) in try resultsByVariant({ try x.argmin(axis: 1) }) {
      #expect(try result.elements == turned.argmin(axis: 2).elements, "\(variant)")
    }
    let doubles = try x.converted(to: Double.self)
    #expect(try doubles.argmax(axis: 1).elements == turned.argmax(axis: 2).elements)
    #expect(try doubles.argmin(axis: 1).elements == turned.argmin(axis: 2).elements)
  }

  @Test("NaN and infinities", arguments: [3, 40, 100])
  func specials(count: Int) throws {
    for place in [0, count / 2, count - 1] {
      var elements = (0..<count).map { Float($0 % 7) }
      elements[place] = .nan
      let x = try Tensor(elements)
      for (_, result) in try resultsByVariant({ try x.amax() }) { #expect(try result.scalar.isNaN) }
      for (_, result) in try resultsByVariant({ try x.amin() }) { #expect(try result.scalar.isNaN) }
      for (_, result) in try resultsByVariant({ try x.argmax() }) { #expect(try result.scalar == Int64(place)) }
      for (_, result) in try resultsByVariant({ try x.argmin() }) { #expect(try result.scalar == Int64(place)) }
      for (_, result) in try resultsByVariant({ try x.unsqueezed(-1).amax(axes: [0]) }) {
        #expect(try result.element(0).isNaN)
      }
      #expect(try x.converted(to: Double.self).amax().scalar.isNaN)
      #expect(try x.converted(to: Double.self).argmin().scalar == Int64(place))
      elements[place] = .infinity
      for (_, result) in try resultsByVariant({ try Tensor(elements).logSumExp() }) {
        #expect(try result.scalar == .infinity)
      }
    }
    for (_, result) in try resultsByVariant({ try Tensor<Float>(repeating: -.infinity, shape: [count]).amax() }) {
      #expect(try result.scalar == -.infinity)
    }
    for (_, result) in try resultsByVariant({ try Tensor<Float>(repeating: -.infinity, shape: [count]).logSumExp() }) {
      #expect(try result.scalar == -.infinity)
    }
  }

  /// PyTorch's results for torch.tensor(5.); an axis 1 is an IndexError there.
  @Test func aSingleNumberHasTheAxesThatPyTorchGivesIt() throws {
    let x = try Tensor<Float>([5], shape: [])
    for axis in [0, -1] {
      for keeps in [false, true] {
        let same = try [
          x.sum(axes: [axis], keepDims: keeps), x.mean(axes: [axis], keepDims: keeps),
          x.product(axes: [axis], keepDims: keeps), x.amax(axes: [axis], keepDims: keeps),
          x.amin(axes: [axis], keepDims: keeps), x.logSumExp(axes: [axis], keepDims: keeps),
        ]
        for result in same { #expect(try result.shape == [] && result.scalar == 5) }
        let spread = try [
          x.variance(axes: [axis], keepDims: keeps), x.standardDeviation(axes: [axis], keepDims: keeps),
        ]
        for result in spread { #expect(try result.shape == [] && result.scalar.isNaN) }
        for result in try [x.argmax(axis: axis, keepDims: keeps), x.argmin(axis: axis, keepDims: keeps)] {
          #expect(try result.shape == [] && result.scalar == 0)
        }
      }
    }
    for axis in [1, -2, .min] {
      #expect(throws: TensorError.self) { try x.sum(axes: [axis]) }
      #expect(throws: TensorError.self) { try x.argmax(axis: axis) }
    }
  }
}
