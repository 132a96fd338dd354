import Apus
import ApusGraph

/// Turns a program into a graph.
struct ProgramBuilder {
  let program: TorchProgram
  let archive: TorchArchive
  private let emitter: Emitter
  private var nodes: GraphBuilder
  /// The names in the module of the buffers and parameters, by those in the program.
  private var targets: [String: String] = [:]
  /// Those that the program changes.
  private var changed: [String] = []
  /// What is unusual and not wrong.
  private(set) var warnings: [String] = []
  /// The ranges of open sizes, by name.
  private(set) var ranges: [(name: String, range: SizeRange)] = []

  init(_ program: TorchProgram, _ archive: TorchArchive) {
    var program = program
    program.flatten()
    let complexNames = program.graph.pairComplexNumbers()
    (self.program, self.archive) = (program, archive)
    let isDynamic = program.graph.tensors.values.contains { $0.extents.contains { $0 == nil } }
    emitter = Emitter(name: archive.name, isDynamic: isDynamic, isCore: program.isCore)
    emitter.complexNames = complexNames
    nodes = GraphBuilder(program.graph, emitter)
  }

  /// The whole program.
  /// - Throws: ``TorchError/Reason``.
  mutating func build() throws -> Graph {
    for specification in program.inputs {
      do {
        try input(specification)
      } catch let error as OperatorError {
        throw TorchError.Reason.invalid(
          at: "input '\(specification.argument.names.first ?? specification.target)'", error.description)
      }
    }
    inputRules()
    for (index, node) in program.graph.nodes.enumerated() {
      try noteChange(by: node, index)
      try nodes.write(node, index)
    }
    try outputs()
    // Weights and values may have a name in common.
    emitter.graph.makeNamesUnique()
    return emitter.graph
  }

  // MARK: Inputs and outputs

  private mutating func input(_ specification: TorchSpecification) throws {
    switch specification.kind {
    case "user_input":
      // What is no tensor and no number was fixed when the program was made.
      guard let name = specification.argument.names.first else { return }
      if let type = program.graph.tensors[name] {
        notePairs(name, "it is given as")
        guard type.elementType != nil else { throw OperatorError("elements of type \(type.scalar) are not supported") }
        try enter(name, type.graphType)
        emitter.names[name].map { emitter.declare($0, type) }
      } else {
        try enter(name, .tensor(.int64, []))
        emitter.names[name].map { emitter.declare($0, .integer) }
      }
    case "parameter", "buffer", "tensor_constant":
      guard let name = specification.argument.names.first else { throw OperatorError("it has no name") }
      guard emitter.names[name] == nil else { throw OperatorError("two inputs have the name") }
      guard let value = try archive.weight(specification.target) else {
        // One that nothing reads need not be there.
        guard program.graph.nodes.contains(where: { $0.inputs.contains { $0.argument.names.contains(name) } }) else {
          return
        }
        throw OperatorError("the archive has no tensor '\(specification.target)'")
      }
      if let declared = program.graph.tensors[name], declared.extents != value.shape?.map(Optional.some) {
        throw OperatorError("'\(specification.target)' has shape \(value.shape ?? []), and the program says another")
      }
      emitter.names[name] = emitter.constant(value, named: specification.target)
      targets[name] = specification.target
    // What calls with a custom object or a token do is not covered anyway.
    default: return
    }
  }

  /// Enters what the program asks of its inputs.
  private mutating func inputRules() {
    let values = emitter.graph.values
    let places = emitter.graph.inputs.enumerated().map { (values[$1].name, $0) }
    let rules = InputRules(program, places: Dictionary(places, uniquingKeysWith: { first, _ in first }))
    emitter.graph.inputRules = rules.rules
    ranges = rules.ranges
    guard let first = rules.unread.first else { return }
    let others = rules.unread.count == 1 ? "" : ", and \(rules.unread.count - 1) more"
    warnings.append(
      "a condition on sizes that the program was made under is not checked: \(first.prefix(200))\(others)")
  }

  private mutating func notePairs(_ name: String, _ what: String) {
    guard emitter.complexNames.contains(name) else { return }
    warnings.append("'\(name)' is complex; \(what) pairs, as torch.view_as_real makes them")
  }

  private func enter(_ name: String, _ type: GraphValueType) throws {
    guard emitter.names[name] == nil else { throw OperatorError("two inputs have the name") }
    let id = emitter.graph.addValue(named: name, type: type)
    emitter.graph.inputs.append(id)
    emitter.names[name] = id
  }

  private mutating func outputs() throws {
    for (index, specification) in program.outputs.enumerated() {
      let place = "output \(index)"
      guard specification.kind == "user_output" || specification.kind == "loss_output" else {
        if specification.kind.hasSuffix("_mutation") { changed.append(specification.target) }
        continue
      }
      switch specification.argument {
      case .tensor(let name), .symbol(let name):
        guard let id = emitter.names[name] else {
          throw TorchError.Reason.invalid(at: place, "'\(name)' is given by nothing")
        }
        notePairs(name, "its values are")
        try output(id, named: name)
      // A constant that the module returns among its outputs, which says nothing.
      case .none: continue
      case .int, .float, .bool:
        let call = Call(
          node: TorchNode(output: specification.argument), graph: program.graph, emitter: emitter)
        try output(TorchError.naming(place) { try call.value() }, named: "output_\(index)")
      default: warnings.append("\(place) is no tensor and is left out")
      }
    }
    if !changed.isEmpty {
      let names = changed.prefix(3).joined(separator: ", ") + (changed.count > 3 ? ", …" : "")
      warnings.append("the program changes \(names); every run begins with what the archive has")
    }
  }

