extension Graph {
  /// For nodes that run one after another, the values that each reads or writes and no later one reads.
  ///
  /// - Parameters:
  ///   - nodes: what each node reads and writes.
  ///   - kept: values that are read after the last node.
  func lastUses(_ nodes: [(reads: [ValueID], writes: [ValueID])], keeping kept: [ValueID]) -> [[ValueID]] {
    var isSeen = [Bool](repeating: false, count: values.count)
    for id in kept { isSeen[id] = true }
    var result = [[ValueID]](repeating: [], count: nodes.count)
    for index in nodes.indices.reversed() {
      let (reads, writes) = nodes[index]
      // What is never read goes at once.
      for id in writes + reads where !isSeen[id] {
        isSeen[id] = true
        result[index].append(id)
      }
    }
    return result
  }
}
