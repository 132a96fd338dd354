import Apus

/// Values of the reference that are not what their node makes of the reference's own inputs, as long as it is open which
/// side is to blame.
///
/// The nodes after such a value are run on what the model computes in its place as well. A node that has the reference's
/// value only on that says that the reference's value of the former does not fit the model; one that has it only on the
/// reference's says that it does.
struct ParityDoubts {
  /// A value as the model computes it where the reference is in doubt, and the nodes whose values are.
  private struct Entry {
    var value: GraphValue
    var truth: GraphValue?
    var nodes: Set<Int>
  }

  private var entries: [Graph.ValueID: Entry] = [:]

  /// The nodes in doubt that lead to one of `ids`.
  func nodes(behind ids: [Graph.ValueID]) -> Set<Int> {
    entries.isEmpty ? [] : ids.reduce(into: []) { nodes, id in entries[id].map { nodes.formUnion($0.nodes) } }
  }

  /// The way with what the model computes in place of what is in doubt.
  func applied(to way: ParityWay) -> ParityWay {
    entries.reduce(into: way) { way, entry in way.set(entry.key, to: entry.value.value, truth: entry.value.truth) }
  }

  mutating func add(_ id: Graph.ValueID, _ value: GraphValue, truth: GraphValue?, nodes: Set<Int>) {
    entries[id] = Entry(value: value, truth: truth, nodes: nodes)
  }

  /// The reference's values of `nodes` are sound: the nodes are to blame.
  mutating func clear(_ nodes: Set<Int>) {
    entries = entries.filter { $0.value.nodes.isDisjoint(with: nodes) }
  }

  /// The reference's values of `nodes` do not fit: what the model computes goes into `way` in their place.
  mutating func settle(_ nodes: Set<Int>, into way: inout ParityWay) {
    for (id, entry) in entries where !entry.nodes.isDisjoint(with: nodes) {
      let left = entry.nodes.subtracting(nodes)
      if left.isEmpty {
        way.set(id, to: entry.value, truth: entry.truth)
        entries[id] = nil
      } else {
        entries[id]?.nodes = left
      }
    }
  }

  mutating func release(_ ids: [Graph.ValueID]) {
    for id in ids { entries[id] = nil }
  }
}
