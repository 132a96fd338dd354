import Apus

extension Operators {
  /// Operators that passes make and no file has.
  static let fused: [OperatorDefinition] = [
    OperatorDefinition(
      "Elementwise", domain: "apus", .elementwise(.parts, results: .overInput, layout: .keepsBlocked, axes: .fixed),
      Elementwise),
    function("Gelu", domain: "apus", writtenGELU),
    function("HardSigmoid", domain: "apus") { _ in .hardSigmoid },
    function("NanToNum", domain: "apus") { .nanToNum(Double(try $0.float("nan", default: 0))) },
    OperatorDefinition(
      "Rearrange", domain: "apus", .movement(.rearrange, results: .fresh, layout: .rowMajor), Rearrange),
    OperatorDefinition(
      "Linear", domain: "apus",
      .product(.fusedLinear, work: .matrixProduct, accuracy: .sum(.columns), fusion: .appliesActivation),
      FusedLinear),
    OperatorDefinition(
      "Attention", domain: "apus",
      .product(.fusedAttention, work: .attention, accuracy: .sum(.attention)),
      FusedAttention),
    OperatorDefinition(
      "Conv", domain: "apus",
      .product(
        .convolution, work: .convolution(weights: 1), accuracy: .sumOfProducts(.filter(weights: 1)),
        layout: .makesBlocked, fusion: .appliesActivation),
      NormalizedConv),
    OperatorDefinition(
      "ConvInteger", domain: "apus",
      .product(
        .fusedConvInteger, work: .convolution(weights: 1), accuracy: .sum(.filter(weights: 1)),
        fusion: .appliesActivation),
      FusedConvInteger),
    OperatorDefinition(
      "MatMulInteger", domain: "apus",
      .product(
        .fusedMatMulInteger, work: .matrixProduct, accuracy: .sum(.columns), fusion: .appliesActivation),
      FusedMatMulInteger),
  ]

  /// x · (1 + erf(x · factor / divisor)) · ½ with a rounding at each step.
  @Sendable private static func writtenGELU(_ node: NodeDescription) throws -> Activation {
    let half = try node.string("half", default: GELUProduct.Half.product.rawValue)
    guard let half = GELUProduct.Half(rawValue: half) else {
      throw OperatorError(
        "attribute 'half' is '\(half)'; \(GELUProduct.Half.allCases.map(\.rawValue).joined(separator: ", ")) are known")
    }
    return .geluProduct(
      GELUProduct(
        factor: Double(try node.float("factor", default: 1)), divisor: Double(try node.float("divisor", default: 1)),
        half: half))
  }

  /// Several operators of single elements, ``Node/parts``, in one pass over tensors of one floating-point type and
  /// shape, and values a channel or a column beside them; one after the other where the inputs turn out to be anything
  /// else.
  static func Elementwise(_ node: NodeDescription) throws -> PreparedOperator {
    let inputs = node.node.inputs
    let descriptions = node.node.parts.map { part in
      var constants: [Int: GraphValue] = [:]
      for (position, input) in part.inputs.enumerated() {
        if let outer = inputs.firstIndex(of: input), let value = node.constant(outer) { constants[position] = value }
      }
      return NodeDescription(node: part, constants: constants)
    }
    let parts = try descriptions.map { description in
      let part = description.node
      guard let definition = byName[part.operatorName] else {
        throw GraphError.unsupported(operator: part.operatorName, opset: part.opset, node: part.name)
      }
      return try definition.prepare(description)
    }
    let apart = PartwiseElementwise(nodes: node.node.parts, operations: parts, inputs: inputs)
    guard let whole = WholeElementwise(node, descriptions) else { return { arguments in try apart(&arguments) } }
    return { arguments in try whole(&arguments) ?? apart(&arguments) }
  }
}

/// The parts one after the other, as if they were nodes.
private struct PartwiseElementwise: Sendable {
  private let parts: [Part]
  private let valueCount: Int

  private struct Part: Sendable {
    let node: Node
    let operation: PreparedOperator
    /// Places among all values: the inputs of the whole, and then what the parts give.
    let inputs: [Int?]
    let outputs: [Int?]
  }

  init(nodes: [Node], operations: [PreparedOperator], inputs: [Graph.ValueID?]) {
    var places: [Graph.ValueID: Int] = [:]
    for case (let place, let id?) in inputs.enumerated() { places[id] = place }
    var count = inputs.count
    var parts: [Part] = []
    for (node, operation) in zip(nodes, operations) {
      let read = node.inputs.map { $0.flatMap { places[$0] } }
      let given = node.outputs.map { output -> Int? in
        guard let output else { return nil }
        places[output] = count
        count += 1
        return count - 1
      }
      parts.append(Part(node: node, operation: operation, inputs: read, outputs: given))
    }
    self.parts = parts
    valueCount = count
  }

  func callAsFunction(_ arguments: inout Arguments) throws -> [GraphValue?] {
    var values = arguments.values
    values += repeatElement(nil, count: max(0, valueCount - values.count))
    var results: [GraphValue?] = []
    for part in parts {
      var own = Arguments(part.inputs.map { $0.flatMap { values[$0] } }, context: arguments.context)
      do {
        results = try part.operation(&own)
      } catch let error as GraphError {
        throw error
      } catch {
        throw OperatorError("in '\(part.node.name)' (\(part.node.operatorName)): \(error)")
      }
      for (output, value) in zip(part.outputs, results) { if let output { values[output] = value } }
    }
    return results
  }
}

