import Apus
import ApusGraph

// Complex numbers, which the graph has as pairs: the real and the imaginary part side by side along an axis of their own
// behind all others, as `torch.view_as_real` shows them.

extension ProgramBuilder {
  /// The lowering of an operator that takes or gives complex numbers.
  static func complexLowering(of target: OperatorTarget) -> Lowering? {
    lowering(of: target, in: complexNumbers)
  }

  /// The operators that take or give complex numbers, by their names without overloads.
  static let complexNumbers: [String: Lowering] = {
    var result = fourierTransforms
    for name in ["view_as_real", "view_as_complex", "resolve_conj", "resolve_neg"] {
      result[name] = { call in [try call.x] }
    }
    result["complex"] = { call in [try call.emitter.pair(call.value("real"), call.value("imag"))] }
    result["polar"] = { call in [try call.emitter.pair(size: call.value("abs"), angle: call.value("angle"))] }
    result["real"] = { call in [try call.parts().real] }
    result["imag"] = { call in [try call.parts().imaginary] }
    result["abs"] = { call in
      let x = try call.x
      return [try call.emitter.norm(x, 2, axes: [-1], keeps: false, as: call.outputType)]
    }
    result["angle"] = { call in
      let (real, imaginary) = try call.parts()
      return [try call.emitter.arctangent(imaginary, real, as: call.outputType)]
    }
    for name in ["conj", "_conj", "conj_physical", "_conj_physical"] {
      result[name] = { call in
        let (real, imaginary) = try call.parts()
        return [try call.emitter.pair(real, call.emitter.node("Neg", [imaginary]))]
      }
    }
    result["neg"] = { call in [try call.emitter.node("Neg", [call.x])] }
    for (name, type) in [("add", "Add"), ("sub", "Sub")] {
      result[name] = { call in
        guard try call.double("alpha", default: 1) == 1 else { throw OperatorError("an alpha for complex numbers") }
        return [try call.emitter.node(type, [call.pairs("self"), call.pairs("other")])]
      }
    }
    result["mul"] = { call in
      let e = call.emitter
      if let factor = try call.realFactor("other") { return [try e.node("Mul", [call.x, factor])] }
      if let factor = try call.realFactor("self") { return [try e.node("Mul", [call.value("other"), factor])] }
      let (a, b) = try e.parts(call.pairs("self"))
      let (c, d) = try e.parts(call.pairs("other"))
      return [
        try e.pair(
          e.node("Sub", [e.node("Mul", [a, c]), e.node("Mul", [b, d])]),
          e.node("Add", [e.node("Mul", [a, d]), e.node("Mul", [b, c])]))
      ]
    }
    result["div"] = { call in
      let e = call.emitter
      if let divisor = try call.realFactor("other") { return [try e.node("Div", [call.x, divisor])] }
      let (a, b) = try e.parts(call.pairs("self"))
      let (c, d) = try e.parts(call.pairs("other"))
      let square = try e.node("Add", [e.node("Mul", [c, c]), e.node("Mul", [d, d])])
      let real = try e.node("Add", [e.node("Mul", [a, c]), e.node("Mul", [b, d])])
      let imaginary = try e.node("Sub", [e.node("Mul", [b, c]), e.node("Mul", [a, d])])
      return [try e.pair(e.node("Div", [real, square]), e.node("Div", [imaginary, square]))]
    }
    result["exp"] = { call in
      let e = call.emitter
      let (real, angle) = try call.parts()
      return [try e.pair(size: e.node("Exp", [real]), angle: angle)]
    }
    for name in ["to", "_to_copy"] {
      result[name] = { call in
        let (e, type) = (call.emitter, try call.outputType)
        guard call.givesComplex else { return [try e.cast(call.parts().real, to: type)] }
        return [try e.cast(call.pairs(call.node.inputs.first?.name ?? ""), to: type)]
      }
    }
    for (name, value) in ofSizes {
      result[name] = { call in [try call.repeated(call.emitter.row([Double(value), 0], as: call.outputType))] }
    }
    for (name, value) in ofOthers {
      result[name] = { call in
        let number = try call.emitter.row([Double(value), 0], as: call.outputType)
        return [try call.repeated(number, like: call.x)]
      }
    }
    for name in ["full", "new_full"] {
      result[name] = { call in [try call.repeated(call.pairs("fill_value"))] }
    }
    for (name, value) in [("full_like", "fill_value"), ("fill", "value")] {
      result[name] = { call in [try call.repeated(call.pairs(value), like: call.x)] }
    }
    result["t"] = { call in
      let x = try call.x
      return [try call.emitter.rank(x) == 3 ? call.emitter.transpose(x, [1, 0, 2]) : x]
    }
    for name in [
      "alias", "cat", "clone", "constant_pad_nd", "contiguous", "detach", "expand", "flatten", "flip", "index",
      "index_select", "lift_fresh", "lift_fresh_copy", "permute", "reshape", "roll", "select", "slice", "split",
      "split_with_sizes",
      "squeeze", "stack", "sum", "mean", "transpose", "unbind", "unflatten", "unsqueeze", "view",
      "_unsafe_view", "fft_fftshift", "fft_ifftshift",
    ] {
      guard let lowering = lowerings["aten.\(name)"] else { continue }
      result[name] = { call in try lowering(call.onPairs(name)) }
    }
    return controlFlow.merging(result.map { ("aten.\($0.key)", $0.value) }) { first, _ in first }
  }()
}

