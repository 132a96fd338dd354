import Apus
import ApusGraph

// Reductions and products of matrices.

extension NetworkBuilder {
  static let matrixLayers: [Int: Layer] = {
    var result: [Int: Layer] = [:]
    for (number, type) in [
      (1250, "ReduceL1"), (1255, "ReduceL2"), (1260, "ReduceMax"), (1265, "ReduceMin"), (1270, "ReduceSum"),
      (1275, "ReduceProd"), (1280, "ReduceMean"), (1285, "ReduceLogSum"), (1290, "ReduceSumSquare"),
      (1295, "ReduceLogSumExp"),
    ] {
      result[number] = { c in
        let axes = try c.p.bool(3) || c.p.ints(1).isEmpty ? nil : c.e.integers(c.p.ints(1))
        return [try c.e.node(type, [c.x, axes], ["keepdims": .int(c.p.bool(2) ? 1 : 0)])]
      }
    }
    result[280] = { c in [try reduce(c)] }
    result[950] = { c in [try c.e.node("Softmax", [c.x], ["axis": .int(Int64(c.p.int(1)))])] }
    result[140] = { c in [try innerProduct(c)] }
    result[150] = { c in
      let (inputs, outputs) = try (c.p.int(1), c.p.int(2))
      let table = try c.e.transpose(c.builder.weights(c.p, 20, [outputs, inputs]), [1, 0])
      let rank = try c.e.rank(c.x)
      // Indices stand where channels do.
      guard rank >= 4 else { throw OperatorError("its input has rank \(rank); 4 at least is needed") }
      let outer = try (0..<(rank - 3)).map { try c.e.extent(c.x, $0) }
      let rows = try c.e.node("Gather", [table, c.e.reshape(c.indices(0), [-1])], ["axis": .int(0)])
      var y = try c.e.reshape(rows, outer + [.known(outputs), .known(1), .known(1)])
      if try c.p.bool(10) { y = try c.e.node("Add", [y, c.builder.weights(c.p, 21, [outputs, 1, 1])]) }
      return [y]
    }
    result[1040] = { c in
      let (vocabulary, size) = try (c.p.int(1), c.p.int(2))
      let table = try c.e.transpose(c.builder.weights(c.p, 20, [size, vocabulary]), [1, 0])
      let rank = try c.e.rank(c.x)
      let indices = try c.e.squeeze(c.indices(0), [rank - 1])
      let rows = try c.e.node("Gather", [table, indices], ["axis": .int(0)])
      return [try c.p.bool(3) ? c.e.node("Add", [rows, c.builder.weights(c.p, 21, [size])]) : rows]
    }
    result[1045] = { c in [try batchedMatmul(c)] }
    result[270] = { c in
      let e = c.e
      let axes = try e.integers([-3])
      func sum(_ a: Graph.ValueID, _ b: Graph.ValueID) throws -> Graph.ValueID {
        try e.node("ReduceSum", [e.node("Mul", [a, b]), axes], ["keepdims": .int(1)])
      }
      let product = try sum(c.input(0), c.input(1))
      guard try c.p.bool(1) else { return [product] }
      let norms = try e.node("Mul", [sum(c.input(0), c.input(0)), sum(c.input(1), c.input(1))])
      return [try e.node("Div", [product, e.node("Sqrt", [norms])])]
    }
    return result
  }()

  private static func reduce(_ c: LayerCall) throws -> Graph.ValueID {
    let e = c.e
    let lists = [[-3, -2, -1], [-2, -1], [-3], [-2], [-1]]
    let (mode, axis) = try (c.p.int(1), c.p.int(3))
    guard lists.indices.contains(axis) else { throw OperatorError("axis \(axis) is not known") }
    let types = [
      "ReduceSum", "ReduceMean", "ReduceProd", "ReduceLogSum", "ReduceSumSquare", "ReduceL1", "ReduceL2", "ReduceMax",
      "ReduceMin",
    ]
    if mode == 9 {
      guard lists[axis].count == 1 else {
        throw OperatorError("the place of a maximum along several axes is asked for")
      }
      return try c.floats(e.node("ArgMax", [c.x], ["axis": .int(Int64(lists[axis][0])), "keepdims": .int(1)]))
    }
    guard types.indices.contains(mode) else { throw OperatorError("mode \(mode) is not known") }
    var x = try c.x
    if mode == 3 { x = try e.node("Add", [x, e.number(c.p.float(2) == 0 ? 1e-6 : c.p.float(2))]) }
    // The logarithm is taken of each element.
    if mode == 3 {
      return try e.node("ReduceSum", [e.node("Log", [x]), e.integers(lists[axis])], ["keepdims": .int(1)])
    }
    return try e.node(types[mode], [x, e.integers(lists[axis])], ["keepdims": .int(1)])
  }

  private static func innerProduct(_ c: LayerCall) throws -> Graph.ValueID {
    let e = c.e
    let (inputs, outputs) = try (c.p.int(1), c.p.int(2))
    let weight = try e.transpose(c.builder.weights(c.p, 20, [outputs, inputs]), [1, 0])
    func product(_ x: Graph.ValueID) throws -> Graph.ValueID {
      let y = try e.node("MatMul", [x, weight])
      return try c.p.bool(10) ? e.node("Add", [y, c.builder.weights(c.p, 21, [outputs])]) : y
    }
    let rank = try e.rank(c.x)
    guard rank >= 4 else { return try product(c.x) }
    let outer = try (0..<(rank - 3)).map { try e.extent(c.x, $0) }
    let y = try product(e.reshape(c.x, outer + [.known(inputs)]))
    return try e.unsqueeze(y, [rank - 2, rank - 1])
  }

  private static func batchedMatmul(_ c: LayerCall) throws -> Graph.ValueID {
    let e = c.e
    if c.inputs.count > 1 {
      let (left, right) = try (c.p.bool(1), c.p.bool(2))
      return try e.node(
        "MatMul",
        [
          ProgramBuilder.transposed(c.input(0), if: left, e), ProgramBuilder.transposed(c.input(1), if: right, e),
        ])
    }
    let shape = try [c.p.int(5), c.p.int(6)]
    // The file has the matrix with its columns one after the other.
    let weights = try e.transpose(c.builder.weights(c.p, 8, [shape[1], shape[0]]), [1, 0])
    let product = try e.node("MatMul", [c.x, weights])
    return try c.p.bool(7) ? e.node("Add", [product, c.builder.weights(c.p, 9, [shape[1]])]) : product
  }
}
