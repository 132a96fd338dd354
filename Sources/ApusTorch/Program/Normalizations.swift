import Apus
import ApusGraph

// Numbers brought to a mean and a spread.

extension ProgramBuilder {
  static let normalizations: [String: Lowering] = {
    var result: [String: Lowering] = [:]
    for name in [
      "batch_norm", "native_batch_norm", "_native_batch_norm_legit", "_native_batch_norm_legit_no_training",
      "cudnn_batch_norm",
    ] {
      result[name] = { call in
        let isTraining =
          try call.bool("training") || call.bool("train") || !call.has("running_mean")
        if isTraining { return try batchStatistics(call).map { $0 } + [nil] }
        // What is kept for training is nothing here.
        let rest = try (1..<max(1, call.node.outputs.flatMap(\.names).count)).map { _ in
          try call.emitter.numbers(0, [0], as: call.outputType)
        }
        return [try batchNorm(call)] + rest
      }
    }
    result["instance_norm"] = { call in
      guard try call.bool("use_input_stats", default: true) else { return [try batchNorm(call)] }
      let e = call.emitter
      let x = try call.value("input")
      return [
        try e.node(
          "InstanceNormalization",
          [x, call.channelWeight("weight", of: x, or: 1), call.channelWeight("bias", of: x, or: 0)],
          ["epsilon": .number(call.double("eps", default: 1e-5))])
      ]
    }
    for (name, groups) in [("group_norm", "num_groups"), ("native_group_norm", "group")] {
      result[name] = { call in
        let e = call.emitter
        let x = try call.value("input")
        // The standard's has axes behind the channels.
        let isFlat = try e.rank(x) == 2
        let result = try e.node(
          "GroupNormalization",
          [
            isFlat ? e.unsqueeze(x, [2]) : x, call.channelWeight("weight", of: x, or: 1),
            call.channelWeight("bias", of: x, or: 0),
          ],
          ["num_groups": .int(call.int(groups)), "epsilon": .number(call.double("eps", default: 1e-5))])
        let normalized = isFlat ? try e.squeeze(result, [2]) : result
        guard name == "native_group_norm" else { return [normalized] }
        return [normalized] + (try groupStatistics(call, x, groups: call.int(groups)))
      }
    }
    result["layer_norm"] = { call in try layerNorm(call, outputs: 1) }
    result["native_layer_norm"] = { call in try layerNorm(call, outputs: 3) }
    for name in ["rms_norm", "_fused_rms_norm"] {
      result[name] = { call in
        let e = call.emitter
        let x = try call.value("input")
        let shape = try call.extents("normalized_shape")
        // PyTorch's default is the smallest step of the type that it adds up in.
        let least = try call.outputType.summed == .double ? 0x1p-52 : 0x1p-23
        return [
          try e.node(
            "RMSNormalization", [x, call.weight("weight", shape, or: 1)],
            ["axis": .int(-shape.count), "epsilon": .number(call.double("eps", default: least))]), nil,
        ]
      }
    }
    // v · g / ‖v‖, a norm for each place along an axis, or for all.
    for name in ["_weight_norm", "_weight_norm_interface"] {
      result[name] = { call in
        let e = call.emitter
        let (v, out) = (try call.value("v"), try call.outputType)
        let axis = try call.int("dim", default: 0)
        let others = try axis == -1 ? nil : (0..<e.rank(v)).filter { $0 != axis }
        let norm = try e.norm(v, 2, axes: others, keeps: axis != -1, as: out)
        return [try e.node("Mul", [v, e.node("Div", [call.value("g"), norm])]), norm]
      }
    }
    return result
  }()

  private static func layerNorm(_ call: Call, outputs: Int) throws -> [Graph.ValueID] {
    let shape = try call.extents("normalized_shape")
    return try call.emitter.nodes(
      "LayerNormalization",
      [call.value("input"), call.weight("weight", shape, or: 1), call.optional("bias")], outputs: outputs,
      ["axis": .int(-shape.count), "epsilon": .number(call.double("eps", default: 1e-5))])
  }

