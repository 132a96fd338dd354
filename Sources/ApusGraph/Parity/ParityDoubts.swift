import Apus

/// Values of the reference that are not what their node makes of the reference's own inputs, as long as it is open which
/// side is to blame.
///
/// The nodes after such a value are run on what the model computes in its place as well. A node that has the reference's
/// value only on that says that the reference's value of the former does not fit the model; one that has it only on the
/// reference's says that it does. Where only the constants of a mask differ, or where values are a pair for being alike alone,
/// every node after it may have the reference's value both ways: then the difference has no effect.
struct ParityDoubts {
  /// A value as the model computes it where the reference is in doubt, and the nodes whose values are.
  private struct Entry {
    var value: GraphValue
    var truth: GraphValue?
    var nodes: Set<Int>
  }

  private var entries: [Graph.ValueID: Entry] = [:]
  /// A difference that does not count where it has no effect.
  private struct Harmless {
    let cause: ParityReport.UnfitReference.Cause
    /// The last node that was right either way; nil where there was none yet.
    var witness: String?
  }

  /// The nodes in doubt that differ so, with no effect so far.
  private var harmless: [Int: Harmless] = [:]

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

  // MARK: Without effect

  /// Whether the differences of all `nodes` do not count where they have no effect, and had none so far.
  func areHarmless(_ nodes: Set<Int>) -> Bool { nodes.allSatisfy { harmless[$0] != nil } }

  mutating func noteHarmless(_ node: Int, _ cause: ParityReport.UnfitReference.Cause) {
    harmless[node] = Harmless(cause: cause)
  }

  /// A node after `nodes` is right either way.
  mutating func noteNoEffect(of nodes: Set<Int>, on name: String) {
    for node in nodes { harmless[node]?.witness = name }
  }

  /// The difference of `nodes` has an effect.
  mutating func noteEffect(of nodes: Set<Int>) {
    for node in nodes { harmless[node] = nil }
  }

  /// The nodes whose differences nothing is left of to read, by what node they are known to have had no effect, and why that
  /// is enough.
  mutating func ended() -> [(node: Int, witness: String, cause: ParityReport.UnfitReference.Cause)] {
    guard !harmless.isEmpty else { return [] }
    let left = entries.values.reduce(into: Set<Int>()) { $0.formUnion($1.nodes) }
    let ended = harmless.filter { !left.contains($0.key) }
    for node in ended.keys { harmless[node] = nil }
    return ended.compactMap { node, difference in difference.witness.map { (node, $0, difference.cause) } }
  }
}
