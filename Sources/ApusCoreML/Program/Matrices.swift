import Apus
import ApusGraph

// Reductions, products of matrices, attention.

extension ProgramBuilder {
  static let reductions: [String: Lowering] = {
    var result: [String: Lowering] = [:]
    for (name, type) in [
      ("reduce_sum", "ReduceSum"), ("reduce_mean", "ReduceMean"), ("reduce_max", "ReduceMax"),
      ("reduce_min", "ReduceMin"), ("reduce_prod", "ReduceProd"), ("reduce_l1_norm", "ReduceL1"),
      ("reduce_l2_norm", "ReduceL2"), ("reduce_log_sum", "ReduceLogSum"),
      ("reduce_log_sum_exp", "ReduceLogSumExp"), ("reduce_sum_square", "ReduceSumSquare"),
    ] {
      result[name] = { call in
        let axes = try call.optionalInts("axes")
        return [
          try call.emitter.node(
            type, [call.value("x"), axes.map { try call.emitter.integers($0) }],
            ["keepdims": .int(call.bool("keep_dims") ? 1 : 0)])
        ]
      }
    }
    for (name, type) in [("reduce_argmax", "ArgMax"), ("reduce_argmin", "ArgMin")] {
      result[name] = { call in
        let index = try call.emitter.node(
          type, [call.value("x")],
          ["axis": .int(Int64(call.int("axis", default: -1))), "keepdims": .int(call.bool("keep_dims") ? 1 : 0)])
        return [try call.emitter.cast(index, to: call.outputType())]
      }
    }
    result["cumsum"] = { call in
      let e = call.emitter
      return [
        try e.node(
          "CumSum", [call.value("x"), e.integer(call.int("axis", default: 0))],
          ["exclusive": .int(call.bool("exclusive") ? 1 : 0), "reverse": .int(call.bool("reverse") ? 1 : 0)])
      ]
    }
    result["softmax"] = { call in
      [
        try call.emitter.node(
          "Softmax", [call.value("x")], ["axis": .int(Int64(call.int("axis", default: -1)))])
      ]
    }
    return result
  }()

  static let matrices: [String: Lowering] = [
    "matmul": { call in
      let e = call.emitter
      let type = try call.outputType()
      let x = try transposed(multiplied(call.value("x"), type, e), if: call.bool("transpose_x"), e)
      let y = try transposed(multiplied(call.value("y"), type, e), if: call.bool("transpose_y"), e)
      return [try e.node("MatMul", [x, y])]
    },
    "linear": { call in
      let e = call.emitter
      let type = try call.outputType()
      let weight = try e.transpose(multiplied(call.value("weight"), type, e), [1, 0])
      let product = try e.node("MatMul", [multiplied(call.value("x"), type, e), weight])
      guard let bias = try call.optional("bias") else { return [product] }
      return [try e.node("Add", [product, multiplied(bias, type, e)])]
    },
    "einsum": { call in
      let equation = try call.string("equation", default: "")
      return [try call.emitter.node("Einsum", call.values("values"), ["equation": .string(Array(equation.utf8))])]
    },
    "scaled_dot_product_attention": { call in
      let e = call.emitter
      let (query, key, value) = try (call.value("query"), call.value("key"), call.value("value"))
      let rank = try e.rank(key)
      guard rank >= 2, let width = try e.shape(query).last ?? nil, width > 0 else {
        throw OperatorError("the number of features of a query is not known")
      }
      var scores = try e.node("MatMul", [query, transposed(key, if: true, e)])
      scores = try e.node("Mul", [scores, e.number(1 / Float(width).squareRoot())])
      if let mask = try call.optional("attn_mask") {
        if e.elementType(mask) == .bool {
          scores = try e.node("Where", [mask, scores, e.number(-.infinity)])
        } else {
          scores = try e.node("Add", [scores, mask])
        }
      }
      return [try e.node("MatMul", [e.node("Softmax", [scores], ["axis": .int(-1)]), value])]
    },
  ]

  /// A factor in the type of the product: since iOS 17 factors may be integers of a few bits.
  private static func multiplied(_ x: Graph.ValueID, _ type: ElementType, _ e: Emitter) throws -> Graph.ValueID {
    e.elementType(x) == type || e.elementType(x) == nil ? x : try e.cast(x, to: type)
  }

  /// A matrix, or a stack of such, with its last two axes exchanged; a vector as it is.
  static func transposed(
    _ x: Graph.ValueID, if isWanted: Bool, _ e: Emitter
  ) throws -> Graph.ValueID {
    guard isWanted else { return x }
    let rank = try e.rank(x)
    guard rank >= 2 else { return x }
    return try e.transpose(x, Array(0..<(rank - 2)) + [rank - 1, rank - 2])
  }
}
