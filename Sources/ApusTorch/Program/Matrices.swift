import Apus
import ApusGraph

// Products of matrices.

extension ProgramBuilder {
  static let matrices: [String: Lowering] = {
    var result: [String: Lowering] = [:]
    for (name, a, b) in [
      ("matmul", "self", "other"), ("mm", "self", "mat2"), ("bmm", "self", "mat2"), ("mv", "self", "vec"),
      ("dot", "self", "tensor"), ("vdot", "self", "other"), ("linalg_matmul", "self", "other"),
      ("__rmatmul__", "other", "self"),
    ] {
      result[name] = { call in
        let e = call.emitter
        let out = try call.outputType
        let (left, right) = (try call.value(a, as: out), try call.value(b, as: out))
        // Core ATen multiplies a batch by as many copies of a matrix.
        return [try e.node("MatMul", [left, name == "bmm" ? e.repeatedMatrices[right] ?? right : right])]
      }
    }
    result["linear"] = { call in
      let e = call.emitter
      let weight = try call.value("weight")
      let product: Graph.ValueID
      if try e.rank(weight) == 1 {
        product = try e.node("MatMul", [call.x, weight])
      } else if try e.rank(call.x) == 2, let bias = try call.optional("bias"), try e.rank(bias) == 1 {
        return [try e.node("Gemm", [call.x, weight, bias], ["transB": .int(1)])]
      } else {
        product = try e.node("MatMul", [call.x, e.transpose(weight, [1, 0])])
      }
      return [try call.optional("bias").map { try e.node("Add", [product, $0]) } ?? product]
    }
    // β · self + α · a · b.
    for (name, a, b, isGemm) in [
      ("addmm", "mat1", "mat2", true), ("addmv", "mat", "vec", false), ("baddbmm", "batch1", "batch2", false),
    ] {
      result[name] = { call in
        let e = call.emitter
        let out = try call.outputType
        let operands = [try call.value(a, as: out), try call.value(b, as: out)]
        let (alpha, beta) = (try call.double("alpha", default: 1), try call.double("beta", default: 1))
        let start = try call.value("self", as: out)
        if isGemm, alpha == 1, beta == 1, out.isFloatingPoint {
          return [try e.node("Gemm", operands + [start])]
        }
        return [try e.sum(start, beta, e.node("MatMul", operands), alpha, as: out)]
      }
    }
    result["addbmm"] = { call in
      let e = call.emitter
      let out = try call.outputType
      let product = try e.node("MatMul", [call.value("batch1", as: out), call.value("batch2", as: out)])
      let total = try e.reduce("ReduceSum", product, axes: [0], keeps: false, as: out)
      return [
        try e.sum(
          call.value("self", as: out), call.double("beta", default: 1), total, call.double("alpha", default: 1),
          as: out)
      ]
    }
    result["addr"] = { call in
      let e = call.emitter
      let out = try call.outputType
      let product = try e.outer(call.value("vec1", as: out), call.value("vec2", as: out), as: out)
      return [
        try e.sum(
          call.value("self", as: out), call.double("beta", default: 1), product, call.double("alpha", default: 1),
          as: out)
      ]
    }
    for name in ["outer", "ger"] {
      result[name] = { call in
        let out = try call.outputType
        return [try call.emitter.outer(call.value("self", as: out), call.value("vec2", as: out), as: out)]
      }
    }
    result["inner"] = { call in
      let e = call.emitter
      let out = try call.outputType
      let (a, b) = (try call.value("self", as: out), try call.value("other", as: out))
      let (m, n) = (try e.rank(a), try e.rank(b))
      guard m > 0, n > 0 else { return [try e.node("Mul", [a, b])] }
      let names = "abcdefghijklmnopqrstuvwxyABCDEFGHIJKLMNOPQRSTUVWXY".map { String($0) }
      guard m + n - 2 <= names.count else { throw OperatorError("tensors of \(m) and \(n) axes") }
      let (left, right) = (names[..<(m - 1)].joined(), names[(m - 1)..<(m + n - 2)].joined())
      return [
        try e.node("Einsum", [a, b], ["equation": .text("\(left)z,\(right)z->\(left)\(right)")])
      ]
    }
    result["einsum"] = { call in
      let out = try call.outputType
      let operands = try call.tensors("tensors").map { try call.emitter.cast($0, to: out) }
      return [try call.emitter.node("Einsum", operands, ["equation": .text(call.string("equation"))])]
    }
    result["bilinear"] = { call in
      let e = call.emitter
      let product = try e.node(
        "Einsum", [call.value("input1"), call.value("weight"), call.value("input2")],
        ["equation": .text("...i,oij,...j->...o")])
      return [try call.optional("bias").map { try e.node("Add", [product, $0]) } ?? product]
    }
    result["kron"] = { call in
      let e = call.emitter
      let out = try call.outputType
      var (a, b) = (try call.value("self", as: out), try call.value("other", as: out))
      let rank = max(try e.rank(a), try e.rank(b))
      guard rank > 0 else { return [try e.node("Mul", [a, b])] }
      let (missingA, missingB) = (rank - (try e.rank(a)), rank - (try e.rank(b)))
      if missingA > 0 { a = try e.unsqueeze(a, Array(0..<missingA)) }
      if missingB > 0 { b = try e.unsqueeze(b, Array(0..<missingB)) }
      let left = try e.unsqueeze(a, (0..<rank).map { 2 * $0 + 1 })
      let right = try e.unsqueeze(b, (0..<rank).map { 2 * $0 })
      return [try e.reshape(e.node("Mul", [left, right]), call.knownOutputShape)]
    }
    for name in ["cross", "linalg_cross"] {
      result[name] = { call in
        let e = call.emitter
        let out = try call.outputType
        let (a, b) = (try call.value("self", as: out), try call.value("other", as: out))
        let axis: Int
        if let dim = try call.optionalInt("dim") {
          axis = try e.axis(dim, rank: e.rank(a))
        } else {
          axis = name == "cross" ? try e.shape(a).firstIndex(of: 3) ?? 0 : try e.rank(a) - 1
        }
        func turned(_ x: Graph.ValueID, _ places: [Int]) throws -> Graph.ValueID {
          try e.node("Gather", [x, e.integers(places)], ["axis": .int(axis)])
        }
        let first = try e.node("Mul", [turned(a, [1, 2, 0]), turned(b, [2, 0, 1])])
        let second = try e.node("Mul", [turned(a, [2, 0, 1]), turned(b, [1, 2, 0])])
        return [try e.node("Sub", [first, second])]
      }
    }
    for name in ["cdist", "_cdist_forward", "_euclidean_dist"] {
      result[name] = { call in
        let e = call.emitter
        let out = try call.outputType
        let (a, b) = (try call.value("x1", as: out), try call.value("x2", as: out))
        let difference = try e.node("Sub", [e.unsqueeze(a, [e.rank(a) - 1]), e.unsqueeze(b, [e.rank(b) - 2])])
        return [try e.norm(difference, call.double("p", default: 2), axes: [-1], keeps: false, as: out)]
      }
    }
    for name in ["pdist", "_pdist_forward"] {
      result[name] = { call in
        let e = call.emitter
        let out = try call.outputType
        let x = try call.x
        let count = try call.knownShape(x).first ?? 0
        guard count <= 4096 else { throw OperatorError("distances of \(count) rows") }
        var (first, second): ([Int], [Int]) = ([], [])
        for row in 0..<count {
          for other in (row + 1)..<max(count, row + 1) {
            first.append(row)
            second.append(other)
          }
        }
        let a = try e.node("Gather", [x, e.integers(first)], ["axis": .int(0)])
        let b = try e.node("Gather", [x, e.integers(second)], ["axis": .int(0)])
        return [
          try e.norm(
            e.node("Sub", [a, b]), call.double("p", default: 2), axes: [1], keeps: false, as: out)
        ]
      }
    }
    result["pairwise_distance"] = { call in
      let e = call.emitter
      let out = try call.outputType
      let difference = try e.node("Sub", [call.value("x1", as: out), call.value("x2", as: out)])
      let shifted = try e.node("Add", [difference, e.numbers(call.double("eps", default: 1e-6), as: out)])
      return [
        try e.norm(shifted, call.double("p", default: 2), axes: [-1], keeps: call.bool("keepdim"), as: out)
      ]
    }
    result["cosine_similarity"] = { call in
      let e = call.emitter
      let out = try call.outputType
      var (a, b) = (try call.value("x1", as: out), try call.value("x2", as: out))
      if try e.shape(a) != e.shape(b) {
        let common = try e.node("Shape", [e.node("Add", [a, b])])
        (a, b) = (try e.expand(a, common), try e.expand(b, common))
      }
      let axis = try call.int("dim", default: 1)
      let least = try e.numbers(call.double("eps", default: 1e-8), as: out)
      func unit(_ x: Graph.ValueID) throws -> Graph.ValueID {
        let length = try e.norm(x, 2, axes: [e.axis(axis, rank: e.rank(x))], keeps: true, as: out)
        return try e.node("Div", [x, e.node("Max", [length, least])])
      }
      let product = try e.node("Mul", [unit(a), unit(b)])
      let rank = max(try e.rank(a), try e.rank(b))
      return [
        try rank == 0
          ? product : e.node("ReduceSum", [product, e.integers([axis])], ["keepdims": .int(0)])
      ]
    }
    result["tensordot"] = { call in
      let e = call.emitter
      let out = try call.outputType
      let (a, b) = (try call.value("self", as: out), try call.value("other", as: out))
      let (m, n) = (try e.rank(a), try e.rank(b))
      let over = (
        try call.ints("dims_self").map { try e.axis($0, rank: m) },
        try call.ints("dims_other").map { try e.axis($0, rank: n) }
      )
      guard over.0.count == over.1.count, Set(over.0).count == over.0.count, Set(over.1).count == over.1.count else {
        throw OperatorError("it sums over axes \(over.0) and \(over.1)")
      }
      let kept = ((0..<m).filter { !over.0.contains($0) }, (0..<n).filter { !over.1.contains($0) })
      let terms = try over.0.reduce(GraphExtent.known(1)) { try e.product($0, e.extent(a, $1)) }
      func count(_ x: Graph.ValueID, _ axes: [Int]) throws -> GraphExtent {
        try axes.reduce(.known(1)) { try e.product($0, e.extent(x, $1)) }
      }
      let left = try e.reshape(e.transpose(a, kept.0 + over.0), [count(a, kept.0), terms])
      let right = try e.reshape(e.transpose(b, over.1 + kept.1), [terms, count(b, kept.1)])
      let extents = try kept.0.map { try e.extent(a, $0) } + kept.1.map { try e.extent(b, $0) }
      return [try e.reshape(e.node("MatMul", [left, right]), extents)]
    }
    result["linalg_vecdot"] = { call in
      let e = call.emitter
      let out = try call.outputType
      let product = try e.node("Mul", [call.value("x", as: out), call.value("y", as: out)])
      return [try e.reduce("ReduceSum", product, axes: [call.int("dim", default: -1)], keeps: false, as: out)]
    }
    result["linalg_multi_dot"] = { call in
      let matrices = try call.tensors("tensors")
      guard let first = matrices.first else { throw OperatorError("it multiplies nothing") }
      return [try matrices.dropFirst().reduce(first) { try call.emitter.node("MatMul", [$0, $1]) }]
    }
    // With the factors, which are not given.
    for name in ["linalg_det", "_linalg_det"] {
      result[name] = { call in [try call.emitter.node("Det", [call.value()]), nil, nil] }
    }
    for name in ["linalg_inv", "inverse", "linalg_inv_ex"] {
      result[name] = { call in
        let e = call.emitter
        let x = try call.value()
        let inverse = try e.node("Inverse", [x], domain: "com.microsoft")
        guard name == "linalg_inv_ex" else { return [inverse] }
        let shape = try e.slice(e.node("Shape", [x]), from: [0], to: [-2], axes: [0])
        // Nothing is said of matrices that have none, whose elements are no numbers.
        return [inverse, try e.expand(e.number(0, as: .int32), shape)]
      }
    }
    // What nn.Bilinear becomes: a sum of products of three, each along axes of its own.
    result["_trilinear"] = { call in
      let e = call.emitter
      let out = try call.outputType
      let operands = try (1...3).map { try e.unsqueeze(call.value("i\($0)", as: out), call.ints("expand\($0)")) }
      let product = try e.node("Mul", [e.node("Mul", [operands[0], operands[1]]), operands[2]])
      return [try e.reduce("ReduceSum", product, axes: call.ints("sumdim"), keeps: false, as: out)]
    }
    result["_grouped_mm"] = { call in [try groupedProduct(call, "mat2")] }
    return result
  }()