  /// Makes a value an output. An input or a constant that is returned, and a value that is returned twice, get a name of
  /// their own.
  private func output(_ id: Graph.ValueID, named name: String) throws {
    let graph = emitter.graph
    guard graph.inputs.contains(id) || graph.constants[id] != nil || graph.outputs.contains(id) else {
      // What was made anew after a view of it was written over has a name of the graph's alone, and the first value,
      // which nothing stands for any more, the program's.
      if program.graph.type(of: graph.values[id].name) == nil {
        let isTaken = graph.inputs.contains { graph.values[$0].name == name }
        emitter.graph.values[id].name = isTaken ? "\(name).output" : name
      }
      return emitter.graph.outputs.append(id)
    }
    emitter.operation = WrittenOperation("\(name).output")
    let first = emitter.graph.nodes.count
    let copy = try emitter.node("Identity", [id])
    emitter.graph.values[copy].name = "\(name).output"
    emitter.graph.values[copy].type = graph.values[id].type
    emitter.end(firstNode: first)
    emitter.graph.outputs.append(copy)
  }

  /// Takes note of what a node changes of a parameter or a buffer.
  /// - Throws: ``TorchError/Reason`` where others in the same memory are read later.
  private mutating func noteChange(by node: TorchNode, _ index: Int) throws {
    let name = OperatorTarget(node.target)
    guard name.isInPlace, let written = node.inputs.first?.argument.names.first,
      let target = targets[nodes.aliases.root(of: written)]
    else { return }
    changed.append(target)
    let neighbours = archive.sharing(target)
    let others =
      neighbours.isEmpty
      ? []
      : targets.filter { neighbours.contains($0.value) && nodes.aliases.isRead($0.key, after: index) }.values.sorted()
    if let other = others.first {
      throw TorchError.Reason.unsupported(
        at: "node '\(node.name)' (\(name))", "writing over '\(target)', which shares its memory with '\(other)',",
        advice: "make one of them a copy before the module is exported")
    }
  }
}

extension TorchTensorType {
  /// A number that is known only when the program runs.
  static var integer: TorchTensorType {
    var type = TorchTensorType()
    type.scalar = .long
    return type
  }
}

/// An operator's name, without the package it is found in: `aten.add.Tensor`.
struct OperatorTarget: CustomStringConvertible {
  /// `aten.add`, without its overload.
  let name: String
  let overload: String

  init(_ target: String) {
    let prefix = "torch.ops."
    let parts = target.split(separator: ".", omittingEmptySubsequences: false)
    guard target.hasPrefix(prefix), parts.count == 5 else {
      (name, overload) = (target.hasPrefix(prefix) ? String(target.dropFirst(prefix.count)) : target, "")
      return
    }
    (name, overload) = (parts[2...3].joined(separator: "."), String(parts[4]))
  }

  var description: String { overload.isEmpty ? name : "\(name).\(overload)" }

  /// Of `relu_` and `__iand__`, which write over their first argument, the operator that gives the same and does not;
  /// nil of others.
  var plainName: String? {
    guard name.hasPrefix("aten."), name.hasSuffix("_") else { return nil }
    guard name.hasSuffix("__") else { return String(name.dropLast()) }
    let special = "aten.__i"
    return name.hasPrefix(special) ? "aten.__" + name.dropFirst(special.count) : nil
  }

  /// Whether the operator writes over its first argument.
  var isInPlace: Bool { plainName != nil }

  /// Of what turns the axes of its argument in place, the operator that gives a view; nil of others.
  var turningView: String? {
    let turning = ["t", "transpose", "swapaxes", "swapdims", "squeeze", "unsqueeze"]
    guard let plainName, turning.contains(where: { plainName == "aten.\($0)" }) else { return nil }
    return "torch.ops.\(plainName)" + (overload.isEmpty ? "" : ".\(overload)")
  }

  /// Whether the call checks something, or prints, and computes nothing.
  var isCheck: Bool {
    name.hasPrefix("aten._assert") || name.hasPrefix("aten.sym_constrain_range")
      || [
        "aten._functional_assert_async", "aten._linalg_check_errors", "aten._print", "torch._check",
        "aten._check_is_size", "aten.promote_types",
      ].contains(name)
      || name.hasPrefix("aten._functional_sym_constrain")
  }

  /// What helps where an operator is not covered.
  /// - Parameter isCore: whether the program was decomposed already.
  func advice(isCore: Bool) -> String {
    // Decompositions write out what is wrapped.
    guard !isCore, name.contains("aten.") || name.hasPrefix("higher_order.wrap_with_") else {
      return "a program that calls it cannot be read"
    }
    return "a program of core operators may do without it: " + TorchError.decomposing
  }
}