extension Call {
  /// Whether an argument is complex.
  func isComplex(_ name: String) -> Bool {
    argument(name)?.names.contains { emitter.complexNames.contains($0) } ?? false
  }

  /// The parts of the first argument.
  fileprivate func parts() throws -> (real: Graph.ValueID, imaginary: Graph.ValueID) { try emitter.parts(x) }

  /// An argument as pairs, a real one with zeros.
  func pairs(_ name: String) throws -> Graph.ValueID {
    let value = try value(name, as: outputType)
    if isComplex(name) { return value }
    return try emitter.pair(value, emitter.expand(emitter.number(0, as: outputType), emitter.node("Shape", [value])))
  }

  fileprivate var givesComplex: Bool {
    node.outputs.flatMap(\.names).contains(where: emitter.complexNames.contains)
  }

  /// A pair over and over, or its real part where what is given is real, in the sizes that are given or in the shape of
  /// `other`.
  fileprivate func repeated(_ pair: Graph.ValueID, like other: Graph.ValueID? = nil) throws -> Graph.ValueID {
    let e = emitter
    let isComplexOther = node.inputs.first.map { isComplex($0.name) } ?? false
    let shape: Graph.ValueID
    if let other {
      let all = try e.node("Shape", [other])
      shape = try isComplexOther ? e.slice(all, from: [0], to: [-1], axes: [0]) : all
    } else {
      shape = try e.list(extents("size"))
    }
    guard givesComplex else {
      return try e.expand(e.squeeze(e.slice(pair, from: [0], to: [1], axes: [0]), [0]), shape)
    }
    return try e.expand(pair, e.node("Concat", [shape, e.integers([2])], ["axis": .int(0)]))
  }

  /// An argument by which both parts of the other one are multiplied, where it is real.
  fileprivate func realFactor(_ name: String) throws -> Graph.ValueID? {
    guard !isComplex(name) else { return nil }
    let value = try value(name, as: outputType)
    return try emitter.unsqueeze(value, [emitter.rank(value)])
  }

  /// The call of an operator that moves elements, or adds them up, on pairs: axes are counted from the front, and shapes
  /// have one extent more.
  fileprivate func onPairs(_ name: String) throws -> Call {
    guard let first = node.inputs.first?.argument.names.first, emitter.complexNames.contains(first),
      let type = graph.tensors[first]
    else { throw OperatorError("its first operand is not complex") }
    let rank = type.sizes.count - 1
    func counted(_ axis: Int, in rank: Int) throws -> Int { try emitter.axis(axis.bounded, rank: rank) }
    var node = node
    var said: Set<String> = []
    for (index, input) in node.inputs.enumerated() {
      said.insert(input.name)
      switch (input.name, input.argument) {
      case ("dim", .int(let axis)), ("dim0", .int(let axis)), ("dim1", .int(let axis)), ("start_dim", .int(let axis)),
        ("end_dim", .int(let axis)):
        let extra = name == "unsqueeze" || name == "stack" ? 1 : 0
        node.inputs[index].argument = .int(try counted(axis, in: rank + extra))
      case ("dim", .integers), ("dims", .integers):
        var axes = try (optionalInts(input.name) ?? []).map { try counted($0, in: rank) }
        if axes.isEmpty, name == "sum" || name == "mean" { axes = Array(0..<rank) }
        if name == "permute" { axes.append(rank) }
        node.inputs[index].argument = .integers(axes.map { .known($0) })
      case ("size", .integers(let sizes)) where name != "unflatten", ("shape", .integers(let sizes)):
        node.inputs[index].argument = .integers(sizes + [.known(2)])
      // From the last axis on.
      case ("pad", .integers(let pads)): node.inputs[index].argument = .integers([.known(0), .known(0)] + pads)
      default: break
      }
    }
    // What means all axes when it is left out.
    let every = TorchArgument.integers((0..<rank).map { .known($0) })
    switch name {
    case "flatten" where !said.contains("end_dim"): node.inputs.append(("end_dim", .int(max(0, rank - 1))))
    case "sum" where !said.contains("dim"), "mean" where !said.contains("dim"): node.inputs.append(("dim", every))
    case "roll" where !said.contains("dims"), "flip" where rank == 0:
      throw OperatorError("complex numbers that are moved across rows are not covered")
    case "fft_fftshift" where !said.contains("dim"), "fft_ifftshift" where !said.contains("dim"):
      node.inputs.append(("dim", every))
    default: break
    }
    return Call(node: node, graph: graph, emitter: emitter)
  }
}

extension Emitter {
  /// The real and the imaginary parts of pairs.
  func parts(_ pairs: Graph.ValueID) throws -> (real: Graph.ValueID, imaginary: Graph.ValueID) {
    let axis = try rank(pairs) - 1
    let parts = try nodes("Split", [pairs], outputs: 2, ["axis": .int(axis), "num_outputs": .int(2)])
    return (try squeeze(parts[0], [axis]), try squeeze(parts[1], [axis]))
  }

  /// Pairs of these parts, in the shape that both repeat to.
  func pair(_ real: Graph.ValueID, _ imaginary: Graph.ValueID) throws -> Graph.ValueID {
    let axis = try rank(real)
    return try node("Concat", [unsqueeze(real, [axis]), unsqueeze(imaginary, [axis])], ["axis": .int(axis)])
  }

  /// Pairs of these sizes and angles.
  func pair(size: Graph.ValueID, angle: Graph.ValueID) throws -> Graph.ValueID {
    try pair(node("Mul", [size, node("Cos", [angle])]), node("Mul", [size, node("Sin", [angle])]))
  }
}
