import Apus

/// Values of the reference that are not what their node makes of the reference's own inputs, as long as it is open which
/// side is to blame.
///
/// The nodes after such a value are run on what the model computes in its place as well. A node that has the reference's
/// value only on that says that the reference's value of the former does not fit the model; one that has it only on the
/// reference's says that it does. Where only the constants of a mask differ, every node after it may have the reference's
/// value both ways: then the difference has no effect.
struct ParityDoubts {
  /// A value as the model computes it where the reference is in doubt, and the nodes whose values are.
  private struct Entry {
    var value: GraphValue
    var truth: GraphValue?
    var nodes: Set<Int>
  }

  private var entries: [Graph.ValueID: Entry] = [:]
  /// The nodes in doubt that differ by the constants of masks alone, and the last node that was right either way; nil where
  /// there was none yet.
  private var masks: [Int: String?] = [:]

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
    noteEffect(of: nodes)
  }

  /// The reference's values of `nodes` do not fit: what the model computes goes into `way` in their place.
  mutating func settle(_ nodes: Set<Int>, into way: inout ParityWay) {
    noteEffect(of: nodes)
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

  // MARK: Masks

  /// Whether all of `nodes` differ by the constants of masks alone, with no effect so far.
  func areMasks(_ nodes: Set<Int>) -> Bool { nodes.allSatisfy { masks[$0] != nil } }

  mutating func noteMask(_ node: Int) { masks.updateValue(nil, forKey: node) }

  /// A node after `nodes` is right either way.
  mutating func noteNoEffect(of nodes: Set<Int>, on name: String) {
    for node in nodes where masks[node] != nil { masks.updateValue(name, forKey: node) }
  }

  /// The difference of `nodes` has an effect.
  mutating func noteEffect(of nodes: Set<Int>) {
    for node in nodes { masks[node] = nil }
  }

  /// The masks that nothing is left of to read, and by what node they are known to have had no effect.
  mutating func endedMasks() -> [(node: Int, witness: String)] {
    guard !masks.isEmpty else { return [] }
    let left = entries.values.reduce(into: Set<Int>()) { $0.formUnion($1.nodes) }
    let ended = masks.filter { !left.contains($0.key) }
    for node in ended.keys { masks[node] = nil }
    return ended.compactMap { node, witness in witness.map { (node, $0) } }
  }
}
