import Apus
import ApusGraph

// Blocks within blocks, lists, states, chance, and what a classifier ends with.

extension ProgramBuilder {
  /// Operations whose blocks are written too, with the depth at which they stand.
  static let controlFlow: [String: @Sendable (Call, Int) throws -> [Graph.ValueID?]] = [
    "cond": { call, depth in
      let e = call.emitter
      guard call.operation.blocks.count == 2 else {
        throw OperatorError("it has \(call.operation.blocks.count) blocks; two are needed")
      }
      // States that either block writes come out of both.
      let states = try call.builder.states(writtenIn: call.operation.blocks, depth: depth)
      let branches = try call.operation.blocks.map {
        try call.builder.branch($0, giving: states, around: e, depth: depth)
      }
      let count = call.operation.outputs.count
      let results = try e.nodes(
        "If", [e.reshape(e.cast(call.value("pred"), to: .bool), [Int]())], outputs: count + states.count,
        subgraphs: ["then_branch": branches[0], "else_branch": branches[1]])
      call.builder.set(states, to: results[count...], in: e)
      return Array(results[..<count])
    },
    "while_loop": { call, depth in try call.builder.loop(call, depth: depth) },
  ]

  /// A block without inputs as a graph, which gives what the block does and then what the states hold.
  private func branch(_ block: Fields, giving states: [String], around outer: Emitter, depth: Int) throws -> Graph {
    let inner = Emitter(name: "block", parent: outer)
    try write(block, to: inner, depth: depth + 1)
    inner.graph.outputs = try results(of: block, in: inner, named: "output") + held(states, in: inner)
    return inner.graph
  }

  // MARK: States

  /// The names of the states that blocks write, those within them too, in alphabetical order.
  private func states(writtenIn blocks: [Fields], depth: Int) throws -> [String] {
    guard depth <= Self.depthLimit else { throw OperatorError("blocks are nested deeper than \(Self.depthLimit)") }
    var names: Set<String> = []
    for operation in try blocks.flatMap({ try $0.messages(3, "Operation").map { try MILOperation($0) } }) {
      if operation.type == "write_state", case .name(let name)? = operation.inputs["input"]?.first {
        names.insert(name)
      }
      names.formUnion(try states(writtenIn: operation.blocks, depth: depth + 1))
    }
    return names.sorted()
  }

  /// What states hold at this point.
  private func held(_ states: [String], in emitter: Emitter) throws -> [Graph.ValueID] {
    try states.map { name in
      guard let id = emitter.resolve(name) else { throw OperatorError("'\(name)' is no state") }
      return id
    }
  }

  /// From here on states hold what a block gave for them.
  private func set(_ states: [String], to values: some Sequence<Graph.ValueID>, in emitter: Emitter) {
    for (name, value) in zip(states, values) {
      if let type = emitter.resolve(name).flatMap(emitter.knownType) { emitter.declare(value, type) }
      emitter.names[name] = value
    }
  }

  // MARK: Loops

  private func results(of block: Fields, in emitter: Emitter, named name: String) throws -> [Graph.ValueID] {
    try block.strings(2).map { output in
      guard let id = emitter.resolve(output) else {
        throw OperatorError("a block gives '\(output)', which nothing in it gives")
      }
      return id
    }
  }

