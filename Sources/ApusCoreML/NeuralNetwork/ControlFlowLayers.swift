import Apus
import ApusGraph

// Networks within networks: branches, loops, and what leaves these.

/// What a layer within a loop's body may leave.
///
/// Whether that has happened is a value under the exit's name, and layers behind such a layer are a branch on it.
enum LoopExit: String, CaseIterable {
  case turn
  case loop

  /// A name that no blob is likely to have.
  var name: String { "loop/\(self)_is_over" }

  static let names = Set(allCases.map(\.name))
}

extension NetworkBuilder {
  /// A body is written twice, and those within it four times; loops within more loops than this are refused.
  private static let loopDepthLimit = 8

  /// The names that layers give, in order, those within them too, and those of the exits that they take.
  func names(givenBy layers: [Fields], depth: Int = 0) throws -> [String] {
    guard depth <= Self.depthLimit else { throw OperatorError("networks are nested deeper than \(Self.depthLimit)") }
    var names: [String] = []
    for layer in layers {
      names += try layer.strings(3)
      if layer.has(620) { names += LoopExit.allCases.map(\.name) }
      if layer.has(625) { names.append(LoopExit.turn.name) }
      for (kind, numbers) in [(605, [1, 2]), (615, [3, 4])] {
        guard let parameters = try layer.message(kind, "layer parameters") else { continue }
        for number in numbers {
          let inner = try self.names(givenBy: network(parameters, number), depth: depth + 1)
          // A loop's exits end in it.
          names += kind == 615 ? inner.filter { !LoopExit.names.contains($0) } : inner
        }
      }
    }
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }

  /// What layers may leave of the loop that they stand in.
  func exits(of layers: [Fields]) throws -> [LoopExit] {
    let names = try names(givenBy: layers)
    return LoopExit.allCases.filter { names.contains($0.name) }
  }

  func network(_ parameters: Fields, _ number: Int) throws -> [Fields] {
    try parameters.message(number, "NeuralNetwork")?.messages(1, "NeuralNetworkLayer") ?? []
  }

  /// What a blob of one number says.
  func truth(_ name: String) throws -> Graph.ValueID {
    guard let id = e.resolve(name) else { throw OperatorError("the condition '\(name)' is given by nothing before") }
    return try e.reshape(e.cast(id, to: .bool), [Int]())
  }

  /// One of two networks, the first where the condition holds.
  func branch(_ isTrue: Graph.ValueID, _ bodies: [[Fields]], depth: Int) throws {
    let given = try bodies.map { try Set(names(givenBy: $0)) }
    // What both give, and what one gives in the place of something that was there before.
    let all = try names(givenBy: Array(bodies.joined())).filter { name in
      given.allSatisfy { $0.contains(name) } || e.resolve(name) != nil
    }
    let inner = try bodies.map { layers in
      let inner = Emitter(name: "branch", parent: e)
      try within(inner).write(layers, depth: depth + 1)
      for name in all {
        guard let id = inner.resolve(name) else { throw OperatorError("a branch does not give '\(name)'") }
        inner.graph.outputs.append(id)
      }
      return inner
    }
    guard !all.isEmpty else { return }
    let firstNode = e.graph.nodes.count
    let results = try e.nodes(
      "If", [isTrue], outputs: all.count,
      subgraphs: ["then_branch": inner[0].graph, "else_branch": inner[1].graph])
    for (index, (name, result)) in zip(all, results).enumerated() {
      let id = try e.bind(result, to: name, firstNode: firstNode)
      let (then, other) = (inner[0].graph.outputs[index], inner[1].graph.outputs[index])
      if inner[0].follows(then, as: other, of: inner[1]) {
        e.inherit(then, from: inner[0], as: id)
      } else if let left = try? inner[0].shape(then), let right = try? inner[1].shape(other), left.count == right.count
      {
        e.declare(id, MILValueType(type: .float32, shape: zip(left, right).map { $0 == $1 ? $0 : nil }))
      }
    }
    e.end(firstNode: firstNode)
  }

  // MARK: Loops

  /// From here on a turn, or the loop, is over.
  func leave(_ exits: [LoopExit]) throws {
    for exit in exits {
      guard e.resolve(exit.name) != nil else { throw OperatorError("it does not stand in the body of a loop") }
      e.names[exit.name] = try e.truth(true)
    }
  }

  /// Layers behind one that may leave the loop: they run where it has not.
  func write(_ layers: [Fields], unless exit: LoopExit, depth: Int) throws {
    guard let isOver = e.resolve(exit.name) else { throw OperatorError("a loop is left outside of one") }
    try branch(isOver, [[], layers], depth: depth)
  }

  /// What says whether a loop goes on: a blob, and the network that computes it before each turn.
  private struct Condition {
    let layers: [Fields]
    /// Empty where a loop has none.
    let name: String
  }

