import Apus

/// What of one model is held against what of another.
public struct ModelPairing: Sendable {
  /// What two were paired by.
  public enum Evidence: String, Sendable, Hashable, Encodable {
    /// They have the same name.
    case name
    /// They are in the same place, and their shapes fit: among the inputs or the outputs, or as what the same operator makes
    /// of values that are paired.
    case place
    /// Their elements are alike.
    case content
  }

  /// Two inputs, outputs, values or weights.
  public struct Pair: Sendable {
    /// The name in the model.
    public let name: String
    /// The name in the model that is the reference.
    public let referenceName: String
    /// Why they are held against each other.
    public let evidence: Evidence
    /// How the reference's elements lie in the model's.
    public let order: AxisOrder
    /// The reference's shape of an input or an output that has another in the model; nil where shapes are the same, and of an
    /// output that is held against the reference's as it is.
    public internal(set) var referenceShape: [Int]?
  }

  /// All inputs that the model needs.
  public internal(set) var inputs: [Pair] = []
  /// Values in between and outputs, in the order in which the model computes them.
  public internal(set) var values: [Pair] = []
  /// The constants that nodes read.
  public internal(set) var weights: [Pair] = []
  /// How many floating-point values and outputs of any type the model computes, those without a counterpart included.
  public internal(set) var valueCount = 0
  /// How many constants of floating-point numbers its nodes read.
  public internal(set) var weightCount = 0
  /// The constants among them that have no counterpart, in the order in which nodes read them.
  public internal(set) var unpairedWeights: [String] = []
  /// Outputs of the model that have no counterpart.
  public internal(set) var unpairedOutputs: [String] = []
  /// Outputs of the reference that have no counterpart.
  public internal(set) var unpairedReferenceOutputs: [String] = []
}

