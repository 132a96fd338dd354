import Apus
import ApusGraph

// Elements that indices name, elements in order, elements of chance. Indices are numbers like all others here.

extension NetworkBuilder {
  static let indexLayers: [Int: Layer] = [
    930: { c in [try c.e.node("Gather", [c.x, c.indices(1)], ["axis": .int(Int64(c.p.int(1)))])] },
    940: { c in [try c.e.node("GatherND", [c.x, c.indices(1)])] },
    952: { c in [try c.e.node("GatherElements", [c.x, c.indices(1)], ["axis": .int(Int64(c.p.int(1)))])] },
    935: { c in
      let e = c.e
      let rank = try e.rank(c.x)
      let axis = try c.axis(1, rank: rank)
      let named = try e.rank(c.input(1))
      let front = [axis] + (0..<rank).filter { $0 != axis }
      let updateRank = rank - 1 + named
      let order = (0..<named).map { axis + $0 } + (0..<updateRank).filter { $0 < axis || $0 >= axis + named }
      let (updates, reduction) = try scattered(c, c.p.int(2))
      let result = try e.node(
        "ScatterND", [e.transpose(c.x, front), e.unsqueeze(c.indices(1), [-1]), e.transpose(updates, order)],
        ["reduction": reduction])
      return [try e.transpose(result, ProgramBuilder.inverse(front))]
    },
    945: { c in
      let (updates, reduction) = try scattered(c, c.p.int(1))
      return [try c.e.node("ScatterND", [c.x, c.indices(1), updates], ["reduction": reduction])]
    },
    954: { c in
      let (updates, reduction) = try scattered(c, c.p.int(2))
      return [
        try c.e.node(
          "ScatterElements", [c.x, c.indices(1), updates],
          ["axis": .int(Int64(c.p.int(1))), "reduction": reduction])
      ]
    },
    1015: { c in
      let axis = try c.axis(1, rank: c.e.rank(c.x))
      let count = try c.inputs.count > 1 ? c.e.reshape(c.indices(1), [1]) : c.e.integers([c.p.int(2)])
      let sorted = try c.e.nodes(
        "TopK", [c.x, count], outputs: 2, ["axis": .int(Int64(axis)), "largest": .int(c.p.bool(3) ? 0 : 1)])
      return [sorted[0], try c.floats(sorted[1])]
    },
    1020: { c in [try extreme(c, "ArgMin")] },
    1025: { c in [try extreme(c, "ArgMax")] },
    1313: { c in [try c.floats(c.e.transpose(c.e.node("NonZero", [c.x]), [1, 0]))] },
    1450: { c in
      let size = try c.inputs.count > 1 ? c.e.reshape(c.indices(1), [Int]()) : c.e.integer(c.p.int(1))
      let off = try c.p.float(4)
      let on = try c.p.optionalFloat(3) ?? 1
      return [
        try c.e.node(
          "OneHot", [c.indices(0), size, c.e.numbers([off, on])], ["axis": .int(Int64(c.p.int(2)))])
      ]
    },
    1455: { c in
      [
        try c.e.node(
          "CumSum", [c.x, c.e.integer(c.p.int(1))],
          ["exclusive": .int(c.p.bool(2) ? 1 : 0), "reverse": .int(c.p.bool(3) ? 1 : 0)])
      ]
    },
    1461: { c in
      let axis = try c.axis(1, rank: c.e.rank(c.x))
      let sorted = try c.e.nodes(
        "TopK", [c.x, c.e.list([c.e.extent(c.x, axis)])], outputs: 2,
        ["axis": .int(Int64(axis)), "largest": .int(c.p.bool(2) ? 1 : 0)])
      return [try c.floats(sorted[1])]
    },
    1470: { c in
      let start = try c.e.reshape(c.indices(1), [1])
      return [
        try c.e.node(
          "Slice",
          [c.x, start, c.e.node("Add", [start, c.e.integers([c.p.int(2)])]), c.e.integers([c.p.int(3)])])
      ]
    },
    1400: { c in
      func threshold(_ index: Int, _ field: Int) throws -> Graph.ValueID {
        try c.inputs.count > index ? c.input(index) : c.e.number(c.p.float(field))
      }
      let outputs = try c.e.nodes(
        "BoxSuppression", [c.input(0), c.input(1), threshold(2, 1), threshold(3, 2)], outputs: 4, domain: "apus",
        ["max_boxes": .int(Int64(max(0, c.p.int(3)))), "per_class": .int(c.p.bool(4) ? 1 : 0)])
      return [outputs[0], outputs[1], try c.floats(outputs[2]), try c.floats(outputs[3])]
    },
    1170: { c in [try normal(c, c.e.node("Shape", [c.x]))] },
    1175: { c in [try normal(c, c.e.integers(c.p.ints(4)))] },
    1180: { c in [try normal(c, c.indices(0))] },
    1190: { c in [try uniform(c, c.e.node("Shape", [c.x]))] },
    1195: { c in [try uniform(c, c.e.integers(c.p.ints(4)))] },
    1200: { c in [try uniform(c, c.indices(0))] },
    1210: { c in [try bernoulli(c, c.e.node("Shape", [c.x]))] },
    1215: { c in [try bernoulli(c, c.e.integers(c.p.ints(3)))] },
    1220: { c in [try bernoulli(c, c.indices(0))] },
    1230: { c in
      var logits = try c.x
      if try !c.p.bool(3) { logits = try c.e.node("Log", [c.e.node("Add", [logits, c.e.number(c.p.float(4))])]) }
      let temperature = try c.p.float(5)
      if temperature != 0, temperature != 1 { logits = try c.e.node("Div", [logits, c.e.number(temperature)]) }
      var attributes = try seed(c)
      attributes["sample_size"] = .int(Int64(max(1, try c.p.int(2))))
      let rank = try c.e.rank(c.x)
      guard rank == 1 else { return [try c.floats(c.e.node("Multinomial", [logits], attributes))] }
      let drawn = try c.e.node("Multinomial", [c.e.unsqueeze(logits, [0])], attributes)
      return [try c.floats(c.e.squeeze(drawn, [0]))]
    },
  ]