  /// A turn of a loop: its body, and what decides on the next.
  /// - Returns: whether there is another turn; nil where only their number counts.
  private func turn(_ body: [Fields], _ condition: Condition, depth: Int) throws -> Graph.ValueID? {
    let exits = try self.exits(of: body)
    for exit in exits { e.names[exit.name] = try e.truth(false) }
    try write(body, depth: depth + 1)
    guard exits.contains(.loop) else {
      try write(condition.layers, depth: depth + 1)
      e.begin("loop")
      return try condition.name.isEmpty ? nil : truth(condition.name)
    }
    if !condition.layers.isEmpty { try write(condition.layers, unless: .loop, depth: depth) }
    e.begin("loop")
    guard let isOver = e.resolve(LoopExit.loop.name) else { return nil }
    let isNotLeft = try e.node("Not", [isOver])
    return try condition.name.isEmpty ? isNotLeft : e.node("And", [truth(condition.name), isNotLeft])
  }

  /// A body again and again, as long as a blob that a network of its own computes says so, or a number of times.
  func loop(_ parameters: Fields, _ inputs: [String], depth: Int) throws {
    guard loopDepth < Self.loopDepthLimit else {
      throw OperatorError("loops are nested deeper than \(Self.loopDepthLimit)")
    }
    let condition = Condition(layers: try network(parameters, 3), name: try parameters.string(2))
    let body = try network(parameters, 4)
    let count = try parameters.int(1)
    try within(e, isLoop: true).write(condition.layers, depth: depth + 1)
    let names = try self.names(givenBy: condition.layers + body).filter {
      !LoopExit.names.contains($0) && e.resolve($0) != nil
    }
    let variables = names.compactMap { e.resolve($0) }
    e.begin("loop")
    let isLeft = try exits(of: body).contains(.loop)
    // Without a condition before the first turn the standard looks at none after it.
    let first = try condition.name.isEmpty ? (isLeft ? e.truth(true) : nil) : truth(condition.name)
    var turns: Graph.ValueID?
    if count > 0 {
      turns = try e.integer(count)
    } else if let name = inputs.first, let id = e.resolve(name), condition.name.isEmpty {
      turns = try e.reshape(e.cast(id, to: .int64), [Int]())
    }
    guard turns != nil || first != nil else {
      throw OperatorError("nothing ends it: it has no number of turns, no condition, and no layer that leaves it")
    }
    let types = try loopTypes(names, variables, body, condition, depth: depth)
    let inner = Emitter(name: "body", parent: e)
    let number = inner.graph.addValue(named: "turn", type: .tensor(.int64, []))
    let goesOn = inner.graph.addValue(named: "goes_on", type: .tensor(.bool, []))
    inner.graph.inputs = [number, goesOn]
    for (name, type) in zip(names, types) { inner.graph.inputs.append(inner.variable(name, type, of: e)) }
    let next = try within(inner, isLoop: true).turn(body, condition, depth: depth)
    inner.graph.outputs = [try next ?? inner.node("Identity", [goesOn])]
    for name in names { inner.graph.outputs.append(inner.resolve(name) ?? number) }
    let firstNode = e.graph.nodes.count
    e.begin("loop")
    guard !names.isEmpty else { return }
    let results = try e.nodes(
      "Loop", [turns, first] + variables, outputs: names.count, subgraphs: ["body": inner.graph])
    for ((name, type), result) in zip(zip(names, types), results) {
      e.take(type, of: e, for: try e.bind(result, to: name, firstNode: firstNode))
    }
  }

  /// What is known in every turn of what a loop changes: found by writing the body for nobody.
  private func loopTypes(
    _ names: [String], _ variables: [Graph.ValueID], _ body: [Fields], _ condition: Condition, depth: Int
  ) throws -> [LoopType] {
    let trial = Emitter(name: "trial", parent: e)
    for (name, variable) in zip(names, variables) { _ = trial.variable(name, .kept(variable), of: e) }
    _ = try within(trial, isLoop: true).turn(body, condition, depth: depth)
    return zip(names, variables).map { name, variable in
      guard let before = try? e.shape(variable), let id = trial.resolve(name), let after = try? trial.shape(id),
        after.count == before.count
      else { return .shape(nil) }
      if trial.follows(id, as: variable, of: e) { return .kept(variable) }
      return .shape(zip(before, after).map { $0 == $1 ? $0 : nil })
    }
  }
}

/// What is known of a value that a loop changes.
private enum LoopType {
  /// All that is known of what it is before the first turn.
  case kept(Graph.ValueID)
  /// Its extents, nil where a turn changes the rank, and within where it changes an extent.
  case shape([Int?]?)
}

extension Emitter {
  /// A variable of a loop whose body this is.
  fileprivate func variable(_ name: String, _ type: LoopType, of outer: Emitter) -> Graph.ValueID {
    let id = graph.addValue(named: name)
    names[name] = id
    take(type, of: outer, for: id)
    return id
  }

  fileprivate func take(_ type: LoopType, of outer: Emitter, for id: Graph.ValueID) {
    switch type {
    case .kept(let variable): inherit(variable, from: outer, as: id)
    case .shape(let shape): declare(id, MILValueType(type: .float32, shape: shape))
    }
  }
}
