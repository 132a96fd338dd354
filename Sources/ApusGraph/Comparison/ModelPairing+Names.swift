import Apus

// Names of values in between. Two exporters number what they make, `view_3`, at different stages of the way, and the same
// name is then another value: so a name does not count where what two values hold shows that one of them belongs elsewhere.

extension ModelPairing {
  /// Pairs values in between by name.
  ///
  /// Values of one name that differ are a pair all the same, for what differs is looked for. Only where one of them
  /// is the same as a value of another name, which no name has settled, is the name given up; and not if the same
  /// operator, its weights aside, makes both of what is paired, for then it is the node that differs.
  ///
  /// - Parameters:
  ///   - known: pairs that are settled, of inputs and of outputs.
  ///   - leastCount: tensors of fewer elements are the same by chance.
  ///   - layouts: orders of axes that the models are known to differ by.
  /// - Returns: what is paired besides, in the order of `own`.
  static func named(
    _ graph: Graph, _ other: Graph, own: [NamedNumbers], others: [NamedNumbers], known: [Pair], leastCount: Int,
    layouts: Set<[Int]>
  ) throws -> [Pair] {
    var names = Dictionary(known.map { ($0.name, $0.referenceName) }, uniquingKeysWith: { first, _ in first })
    let taken = Set(known.map(\.referenceName))
    let byName = Dictionary(others.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    var found: [NamedPair] = []
    for value in own where names[value.name] == nil && !taken.contains(value.name) {
      try TimeLimit.check()
      guard let other = byName[value.name], let order = try Likeness.order(of: other.tensor, for: value.tensor) else {
        continue
      }
      let degree = try Likeness.best(of: other.tensor, for: value.tensor, in: [order])?.degree ?? 0
      found.append(NamedPair(value: value, other: other, order: order, isSame: degree >= Likeness.leastOfSame))
    }
    for pair in found where pair.isSame { names[pair.value.name] = pair.value.name }
    let (places, otherPlaces) = try (Self.places(in: graph) { names[$0] }, Self.places(in: other) { $0 })
    let settled = taken.union(names.values)
    let candidates = try Candidates(
      own: own.filter { try names[$0.name] == nil && $0.tensor.count >= leastCount && !$0.isUniform },
      others: others.filter { try !settled.contains($0.name) && $0.tensor.count >= leastCount && !$0.isUniform },
      layouts: layouts)
    return try found.compactMap { pair in
      let name = pair.value.name
      let isMadeAlike = places[name].map { $0 == otherPlaces[name] } ?? false
      guard try pair.isSame || isMadeAlike || !candidates.speakAgainst(pair) else { return nil }
      return Pair(name: name, referenceName: name, evidence: .name, order: pair.order)
    }
  }

  /// The names of values that are paired for what they hold alone and differ all the same: by more than rounding, and not
  /// made by the same operator of what is paired. They may be no pair at all.
  ///
  /// - Parameter pairs: all pairs, of inputs and of values.
  static func guesses(
    _ graph: Graph, _ other: Graph, among pairs: [Pair], own: [String: NamedNumbers], others: [String: NamedNumbers]
  ) throws -> Set<String> {
    let names = Dictionary(pairs.map { ($0.name, $0.referenceName) }, uniquingKeysWith: { first, _ in first })
    let (places, otherPlaces) = try (Self.places(in: graph) { names[$0] }, Self.places(in: other) { $0 })
    let guesses = try pairs.filter { pair in
      guard pair.evidence == .content, let value = own[pair.name], let expected = others[pair.referenceName],
        let likeness = try Likeness.best(of: expected.tensor, for: value.tensor, in: [pair.order])
      else { return false }
      let isMadeAlike = places[pair.name].map { $0 == otherPlaces[pair.referenceName] } ?? false
      return likeness.degree < Likeness.leastOfSame && !isMadeAlike
    }
    return Set(guesses.map(\.name))
  }

  /// Two values of one name.
  private struct NamedPair {
    let value: NamedNumbers
    let other: NamedNumbers
    let order: AxisOrder
    let isSame: Bool
  }

  /// The values that no name has settled.
  private struct Candidates {
    let own: [Int: [NamedNumbers]]
    let others: [Int: [NamedNumbers]]
    let layouts: Set<[Int]>

    init(own: [NamedNumbers], others: [NamedNumbers], layouts: Set<[Int]>) {
      self.own = Dictionary(grouping: own) { $0.tensor.count }
      self.others = Dictionary(grouping: others) { $0.tensor.count }
      self.layouts = layouts
    }

    /// Whether one of the two is the same as a value of another name.
    func speakAgainst(_ pair: NamedPair) throws -> Bool {
      let count = pair.value.tensor.count
      return try others[count, default: []].contains { try $0.name != pair.other.name && isSame($0, pair.value) }
        || own[count, default: []].contains { try $0.name != pair.value.name && isSame(pair.other, $0) }
    }

    private func isSame(_ other: NamedNumbers, _ value: NamedNumbers) throws -> Bool {
      let orders = AxisOrder.all(from: other.tensor.shape, to: value.tensor.shape)
        .filter { $0.axes.map(layouts.contains) ?? true }
      let likeness = try Likeness.best(of: other.tensor, for: value.tensor, in: orders)
      return likeness.map { $0.degree >= Likeness.leastOfSame } ?? false
    }
  }

  /// Which output of what a value is, by its name.
  private static func places(in graph: Graph, named: (String) -> String?) throws -> [String: OutputPlace] {
    var places: [String: OutputPlace] = [:]
    for node in graph.nodes {
      guard let place = Place(node, in: graph, named: named) else { continue }
      // Numbers of layers may differ; places in a tensor may not.
      let integers = try node.inputs.compactMap { id -> [Double]? in
        guard case .tensor(let any)? = id.flatMap({ graph.constants[$0] }), !any.dataType.isFloatingPoint else {
          return nil
        }
        return try any.converted(to: Double.self).elements
      }
      for case (let position, let output?) in node.outputs.enumerated() {
        places[graph.values[output].name] = OutputPlace(
          node: place, attributes: node.attributes.mapValues(\.summary), integers: integers, position: position)
      }
    }
    return places
  }

  private struct OutputPlace: Hashable {
    let node: Place
    let attributes: [String: String]
    let integers: [[Double]]
    let position: Int
  }
}

extension NamedNumbers {
  /// Whether all elements are one number, as anything else may be.
  fileprivate var isUniform: Bool {
    get throws {
      try tensor.withUnsafeBufferPointer { elements in elements.allSatisfy { $0 == elements.first } }
    }
  }
}