  /// By the mean and the variance that training has left.
  private static func batchNorm(_ call: Call) throws -> Graph.ValueID {
    let e = call.emitter
    let mean = try call.value("running_mean")
    // One for each channel, of which there may be as many as the run says: so are instances normalized.
    func weight(_ name: String, or value: Double) throws -> Graph.ValueID {
      if e.knownShape(mean) != nil { return try call.weight(name, call.knownShape(mean), or: value) }
      return try call.optional(name) ?? e.expand(e.numbers(value, as: call.outputType), e.node("Shape", [mean]))
    }
    return try e.node(
      "BatchNormalization",
      [call.value("input"), weight("weight", or: 1), weight("bias", or: 0), mean, call.value("running_var")],
      ["epsilon": .number(call.double("eps", default: 1e-5))])
  }

  /// By the mean and the variance of the batch itself, which are given too: the mean, and one over the spread.
  private static func batchStatistics(_ call: Call) throws -> [Graph.ValueID] {
    let e = call.emitter
    let out = try call.outputType
    let type = out.summed
    let x = try call.value("input", as: type)
    let axes = [0] + Array(2..<max(2, try e.rank(x)))
    let mean = try e.reduce("ReduceMean", x, axes: axes, keeps: true, as: type)
    let variance = try e.variance(x, mean, axes: axes, keeps: true, correction: 0, as: type)
    let spread = try e.node(
      "Sqrt", [e.node("Add", [variance, e.numbers(call.double("eps", default: 1e-5), as: type)])])
    var result = try e.node("Div", [e.node("Sub", [x, mean]), spread])
    let behind = Array(1..<max(1, axes.count))
    for (name, operation) in [("weight", "Mul"), ("bias", "Add")] {
      guard let factor = try call.optional(name, as: type) else { continue }
      result = try e.node(operation, [result, behind.isEmpty ? factor : e.unsqueeze(factor, behind)])
    }
    return [
      try e.cast(result, to: out), try call.kept(e.squeeze(mean, axes), 1),
      try call.kept(e.squeeze(e.node("Reciprocal", [spread]), axes), 2),
    ]
  }

  /// The mean of each group, and one over its spread.
  private static func groupStatistics(_ call: Call, _ x: Graph.ValueID, groups: Int) throws -> [Graph.ValueID] {
    let e = call.emitter
    let type = try call.outputType.summed
    let rows = try e.node("Reshape", [e.cast(x, to: type), e.integers([0, groups, -1])])
    let mean = try e.reduce("ReduceMean", rows, axes: [2], keeps: true, as: type)
    let variance = try e.variance(rows, mean, axes: [2], keeps: false, correction: 0, as: type)
    let least = try e.numbers(call.double("eps", default: 1e-5), as: type)
    let spread = try e.node("Sqrt", [e.node("Add", [variance, least])])
    return [try call.kept(e.squeeze(mean, [2]), 1), try call.kept(e.node("Reciprocal", [spread]), 2)]
  }
}

extension Call {
  /// A weight of each channel, which are the second axis, or as many times what it is where it is left out.
  fileprivate func channelWeight(_ name: String, of x: Graph.ValueID, or value: Double) throws -> Graph.ValueID {
    try weight(name, [emitter.extent(x, 1)], or: value)
  }

  /// What is given beside the numbers, as the program says that output `index` is.
  fileprivate func kept(_ id: Graph.ValueID, _ index: Int) throws -> Graph.ValueID {
    guard let type = try? output(index).elementType else { return id }
    return try emitter.cast(id, to: type)
  }

  /// A weight, or as many times what it is where it is left out.
  fileprivate func weight(_ name: String, _ shape: [Int], or value: Double) throws -> Graph.ValueID {
    if let weight = try optional(name) { return weight }
    try Apus.Shape.checkMemory(shape, of: Double.self, operation: "weight")
    return try emitter.numbers(value, shape, as: outputType)
  }

  fileprivate func weight(_ name: String, _ shape: [GraphExtent], or value: Double) throws -> Graph.ValueID {
    let known = shape.compactMap { if case .known(let size) = $0 { size } else { nil } }
    if known.count == shape.count { return try weight(name, known, or: value) }
    return try optional(name) ?? emitter.expand(emitter.numbers(value, as: outputType), emitter.list(shape))
  }
}
