/// Which values of two models come of which.
///
/// A mean, and the same mean with an epsilon added, are alike to 120 dB. Where two models are further apart than that, by a
/// bucket that rounding decided for example, either mean may be most like either of the other model.
struct Lineage {
  private let own: Ancestry
  private let other: Ancestry

  init(own: Graph, other: Graph) {
    (self.own, self.other) = (Ancestry(own), Ancestry(other))
  }

  /// Exchanges the counterparts of two values, the first of which leads to the second, where these lead to each other the
  /// other way around and all are nearly as alike so.
  ///
  /// - Parameters:
  ///   - chosen: what is paired, by the place among `own`.
  ///   - candidates: all that are alike.
  ///   - own: the names of values in the order in which they are computed; likewise `others`.
  func untangle(
    _ chosen: inout [Int: ModelPairing.Candidate], among candidates: [ModelPairing.Candidate], own: [String],
    others: [String]
  ) {
    let alike = Dictionary(grouping: candidates, by: \.own)
    var owners = Dictionary(uniqueKeysWithValues: chosen.values.map { ($0.other, $0.own) })
    for index in own.indices {
      for candidate in (alike[index] ?? []).sorted(by: { $0.other < $1.other }) {
        guard let present = chosen[index], candidate.other < present.other, let rival = owners[candidate.other],
          rival > index, let rivals = chosen[rival],
          let exchanged = alike[rival]?.first(where: { $0.other == present.other }),
          Self.difference(candidate, exchanged) <= 4 * Self.difference(present, rivals),
          self.own.leads(from: own[index], to: own[rival]),
          other.leads(from: others[candidate.other], to: others[present.other])
        else { continue }
        (chosen[index], chosen[rival]) = (candidate, exchanged)
        (owners[candidate.other], owners[exchanged.other]) = (index, rival)
        break
      }
    }
  }

  private static func difference(_ a: ModelPairing.Candidate, _ b: ModelPairing.Candidate) -> Double {
    a.likeness.difference + b.likeness.difference
  }
}

/// Which values of a graph come of which.
private struct Ancestry {
  private let nodes: [Node]
  private let ids: [String: Graph.ValueID]
  private let producers: [Graph.ValueID: Int]

  init(_ graph: Graph) {
    nodes = graph.nodes
    ids = Dictionary(graph.values.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    producers = Dictionary(
      graph.nodes.enumerated().flatMap { index, node in node.outputs.compactMap { $0.map { ($0, index) } } },
      uniquingKeysWith: { first, _ in first })
  }

  /// Whether the value called `last` comes of the one called `first`.
  func leads(from first: String, to last: String) -> Bool {
    guard let first = ids[first], let start = producers[first], let last = ids[last], first != last else {
      return false
    }
    var open = [last]
    var seen: Set = [last]
    while let id = open.popLast() {
      if id == first { return true }
      // Nodes run in order: none before the first value's own leads to it.
      guard let index = producers[id], index > start else { continue }
      for read in nodes[index].reads where seen.insert(read).inserted { open.append(read) }
    }
    return false
  }
}
