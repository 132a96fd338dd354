import ApusGraph

/// What a program asks of its inputs: sizes in the ranges that it was made for, and conditions on sizes that held then.
struct InputRules {
  private(set) var rules: [InputRule] = []
  /// The ranges of open sizes, each by the name that an extent goes by, `s0`, or by its input and axis, `x.0`.
  private(set) var ranges: [(name: String, range: SizeRange)] = []
  /// The conditions that are not read.
  private(set) var unread: [String] = []

  /// - Parameter places: the places in the graph of the program's inputs, by name.
  init(_ program: TorchProgram, places: [String: Int]) {
    var places = places
    for (index, specification) in program.inputs.filter({ $0.kind == "user_input" }).enumerated() {
      guard let name = specification.argument.names.first, let place = places[name] else { continue }
      enter(program, name, place)
      // What some exports call inputs in conditions.
      let number = "flat_args_\(index)"
      if places[number] == nil { places[number] = place }
    }
    var seen = Set<String>()
    for text in program.guards where seen.insert(text).inserted { enter(text, places) }
  }

  /// The ranges of an input's sizes, or of the number that it is.
  private mutating func enter(_ program: TorchProgram, _ name: String, _ place: Int) {
    if let size = program.graph.integers[name], let range = program.range(of: size) {
      ranges.append((name, range))
      rules.append(
        InputRule(input: place) { sizes in
          sizes.number(place).flatMap { range.contains($0) ? nil : "it is \($0); the program was made for \(range)" }
        })
    }
    for (axis, size) in (program.graph.tensors[name]?.sizes ?? []).enumerated() {
      guard let range = program.range(of: size) else { continue }
      let title = if case .symbol(let symbol) = size.dimension { symbol } else { "\(name).\(axis)" }
      if !ranges.contains(where: { $0.name == title }) { ranges.append((title, range)) }
      rules.append(
        InputRule(input: place) { sizes in
          sizes.extent(axis, of: place).flatMap { extent in
            range.contains(extent) ? nil : "axis \(axis) has size \(extent); the program was made for \(range)"
          }
        })
    }
  }

  private mutating func enter(_ text: String, _ places: [String: Int]) {
    guard let condition = SizeGuard(text, places: places) else { return unread.append(text) }
    rules.append(
      InputRule(input: condition.input) { sizes in
        guard condition.holds(sizes) == false else { return nil }
        return "the program was made under a condition that does not hold: \(condition.text.prefix(200))"
      })
  }
}

extension TorchProgram {
  /// The sizes that the program was made for where an example had one; nil where it says nothing of them.
  fileprivate func range(of size: TorchSize) -> SizeRange? {
    guard let range = size.rangeKey.flatMap({ ranges[$0] }), !range.isOpen else { return nil }
    return range
  }
}
