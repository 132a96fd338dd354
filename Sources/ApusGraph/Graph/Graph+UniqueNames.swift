extension Graph {
  /// Gives every value a name of its own. The inputs and outputs of the model keep theirs, and of other values that have
  /// a name in common the last one does; those before it get a number.
  package mutating func makeNamesUnique() {
    let own = Set(inputs + outputs)
    var seen = Set(own.map { values[$0].name })
    let all = Set(values.map(\.name))
    var numbers: [String: Int] = [:]
    for id in values.indices.reversed() where !own.contains(id) && !values[id].name.isEmpty {
      let name = values[id].name
      guard !seen.insert(name).inserted else { continue }
      var number = (numbers[name] ?? 0) + 1
      while all.contains("\(name).\(number)") || !seen.insert("\(name).\(number)").inserted { number += 1 }
      numbers[name] = number
      values[id].name = "\(name).\(number)"
    }
  }
}