  /// A loop asks its condition before each turn: it is written in front of the loop, and once more at the end of the
  /// body, where it decides on the next turn.
  private func loop(_ call: Call, depth: Int) throws -> [Graph.ValueID?] {
    let e = call.emitter
    let variables = try call.values("loop_vars")
    guard call.operation.blocks.count == 2 else {
      throw OperatorError("it has \(call.operation.blocks.count) blocks; two are needed")
    }
    let (condition, body) = (call.operation.blocks[0], call.operation.blocks[1])
    guard try states(writtenIn: [condition], depth: depth).isEmpty else {
      throw OperatorError("its condition writes to a state")
    }
    let states = try states(writtenIn: [body], depth: depth)
    let before = try held(states, in: e)
    let first = try self.condition(condition, of: variables, in: e, depth: depth)
    let inner = Emitter(name: "body", parent: e)
    inner.begin("loop")
    let turn = inner.graph.addValue(named: "turn", type: .tensor(.int64, []))
    let goesOn = inner.graph.addValue(named: "goes_on", type: .tensor(.bool, []))
    inner.graph.inputs = [turn, goesOn]
    for (port, variable) in zip(try body.messages(1, "NamedValueType").map({ try MILPort($0) }), variables) {
      let id = inner.graph.addValue(named: port.name, type: computed(port.type).graphType)
      // What a loop changes may have another shape at every turn, whatever the first is.
      inner.declare(id, port.type.type == nil ? MILValueType(type: nil, shape: nil) : computed(port.type))
      inner.names[port.name] = id
      inner.graph.inputs.append(id)
      _ = variable
    }
    guard inner.graph.inputs.count == variables.count + 2 else {
      throw OperatorError("\(variables.count) variables go into a body of \(inner.graph.inputs.count - 2) inputs")
    }
    for (name, outer) in zip(states, before) {
      let id = inner.graph.addValue(named: name)
      if let type = e.knownType(outer) { inner.declare(id, type) }
      inner.names[name] = id
      inner.graph.inputs.append(id)
    }
    try write(body, to: inner, depth: depth + 1)
    let next = try results(of: body, in: inner, named: "variable")
    guard next.count == variables.count else {
      throw OperatorError("the body gives \(next.count) values for \(variables.count) variables")
    }
    let after = try held(states, in: inner)
    let again = try self.condition(condition, of: next, with: states, in: inner, depth: depth)
    inner.graph.outputs = [again] + next + after
    e.begin(call.operation.outputs.first?.name ?? "while_loop")
    let results = try e.nodes(
      "Loop", [nil, first] + variables + before, outputs: variables.count + states.count,
      subgraphs: ["body": inner.graph])
    set(states, to: results[variables.count...], in: e)
    return Array(results[..<variables.count])
  }

  /// The condition of a loop for values of its variables, written where these are.
  /// - Parameter states: those that the loop's body writes, if it is written behind it.
  private func condition(
    _ block: Fields, of variables: [Graph.ValueID], with states: [String] = [], in emitter: Emitter, depth: Int
  ) throws -> Graph.ValueID {
    let names = emitter.names
    defer { emitter.names = names }
    if emitter.parent != nil { emitter.names = names.filter { states.contains($0.key) } }
    let ports = try block.messages(1, "NamedValueType").map { try MILPort($0) }
    guard ports.count == variables.count else {
      throw OperatorError("the condition takes \(ports.count) values of \(variables.count) variables")
    }
    for (port, variable) in zip(ports, variables) { emitter.names[port.name] = variable }
    try emitter.limits.condition { try write(block, to: emitter, depth: depth + 1) }
    guard let result = try results(of: block, in: emitter, named: "condition").first else {
      throw OperatorError("the condition gives nothing")
    }
    emitter.begin("condition")
    return try emitter.reshape(emitter.cast(result, to: .bool), [Int]())
  }

  // MARK: Lists

  static let lists: [String: Lowering] = [
    "make_list": { call in
      let e = call.emitter
      let name = try call.string("dtype", default: "fp32")
      guard let type = MILType(name: name) else { throw OperatorError("the type '\(name)' is not known") }
      // An extent that is known only when something is written has a name here.
      let extents =
        try !call.has("elem_shape")
        ? []
        : call.values("elem_shape").map { id -> Int64 in
          guard case .tensor(let tensor)? = e.constant(id), tensor.count == 1 else { return -1 }
          return try tensor.converted(to: Int64.self).elements[0]
        }
      return [
        try e.node(
          "ListMake", [call.has("init_length") ? e.int64(call.value("init_length")) : e.integer(1)], domain: "apus",
          ["shape": .ints(extents), "dtype": .int(Int64(call.builder.computed(type).rawValue))])
      ]
    },
    "list_length": { call in
      let e = call.emitter
      return [try e.cast(e.node("SequenceLength", [call.value("ls")]), to: call.outputType())]
    },
    "list_read": { call in
      let e = call.emitter
      return [try e.node("SequenceAt", [call.value("ls"), e.int64(call.value("index"))])]
    },
    "list_write": { call in
      let e = call.emitter
      return [
        try e.node(
          "ListWrite",
          [call.value("ls"), e.unsqueezedIndex(call.value("index")), e.unsqueeze(call.value("value"), [0])],
          domain: "apus")
      ]
    },
    "list_scatter": { call in
      [
        try call.emitter.node(
          "ListWrite", [call.value("ls"), call.value("indices"), call.value("value")], domain: "apus")
      ]
    },
    "list_gather": { call in
      [try call.emitter.node("ListGather", [call.value("ls"), call.value("indices")], domain: "apus")]
    },
    "read_state": { call in
      // The names of states stand for what they hold at this point.
      [try call.emitter.node("Identity", [call.value("input")])]
    },
    "write_state": { call in
      guard case .name(let name)? = call.operation.inputs["input"]?.first else {
        throw OperatorError("the state has no name")
      }
      guard call.emitter.resolve(name) != nil else { throw OperatorError("'\(name)' is no state") }
      let value = try call.value("data")
      call.emitter.names[name] = try call.emitter.node("Identity", [value])
      if let type = call.emitter.knownType(value), let id = call.emitter.names[name] { call.emitter.declare(id, type) }
      return []
    },
  ]