  private static func scattered(
    _ c: LayerCall, _ mode: Int
  ) throws -> (updates: Graph.ValueID, reduction: AttributeValue) {
    let updates = try c.input(2)
    func reduction(_ name: String) -> AttributeValue { .string(Array(name.utf8)) }
    switch mode {
    case 0: return (updates, reduction("none"))
    case 1: return (updates, reduction("add"))
    case 2: return (try c.e.node("Neg", [updates]), reduction("add"))
    case 3: return (updates, reduction("mul"))
    case 4: return (try c.e.node("Reciprocal", [updates]), reduction("mul"))
    case 5: return (updates, reduction("max"))
    case 6: return (updates, reduction("min"))
    default: throw OperatorError("mode \(mode) is not known")
    }
  }

  private static func extreme(_ c: LayerCall, _ type: String) throws -> Graph.ValueID {
    try c.floats(
      c.e.node(type, [c.x], ["axis": .int(Int64(c.p.int(1))), "keepdims": .int(c.p.bool(2) ? 0 : 1)]))
  }

  // MARK: Chance

  private static func seed(_ c: LayerCall) throws -> [String: AttributeValue] {
    let seed = try c.p.int(1)
    return seed <= 0 ? [:] : ["seed": .float(Float(seed))]
  }

  private static func noise(_ c: LayerCall, _ type: String, _ shape: Graph.ValueID) throws -> Graph.ValueID {
    try c.e.node(type, [c.e.node("Expand", [c.e.number(0), shape])], seed(c))
  }

  private static func normal(_ c: LayerCall, _ shape: Graph.ValueID) throws -> Graph.ValueID {
    let scaled = try c.e.node("Mul", [noise(c, "RandomNormalLike", shape), c.e.number(c.p.float(3))])
    return try c.e.node("Add", [scaled, c.e.number(c.p.float(2))])
  }

  private static func uniform(_ c: LayerCall, _ shape: Graph.ValueID) throws -> Graph.ValueID {
    let (low, high) = try (c.p.float(2), c.p.float(3))
    let scaled = try c.e.node("Mul", [noise(c, "RandomUniformLike", shape), c.e.number(high - low)])
    return try c.e.node("Add", [scaled, c.e.number(low)])
  }

  private static func bernoulli(_ c: LayerCall, _ shape: Graph.ValueID) throws -> Graph.ValueID {
    try c.floats(c.e.node("Less", [noise(c, "RandomUniformLike", shape), c.e.number(c.p.float(2))]))
  }
}