/// The parts as one program.
private struct WholeElementwise: Sendable {
  private let program: ElementwiseProgram
  /// Positions of the inputs that are tensors of the common shape.
  private let tensors: [Int]
  /// Positions and ranks of the inputs that are single numbers.
  private let numbers: [Int]

  /// nil when the parts do not make a program: all their inputs are single numbers.
  init?(_ node: NodeDescription, _ parts: [NodeDescription]) {
    // Of scales and zero points the levels are made.
    let read = Set(
      parts.flatMap { part in part.quantizedLevels == nil ? part.node.inputs : Array(part.node.inputs.prefix(1)) })
    var operands: [Graph.ValueID: ElementwiseProgram.Operand] = [:]
    var (tensors, numbers): ([Int], [Int]) = ([], [])
    for case (let position, let id?) in node.node.inputs.enumerated() where read.contains(id) {
      if let number = try? node.constantScalar(position) {
        operands[id] = .number(number)
        numbers.append(position)
      } else {
        operands[id] = .input(tensors.count)
        tensors.append(position)
      }
    }
    var steps: [ElementwiseProgram.Step] = []
    // Of bytes that are made of numbers: what they are levels of.
    var levelsOf: [Graph.ValueID: QuantizedLevels] = [:]
    var result: QuantizedLevels?
    for (place, description) in parts.enumerated() {
      let part = description.node
      let inputs = part.inputs.compactMap { $0.flatMap { operands[$0] } }
      if let levels = description.quantizedLevels {
        guard let input = part.inputs.first.flatMap({ $0 }), let x = operands[input],
          let output = part.outputs.first.flatMap({ $0 })
        else { return nil }
        switch (part.operatorName.type, x) {
        case ("DequantizeLinear", .input): steps.append(.dequantize(x, levels))
        case ("DequantizeLinear", .step) where levelsOf[input] == levels:
          operands[output] = x
          continue
        case ("QuantizeLinear", .step(steps.count - 1)) where place == parts.count - 1: result = levels
        case ("QuantizeLinear", _) where place < parts.count - 1:
          steps.append(.requantize(x, levels))
          levelsOf[output] = levels
        default: return nil
        }
      } else if let operation = part.facts?.fusion.binaryStep, inputs.count == 2 {
        steps.append(.binary(operation, inputs[0], inputs[1]))
      } else if let operation = part.facts?.fusion.unaryStep(of: description), !inputs.isEmpty {
        steps.append(.unary(operation, inputs[0]))
      } else {
        return nil
      }
      if let output = part.outputs.first.flatMap({ $0 }) { operands[output] = .step(steps.count - 1) }
    }
    guard !tensors.isEmpty, let program = ElementwiseProgram(steps, quantizingTo: result) else { return nil }
    self.program = program
    self.tensors = tensors
    self.numbers = numbers
  }

  /// nil when the inputs are not what the program can take.
  func callAsFunction(_ arguments: inout Arguments) throws -> [GraphValue?]? {
    if program.hasBytes { return try runBytes(arguments).map { [GraphValue.tensor($0)] } }
    switch try arguments.tensor(tensors[0]).dataType {
    case .float32: return try run(&arguments, as: Float.self).map { [GraphValue($0)] }
    case .float64: return try run(&arguments, as: Double.self).map { [GraphValue($0)] }
    #if !(os(macOS) && arch(x86_64))
      case .float16: return try runRounding(arguments, Float16.self).map { [GraphValue($0)] }
    #endif
    case .bfloat16: return try runRounding(arguments, BFloat16.self).map { [GraphValue($0)] }
    default: return nil
    }
  }

  private func runRounding<Half: TensorScalar>(_ arguments: Arguments, _: Half.Type) throws -> Tensor<Half>? {
    let inputs = try tensors.compactMap { try arguments.tensor($0).tensor(of: Half.self) }
    let rank = inputs.reduce(0) { max($0, $1.rank) }
    guard inputs.count == tensors.count, program.canRun(rounding: inputs) else { return nil }
    for number in try numbers.map({ try arguments.tensor($0) }) {
      guard number.dataType == Half.dataType, number.rank <= rank else { return nil }
    }
    return try program(rounding: inputs)
  }

  private func runBytes(_ arguments: Arguments) throws -> AnyTensor? {
    let inputs = try tensors.map { try arguments.tensor($0) }
    let rank = inputs.reduce(0) { max($0, $1.rank) }
    guard
      try numbers.allSatisfy({ try arguments.tensor($0).dataType == .float32 && arguments.tensor($0).rank <= rank }),
      let (program, parts) = try program.separating(inputs)
    else { return nil }
    return try program(parts)
  }

  private func run<Scalar: FloatingPointScalar>(
    _ arguments: inout Arguments, as type: Scalar.Type
  ) throws -> Tensor<Scalar>? {
    var operands: [ElementwiseProgram.Form] = []
    operands.reserveCapacity(tensors.count)
    for position in tensors {
      guard case .tensor(let any)? = arguments[position], let tensor = any.tensor(of: type) else { return nil }
      operands.append((tensor.shape, tensor.layout))
    }
    guard let form = program.form(of: operands) else { return nil }
    // A number of more axes than the tensors would give the result more, too.
    let rank = operands.reduce(0) { max($0, $1.shape.count) }
    for position in numbers {
      guard case .tensor(let any)? = arguments[position], any.dataType == Scalar.dataType, any.rank <= rank
      else { return nil }
    }
    var inputs: [Tensor<Scalar>] = []
    inputs.reserveCapacity(tensors.count)
    for position in tensors { inputs.append(try arguments.takeFloating(position, as: type)) }
    return try program(overwriting: &inputs, as: form)
  }
}