  // MARK: Chance

  static let random: [String: Lowering] = [
    "random_normal": { call in
      let e = call.emitter
      let noise = try e.node("RandomNormalLike", [shaped(call)], randomAttributes(call))
      let scaled = try e.node("Mul", [noise, call.optional("stddev") ?? e.number(1)])
      return [try e.node("Add", [scaled, call.optional("mean") ?? e.number(0)])]
    },
    "random_uniform": { call in
      let e = call.emitter
      let noise = try e.node("RandomUniformLike", [shaped(call)], randomAttributes(call))
      let low = try call.optional("low") ?? e.number(0)
      let width = try e.node("Sub", [call.optional("high") ?? e.number(1), low])
      return [try e.node("Add", [e.node("Mul", [noise, width]), low])]
    },
    "random_bernoulli": { call in
      let e = call.emitter
      let noise = try e.node("RandomUniformLike", [shaped(call)], randomAttributes(call))
      let isOne = try e.node("Less", [noise, call.optional("prob") ?? e.number(0.5)])
      return [try e.node("Cast", [isOne], ["to": .int(Int64(ElementType.float.rawValue))])]
    },
    "random_categorical": { call in
      let e = call.emitter
      let x = try call.value("x")
      let size = try call.int("size", default: 1)
      let logits =
        try call.string("mode", default: "logits") == "probs" ? e.node("Log", [x]) : x
      var attributes = try randomAttributes(call)
      attributes["sample_size"] = .int(Int64(size))
      attributes["dtype"] = .int(Int64(ElementType.int32.rawValue))
      let rank = try e.rank(x)
      guard let classes = try e.shape(x).last ?? nil else { throw OperatorError("the number of classes is not known") }
      let drawn = try e.node("Multinomial", [e.reshape(logits, [-1, classes])], attributes)
      let extents = try (0..<max(0, rank - 1)).map { try e.extent(x, $0) } + [.known(size)]
      return [try e.cast(e.reshape(drawn, extents), to: call.outputType())]
    },
  ]

  private static func randomAttributes(_ call: Call) throws -> [String: AttributeValue] {
    let seed = try call.int("seed", default: -1)
    return seed < 0 ? [:] : ["seed": .float(Float(seed))]
  }

  /// Zeros of the shape that is asked for.
  private static func shaped(_ call: Call) throws -> Graph.ValueID {
    try call.emitter.node("Expand", [call.emitter.number(0), call.emitter.int64(call.value("shape"))])
  }

  // MARK: Classes

  static let classification: [String: Lowering] = [
    "classify": { call in
      let e = call.emitter
      let probabilities = try call.value("probabilities")
      let flat = try e.reshape(probabilities, [-1])
      // A list of one, as features have it.
      let best = try e.node("ArgMax", [flat], ["axis": .int(0), "keepdims": .int(1)])
      return [try e.node("Gather", [call.value("classes"), best], ["axis": .int(0)]), flat]
    }
  ]
}

extension Emitter {
  func knownType(_ id: Graph.ValueID) -> MILValueType? { types[id] }

  /// A single index as a list of one.
  fileprivate func unsqueezedIndex(_ id: Graph.ValueID) throws -> Graph.ValueID { try reshape(int64(id), [1]) }
}