extension ModelPairing {
  /// Pairs by name, and what is left by content: each with what is most like it, if it is that one's best as well.
  /// Where names do not count, no value is paired that is the same as another than its counterpart.
  ///
  /// - Parameters:
  ///   - own: in the order in which the model has them.
  ///   - known: pairs that are settled.
  ///   - leastCount: tensors of fewer elements are paired by name alone, for anything is like a single number.
  ///   - leastDegreeOfLists: how alike tensors of one axis must be at least.
  ///   - layouts: orders of axes that the models are known to differ by. Any other is believed only if half of the values
  ///     of as many axes have it: one value with its axes exchanged is a transposition that one of the models lacks. Any
  ///     order is believed where this is nil.
  ///   - matchesNames: whether the same name means the same value.
  ///   - lineage: which values come of which.
  static func pairs(
    _ own: [NamedNumbers], _ others: [NamedNumbers], known: [Pair] = [], leastCount: Int,
    leastDegreeOfLists: Double = Likeness.least, layouts: Set<[Int]>? = nil, matchesNames: Bool = true,
    lineage: Lineage? = nil
  ) throws -> [Pair] {
    var pairs = Dictionary(known.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    var taken = Set(known.map(\.referenceName))
    let byName = Dictionary(others.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for value in own where matchesNames && pairs[value.name] == nil && !taken.contains(value.name) {
      guard let other = byName[value.name], let order = try Likeness.order(of: other.tensor, for: value.tensor) else {
        continue
      }
      pairs[value.name] = Pair(name: value.name, referenceName: value.name, evidence: .name, order: order)
      taken.insert(value.name)
    }
    var candidates = try candidates(
      own, others, pairs, taken, leastCount: leastCount, leastDegreeOfLists: leastDegreeOfLists,
      looksForTwins: !matchesNames)
    if let layouts {
      let believed = Self.believed(candidates.filter(\.isFree)).union(layouts)
      candidates.removeAll { candidate in candidate.likeness.order.axes.map { !believed.contains($0) } ?? false }
    }
    if !matchesNames { candidates = Self.withoutTwins(candidates) }
    // Of several that are as like, the first with the first: a value that is copied stays in order.
    candidates = candidates.filter(\.isFree)
      .sorted { ($1.likeness.degree, $0.own, $0.other) < ($0.likeness.degree, $1.own, $1.other) }
    var chosen: [Int: Candidate] = [:]
    for candidate in candidates where chosen[candidate.own] == nil {
      if taken.insert(others[candidate.other].name).inserted { chosen[candidate.own] = candidate }
    }
    if let lineage { lineage.untangle(&chosen, among: candidates, own: own.map(\.name), others: others.map(\.name)) }
    for candidate in chosen.values {
      let name = own[candidate.own].name
      pairs[name] = Pair(
        name: name, referenceName: others[candidate.other].name, evidence: .content, order: candidate.likeness.order)
    }
    return own.compactMap { pairs[$0.name] }
  }

  /// The orders of axes that half of these values show, and what they lie in.
  static func layouts(_ own: [NamedNumbers], _ others: [NamedNumbers], leastCount: Int) throws -> Layouts {
    let candidates = try candidates(
      own, others, [:], [], leastCount: leastCount, leastDegreeOfLists: Likeness.least, looksForTwins: false)
    let believed = believed(candidates)
    var layouts = Layouts()
    for candidate in candidates {
      guard let axes = candidate.likeness.order.axes, believed.contains(axes) else { continue }
      layouts.insert(candidate.likeness.order, from: others[candidate.other].tensor.shape)
    }
    return layouts
  }

  /// Values that are alike and of which neither is paired or, to look for twins, not both are.
  private static func candidates(
    _ own: [NamedNumbers], _ others: [NamedNumbers], _ pairs: [String: Pair], _ taken: Set<String>, leastCount: Int,
    leastDegreeOfLists: Double, looksForTwins: Bool
  ) throws -> [Candidate] {
    let large = others.enumerated().filter { $1.tensor.count >= leastCount }
    let bySignature = Dictionary(grouping: large) { Signature($0.element.tensor) }
    var candidates: [Candidate] = []
    for (index, value) in own.enumerated() where value.tensor.count >= leastCount {
      try TimeLimit.check()
      let isPaired = pairs[value.name] != nil
      let isList = value.tensor.shape.count { $0 != 1 } == 1
      for (otherIndex, other) in bySignature[Signature(value.tensor)] ?? [] {
        let isTaken = taken.contains(other.name)
        guard looksForTwins ? !(isPaired && isTaken) : !(isPaired || isTaken) else { continue }
        let least =
          value.isOfShapes || other.isOfShapes
          ? Likeness.leastOfSame : isList ? leastDegreeOfLists : Likeness.least
        guard let likeness = try Likeness.best(of: other.tensor, for: value.tensor), likeness.degree >= least else {
          continue
        }
        candidates.append(
          Candidate(own: index, other: otherIndex, likeness: likeness, isFree: !isPaired && !isTaken))
      }
    }
    return candidates
  }

  /// Leaves out two of which one is the same as a third and not as like the second: a sum is no counterpart of what it is
  /// before the bias, though they be alike to 160 dB. A third that is paired already need only be more like it.
  private static func withoutTwins(_ candidates: [Candidate]) -> [Candidate] {
    var (limits, limitsOfOthers): ([Int: Double], [Int: Double]) = ([:], [:])
    for candidate in candidates where candidate.likeness.degree >= Likeness.leastOfSame {
      let difference = max(candidate.likeness.difference, Likeness.leastDifference)
      let limit = difference * (candidate.isFree ? Likeness.muchFarther : Likeness.farther)
      limits[candidate.own] = min(limit, limits[candidate.own] ?? .infinity)
      limitsOfOthers[candidate.other] = min(limit, limitsOfOthers[candidate.other] ?? .infinity)
    }
    return candidates.filter { candidate in
      let limit = min(limits[candidate.own] ?? .infinity, limitsOfOthers[candidate.other] ?? .infinity)
      return candidate.likeness.difference <= limit
    }
  }

  /// The orders that at least two values, and half of those of as many axes, are most like something else in.
  private static func believed(_ candidates: [Candidate]) -> Set<[Int]> {
    var best: [Int: Likeness] = [:]
    for candidate in candidates where candidate.likeness.degree > best[candidate.own]?.degree ?? -.infinity {
      best[candidate.own] = candidate.likeness
    }
    let orders = best.values.map(\.order)
    let turned = Dictionary(grouping: orders.compactMap(\.axes)) { $0 }
    return Set(
      turned.filter { axes, all in
        let alike = orders.count { $0.shape.count { $0 != 1 } == axes.count }
        return all.count > 1 && 2 * all.count >= alike
      }.keys)
  }

  /// Two values that are alike, by their places in the lists.
  struct Candidate {
    var own: Int
    var other: Int
    var likeness: Likeness
    /// Whether neither was paired before.
    var isFree: Bool
  }

  /// What tensors have in common that may be one in another order of axes.
  private struct Signature: Hashable {
    let count: Int

    init(_ tensor: Tensor<Double>) { count = tensor.count }
  }
}

// MARK: - Places

extension ModelPairing {
  /// Pairs what is left with what the same operator of the other model makes of the values that are paired, like it or
  /// not: what differs is unlike, and is what is looked for.
  ///
  /// - Parameters:
  ///   - known: the pairs so far, of inputs and of values.
  ///   - layouts: orders of axes that the models are known to differ by; no other is taken here.
  ///   - own: the values by name; likewise `others`.
  /// - Returns: what is paired besides.
  static func placed(
    _ graph: Graph, _ other: Graph, known: [Pair], layouts: Set<[Int]>, own: [String: NamedNumbers],
    others: [String: NamedNumbers]
  ) throws -> [Pair] {
    var names = Dictionary(known.map { ($0.name, $0.referenceName) }, uniquingKeysWith: { first, _ in first })
    var taken = Set(known.map(\.referenceName))
    let places = Dictionary(
      other.nodes.indices.map { (Place(other.nodes[$0], in: other, named: { $0 }), $0) }.compactMap { place, index in
        place.map { ($0, [index]) }
      }, uniquingKeysWith: +)
    var pairs: [Pair] = []
    for node in graph.nodes {
      guard let place = Place(node, in: graph, named: { names[$0] }), let matches = places[place] else { continue }
      for index in matches {
        let outputs = zip(node.outputs, other.nodes[index].outputs).compactMap { a, b -> (String, String)? in
          guard let a, let b else { return nil }
          return (graph.values[a].name, other.values[b].name)
        }
        let isFree = !outputs.contains { names[$0.0] != nil || taken.contains($0.1) }
        guard isFree else { continue }
        for (name, match) in outputs {
          guard let value = own[name], let expected = others[match],
            let order = try Likeness.order(of: expected.tensor, for: value.tensor),
            order.axes.map({ layouts.contains($0) }) ?? (expected.tensor.shape == value.tensor.shape)
          else { continue }
          pairs.append(Pair(name: name, referenceName: match, evidence: .place, order: order))
          names[name] = match
          taken.insert(match)
        }
        break
      }
    }
    return pairs
  }

  /// An operator, and what of the reference it reads besides constants.
  struct Place: Hashable {
    let operatorName: OperatorName
    let reads: [String]

    /// nil for a node that reads nothing computed, or something that has no name in the reference.
    init?(_ node: Node, in graph: Graph, named: (String) -> String?) {
      let computed = node.inputs.compactMap { $0 }.filter { graph.constants[$0] == nil }
      let names = computed.compactMap { named(graph.values[$0].name) }
      guard !names.isEmpty, names.count == computed.count else { return nil }
      (operatorName, reads) = (node.operatorName, names)
    }
  }
}

// MARK: - Inputs

extension ModelPairing {
  /// Pairs the inputs that must be given: by name, and what is left in order where shapes fit.
  ///
  /// - Parameter optional: the names of `others` that need no counterpart.
  /// - Throws: ``GraphError/input(name:reason:)`` for an input that has no counterpart.
  static func inputs(
    of own: [Graph.ValueInfo], and others: [Graph.ValueInfo], optional: Set<String> = []
  ) throws -> [Pair] {
    var pairs: [String: Pair] = [:]
    var left = others
    func pair(_ info: Graph.ValueInfo, _ match: Graph.ValueInfo, _ evidence: Evidence) {
      left.removeAll { $0.name == match.name }
      pairs[info.name] = Pair(
        name: info.name, referenceName: match.name, evidence: evidence,
        order: Self.order(from: match.type, to: info.type) ?? AxisOrder(axes: nil, shape: []))
    }
    for info in own {
      if let match = left.first(where: { $0.name == info.name }) { pair(info, match, .name) }
    }
    for info in own where pairs[info.name] == nil {
      if let match = left.first(where: { Self.order(from: $0.type, to: info.type) != nil }) {
        pair(info, match, .place)
      }
    }
    for info in own where pairs[info.name] == nil {
      let names = left.map { "'\($0.name)'" }.joined(separator: ", ")
      throw GraphError.input(
        name: info.name, reason: "the reference has no input that fits it" + (names.isEmpty ? "" : "; it has \(names)"))
    }
    if let first = left.first(where: { !optional.contains($0.name) }) {
      throw GraphError.input(name: first.name, reason: "it is an input of the reference that nothing of the model fits")
    }
    return own.compactMap { pairs[$0.name] }
  }

  /// How a declared type lies in another; nil where they do not fit. Open extents fit any.
  private static func order(from source: GraphValueType?, to target: GraphValueType?) -> AxisOrder? {
    let plain = AxisOrder(axes: nil, shape: [])
    guard case .tensor(_, let a?)? = source, case .tensor(_, let b?)? = target else { return plain }
    if let wanted = target?.extents {
      return extents(of: a, for: wanted).flatMap { shape in
        AxisOrder.haveSameAxes(shape, wanted) ? AxisOrder.all(from: shape, to: wanted).first : nil
      }
    }
    // In what order the axes are shows with the first value.
    return layouts(of: b).contains { fits(a, $0) } ? plain : nil
  }

  private static func fits(_ a: [GraphDimension], _ b: [GraphDimension]) -> Bool {
    a.count == b.count && zip(a, b).allSatisfy { $0.extent == nil || $1.extent == nil || $0 == $1 }
  }

  /// The extents that a declared type has for a value of some shape in another layout: its own where none is open, or the
  /// shape itself, or with channels before or behind the places; nil where nothing fits.
  private static func extents(of declared: [GraphDimension], for shape: [Int]) -> [Int]? {
    let known = declared.compactMap(\.extent)
    if known.count == declared.count { return known }
    return layouts(of: shape).first { fits(declared, $0.map(GraphDimension.size)) }
  }

  /// Extents as they are, with the last axis behind the first, and with the second at the end.
  private static func layouts<Extent>(of extents: [Extent]) -> [[Extent]] {
    guard extents.count > 2 else { return [extents] }
    let (first, last) = (extents[0], extents[extents.count - 1])
    return [extents, [first, last] + extents[1..<extents.count - 1], [first] + extents[2...] + [extents[1]]]
  }

  /// The reference's value for an input, made from the model's: with its axes in another order, or more or fewer of extent
  /// 1. One that would have to be cut otherwise stays as it is, and the reference refuses it.
  /// - Parameter type: what the reference declares of it.
  static func referenceInput(_ value: GraphValue, for pair: Pair, as type: GraphValueType?) throws -> GraphValue {
    guard case .tensor(let any) = value, case .tensor(let elementType, let declared)? = type else { return value }
    var result = any
    if let shape = declared.flatMap({ extents(of: $0, for: any.shape) }), shape != any.shape || pair.order.axes != nil,
      AxisOrder.haveSameAxes(shape, any.shape)
    {
      // The order says how the reference's lie in the model's; here the way back is wanted. Where the model leaves extents
      // open, the order follows from the value.
      let forth = pair.order.axes ?? AxisOrder.all(from: shape, to: any.shape).first?.axes
      let back = forth.map { axes in axes.indices.map { axis in axes.firstIndex(of: axis) ?? axis } }
      result = try any.reordered(by: AxisOrder(axes: back, shape: shape))
    }
    return try GraphValue.tensor(result).given(as: elementType)
  }
}

extension AnyTensor {
  /// The elements in another order; 64-bit integers beyond 2⁵³ keep theirs only where axes do.
  func reordered(by order: AxisOrder) throws -> AnyTensor {
    try AnyTensor(order(converted(to: Double.self))).converted(to: dataType)
  }

  /// The same tensor with its axes in another order; 64-bit integers beyond 2⁵³ are rounded.
  func permuted(_ axes: [Int]) throws -> AnyTensor {
    try AnyTensor(converted(to: Double.self).permuted(axes)).converted(to: dataType)
  }
}
