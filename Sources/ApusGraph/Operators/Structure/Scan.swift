import Apus

// Control flow: a graph for every entry along an axis.

extension Operators {
  static let scans: [OperatorDefinition] = [
    OperatorDefinition("Scan", .plain(.unknown("it depends on what the body gives")), Scan)
  ]

  /// Runs `body` on (state…, entry…) for (state…, scanned…) for every entry along the scanned axes of the last
  /// `num_scan_inputs` inputs. Gives the last state, and what was scanned as tensors with an axis of entries.
  ///
  /// In version 8 all tensors have a batch axis in front of the scanned one, and sequences of a batch may end early.
  static func Scan(_ node: NodeDescription) throws -> PreparedOperator {
    node.opset < 9 ? try batchedScan(node) : try plainScan(node)
  }

  private static func plainScan(_ node: NodeDescription) throws -> PreparedOperator {
    let scan = try ScanBody(
      node, leadingInputs: 0, inputAxes: node.optionalInts("scan_input_axes"),
      inputDirections: node.optionalInts("scan_input_directions"),
      outputAxes: node.optionalInts("scan_output_axes"), outputDirections: node.optionalInts("scan_output_directions"))
    return { arguments in
      let inputs = try (0..<scan.inputCount).map { try arguments.value($0) }
      return try arguments.context.growing { try scan.run(inputs, length: nil, arguments) }
    }
  }

  private static func batchedScan(_ node: NodeDescription) throws -> PreparedOperator {
    let scan = try ScanBody(
      node, leadingInputs: 1, inputAxes: nil, inputDirections: node.optionalInts("directions"), outputAxes: nil,
      outputDirections: nil)
    return { arguments in
      let inputs = try (0..<scan.inputCount).map { try arguments.value(1 + $0) }
      let shapes = try inputs.map { try $0.extents }
      guard let batch = shapes.first?.first, shapes.allSatisfy({ $0.first == batch }), batch > 0,
        let longest = shapes[scan.states...].first?.dropFirst().first
      else {
        throw OperatorError("inputs of shapes \(shapes) have no common batch axis and axis of entries")
      }
      let lengths = try arguments.optionalIntegers(0) ?? [Int](repeating: longest, count: batch)
      guard lengths.count == batch, lengths.allSatisfy({ 0 <= $0 && $0 <= longest }) else {
        throw OperatorError("lengths \(lengths) do not fit \(batch) sequences of \(longest) entries")
      }
      return try arguments.context.growing {
        var results = [[GraphValue]](repeating: [], count: scan.outputCount)
        for (sample, length) in lengths.enumerated() {
          try arguments.context.checkCancellation()
          let own = try inputs.map { try Entry(axis: 0, index: sample).run($0) }
          for (output, value) in try scan.run(own, length: length, arguments).enumerated() {
            results[output].append(output < scan.states ? value : try value.lengthened(to: longest))
          }
        }
        return try results.map { try Stacking(axis: 0).single($0) }
      }
    }
  }
}

/// The body of a scan, and which axes it goes along in which direction.
private struct ScanBody {
  private let body: any PreparedSubgraph
  /// State variables, which come first among inputs and outputs.
  let states: Int
  private let inputAxes: [Int]
  private let inputDirections: [Int]
  private let outputAxes: [Int]
  private let outputDirections: [Int]

  var inputCount: Int { states + inputAxes.count }
  var outputCount: Int { states + outputAxes.count }

  /// - Parameter leadingInputs: inputs of the node in front of the states.
  init(
    _ node: NodeDescription, leadingInputs: Int, inputAxes: [Int]?, inputDirections: [Int]?, outputAxes: [Int]?,
    outputDirections: [Int]?
  ) throws {
    let body = try node.subgraph("body")
    let scanned = try node.int("num_scan_inputs")
    guard 1...max(node.inputCount, 1) ~= scanned else {
      throw OperatorError("num_scan_inputs is \(scanned); the node has \(node.inputCount) inputs")
    }
    let states = node.inputCount - leadingInputs - scanned
    let outputs = body.outputCount - states
    guard states >= 0, outputs >= 0, body.inputCount == states + scanned,
      node.outputCount <= body.outputCount
    else {
      throw OperatorError(
        "the body has \(body.inputCount) inputs and \(body.outputCount) outputs, the node \(node.inputCount) and "
          + "\(node.outputCount), of which \(scanned) are scanned")
    }
    func checked(_ list: [Int]?, _ count: Int, _ name: String) throws -> [Int] {
      let list = list ?? [Int](repeating: 0, count: count)
      guard list.count == count else { throw OperatorError("\(list.count) \(name) are given for \(count)") }
      return list
    }
    func directions(_ list: [Int]?, _ count: Int, _ name: String) throws -> [Int] {
      let list = try checked(list, count, name)
      guard list.allSatisfy({ 0...1 ~= $0 }) else {
        throw OperatorError("\(name) are \(list); each must be 0, forward, or 1, in reverse")
      }
      return list
    }
    self.body = body
    self.states = states
    self.inputAxes = try checked(inputAxes, scanned, "axes of scanned inputs")
    self.inputDirections = try directions(inputDirections, scanned, "directions of scanned inputs")
    self.outputAxes = try checked(outputAxes, outputs, "axes of scanned outputs")
    self.outputDirections = try directions(outputDirections, outputs, "directions of scanned outputs")
  }

  /// - Parameters:
  ///   - inputs: states, then the tensors that are scanned.
  ///   - length: the entries to look at; all when nil.
  func run(_ inputs: [GraphValue], length: Int?, _ arguments: Arguments) throws -> [GraphValue] {
    let scanned = Array(inputs[states...])
    let axes = try zip(scanned, inputAxes).map { try Axes.resolve($1, rank: $0.extents.count) }
    let sizes = try zip(scanned, axes).map { try $0.extents[$1] }
    guard let size = sizes.first, sizes.allSatisfy({ $0 == size }) else {
      throw OperatorError("the scanned inputs have \(sizes) entries")
    }
    let length = length ?? size
    var state = Array(inputs[..<states])
    var results = [[GraphValue]](repeating: [], count: outputAxes.count)
    for step in 0..<length {
      try arguments.context.countIteration()
      let entries = try scanned.indices.map { index in
        try Entry(axis: axes[index], index: inputDirections[index] == 0 ? step : length - 1 - step).run(scanned[index])
      }
      let inputs: [GraphValue?] = state + entries
      let shapes = state.map(\.shape)
      state = []
      let outputs = try body(consume inputs, arguments)
      state = Array(outputs[..<states])
      for (index, shape) in shapes.enumerated() where state[index].shape != shape {
        throw OperatorError(
          "state \(index) has shape \(shape ?? []), which it must keep; it becomes \(state[index].shape ?? [])")
      }
      for index in results.indices { results[index].append(outputs[states + index]) }
    }
    return try state
      + results.enumerated().map { index, values in
        try Operators.stacked(
          outputDirections[index] == 0 ? values : values.reversed(), axis: outputAxes[index],
          declared: body.outputTypes[states + index])
      }
  }
}

/// One entry along an axis, which goes away.
private struct Entry: Rearrangement {
  let axis: Int
  let index: Int

  func moved<Scalar: TensorScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try x.selected(axis: axis, index: index)
  }
}

extension GraphValue {
  /// With zeros up to `size` along the first axis.
  fileprivate func lengthened(to size: Int) throws -> GraphValue {
    var shape = try extents
    guard let own = shape.first, own < size else { return self }
    shape[0] = size - own
    return try Concatenation(axis: 0).single([self, GraphValue(zeros: elementType ?? .float, shape: shape)])
  }
}
