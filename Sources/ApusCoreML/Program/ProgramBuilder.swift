import Apus
import ApusGraph

/// Turns a function of an ML program into a graph.
struct ProgramBuilder {
  let opset: Int
  let arithmetic: CoreMLArithmetic
  /// Blocks within blocks.
  static let depthLimit = 64

  init(opset: String, arithmetic: CoreMLArithmetic) throws {
    guard opset.hasPrefix("CoreML"), let version = Int(opset.dropFirst(6)), (5...9).contains(version) else {
      throw OperatorError("the set of operations '\(opset)' is not known; CoreML5 to CoreML9 are")
    }
    self.opset = version
    self.arithmetic = arithmetic
  }

  /// The type that values of a declared type are computed and kept in.
  func computed(_ type: MILType) -> ElementType {
    type == .float16 || type == .bfloat16 ? .float : type.elementType
  }

  func computed(_ type: MILValueType) -> MILValueType {
    var type = type
    if type.type == .float16 || type.type == .bfloat16 { type.type = .float32 }
    return type
  }

  // MARK: Constants

  /// A constant of more elements than this stays in the file as it is, and a node converts it.
  private static let smallCount = 1024

  /// Adds a constant. Sixteen-bit numbers become FLOAT, elements that share bytes become bytes; large constants stay as
  /// they are in the file, and a node does that when a session is made.
  func constant(_ constant: MILConstant, in emitter: Emitter, named name: String? = nil) throws -> Graph.ValueID {
    if constant.isPacked {
      let packed = emitter.constant(constant.value)
      let id = try emitter.node(
        "Unpack", [packed], domain: "apus",
        [
          "bits": .int(Int64(constant.type.bitCount)), "signed": .int(constant.type == .int4 ? 1 : 0),
          "shape": .ints(constant.shape.map(Int64.init)),
        ])
      emitter.declare(id, MILValueType(type: constant.type, shape: constant.shape))
      return id
    }
    guard constant.type == .float16 || constant.type == .bfloat16, case .tensor(let tensor) = constant.value else {
      return emitter.constant(constant.value, named: name)
    }
    if tensor.count <= Self.smallCount {
      return emitter.constant(GraphValue(try tensor.converted(to: Float.self)), named: name)
    }
    let stored = emitter.constant(constant.value)
    let id = try emitter.cast(stored, to: .float)
    emitter.declare(id, MILValueType(type: .float32, shape: constant.shape))
    return id
  }

  /// A value that is known before anything runs, the widened one of a constant that stays in the file included.
  func known(_ id: Graph.ValueID, in emitter: Emitter) -> GraphValue? {
    if let value = emitter.constant(id) { return value }
    guard let node = emitter.graph.nodes.last(where: { $0.outputs.first == id }) else { return nil }
    guard ["Cast", "Identity"].contains(node.operatorName.type), let source = node.inputs.first ?? nil else {
      return nil
    }
    return known(source, in: emitter)
  }

  // MARK: Blocks

  /// Writes the operations of a block.
  func write(_ block: Fields, to emitter: Emitter, depth: Int = 0) throws {
    guard depth <= Self.depthLimit else {
      throw OperatorError("blocks are nested deeper than \(Self.depthLimit)")
    }
    for (index, fields) in try block.messages(3, "Operation").enumerated() {
      let operation: MILOperation
      do {
        operation = try MILOperation(fields)
      } catch let error as OperatorError {
        throw CoreMLError.Reason.invalid(at: "operation \(index)", error.description)
      }
      do {
        try write(operation, to: emitter, depth: depth)
      } catch let error where error is OperatorError || error is TensorError || error is FileError {
        throw CoreMLError.Reason.invalid(at: place(of: operation, index), "\(error)")
      }
    }
  }

  /// What a message calls an operation.
  private func place(of operation: MILOperation, _ index: Int) -> String {
    "operation '\(name(of: operation, index))' (\(operation.type))"
  }

  private func name(of operation: MILOperation, _ index: Int = 0) -> String {
    if let value = operation.attributes["name"], let name = try? MILConstant.text(value), !name.isEmpty { return name }
    return operation.outputs.first?.name ?? "\(operation.type)_\(index)"
  }

  private func write(_ operation: MILOperation, to emitter: Emitter, depth: Int) throws {
    emitter.begin(name(of: operation))
    let firstNode = emitter.graph.nodes.count
    for output in operation.outputs where emitter.names[output.name] != nil {
      throw OperatorError("the name '\(output.name)' is given to two values")
    }
    let call = Call(operation: operation, emitter: emitter, builder: self)
    let results: [Graph.ValueID?]
    if operation.type == "const" {
      guard let output = operation.outputs.first, let fields = operation.attributes["val"] else {
        throw OperatorError("it has no value")
      }
      let id = try constant(MILConstant(fields), in: emitter, named: output.name)
      emitter.names[output.name] = id
      if emitter.graph.constants[id] == nil { emitter.graph.values[id].name = output.name }
      return emitter.end(firstNode: firstNode)
    } else if let blocks = Self.controlFlow[operation.type] {
      results = try blocks(call, depth)
    } else if let lowering = Self.lowerings[operation.type] {
      results = try lowering(call)
    } else {
      throw CoreMLError.Reason.unsupported(
        at: "operation '\(name(of: operation))'", "the operation '\(operation.type)'")
    }
    guard results.count >= operation.outputs.count else {
      throw OperatorError("it has \(operation.outputs.count) outputs; \(results.count) are given")
    }
    for (output, result) in zip(operation.outputs, results) {
      guard let result else { continue }
      try finish(result, output, in: emitter, firstNode: firstNode)
    }
    emitter.end(firstNode: firstNode)
  }

  /// Rounds a result where that is asked for, and gives it its name and type.
  private func finish(_ result: Graph.ValueID, _ output: MILPort, in emitter: Emitter, firstNode: Int) throws {
    var result = result
    if arithmetic == .declared, let type = output.type.type, type == .float16 || type == .bfloat16, !output.type.isList
    {
      let rounded = try emitter.node("Cast", [result], ["to": .int(Int64(type.elementType.rawValue))])
      result = try emitter.node("Cast", [rounded], ["to": .int(Int64(ElementType.float.rawValue))])
    }
    let id = try emitter.bind(result, to: output.name, firstNode: firstNode)
    emitter.declare(id, computed(output.type))
    emitter.graph.values[id].type = computed(output.type).graphType
  }
}

extension MILValueType {
  /// The type as a graph declares it; nil for lists of tensors that nothing is known of.
  var graphType: GraphValueType? {
    guard let type else { return nil }
    let tensor = GraphValueType.tensor(
      type.elementType, shape.map { $0.map { $0.map(GraphDimension.size) ?? .unknown } })
    return isList ? .sequence(.tensor(type.elementType, nil)) : tensor
  }
}