  /// Products of rows in groups, each group with a matrix of its own; rows beyond the last group become zeros.
  static func groupedProduct(_ call: Call, _ name: String) throws -> Graph.ValueID {
    let e = call.emitter
    let out = try call.outputType
    let (x, matrices) = (try call.value(as: out), try call.value(name, as: out))
    guard call.has("offs") else { return try e.node("MatMul", [x, matrices]) }
    guard try e.rank(x) == 2, try e.rank(matrices) == 3 else {
      throw OperatorError("groups along anything but the rows of the first operand are not covered")
    }
    let ends = try e.cast(call.value("offs"), to: .int64)
    let count = try call.knownExtent(matrices, 0)
    // Each has nodes of its own.
    guard 1...4096 ~= count else { throw OperatorError("\(count) groups") }
    let rowAxis = try e.integers([0])
    var (parts, start): ([Graph.ValueID], Graph.ValueID) = ([], try e.integers([0]))
    for group in 0..<count {
      let end = try e.slice(ends, from: [group], to: [group + 1], axes: [0])
      let matrix = try e.squeeze(e.slice(matrices, from: [group], to: [group + 1], axes: [0]), [0])
      parts.append(try e.node("MatMul", [e.node("Slice", [x, start, end, rowAxis]), matrix]))
      start = end
    }
    let zeros = try e.expand(e.number(0, as: out), e.list([e.extent(x, 0), e.extent(matrices, 2)]))
    parts.append(try e.node("Slice", [zeros, start, e.integers([TorchSize.limit]), rowAxis]))
    let product = try e.node("Concat", parts, ["axis": .int(0)])
    return try call.optional("bias", as: out).map { try e.node("Add", [product, $0]) } ?? product
  }
}

extension Emitter {
  /// β · a + α · b.
  func sum(
    _ a: Graph.ValueID, _ beta: Double, _ b: Graph.ValueID, _ alpha: Double, as type: ElementType
  ) throws -> Graph.ValueID {
    let right = alpha == 1 ? b : try node("Mul", [b, numbers(alpha, as: type)])
    // What is multiplied by 0 does not count, NaN and infinity included; its shape does.
    if beta == 0 { return right }
    return try node("Add", [beta == 1 ? a : node("Mul", [a, numbers(beta, as: type)]), right])
  }

  func outer(_ a: Graph.ValueID, _ b: Graph.ValueID, as type: ElementType) throws -> Graph.ValueID {
    try node(type == .bool ? "And" : "Mul", [unsqueeze(a, [1]), unsqueeze(b, [0])])
  }
}
