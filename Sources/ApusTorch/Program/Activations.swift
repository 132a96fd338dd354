import Apus
import ApusGraph

// What networks put between their layers.

extension ProgramBuilder {
  static let activations: [String: Lowering] = {
    var result: [String: Lowering] = [:]
    for (name, type) in [
      ("relu", "Relu"), ("silu", "Swish"), ("mish", "Mish"), ("hardswish", "HardSwish"), ("selu", "Selu"),
      ("softsign", "Softsign"),
    ] {
      result[name] = { call in [try call.emitter.node(type, [call.x])] }
    }
    result["relu6"] = { call in [try call.emitter.clipped(call.x, 0, 6, as: call.outputType)] }
    result["hardtanh"] = { call in
      [
        try call.emitter.clipped(
          call.x, call.double("min_val", default: -1), call.double("max_val", default: 1), as: call.outputType)
      ]
    }
    result["hardsigmoid"] = { call in
      let e = call.emitter
      let type = try call.outputType
      let shifted = try e.clipped(e.node("Add", [call.x, e.number(3, as: type)]), 0, 6, as: type)
      return [try e.node("Div", [shifted, e.number(6, as: type)])]
    }
    result["leaky_relu"] = { call in
      [
        try call.emitter.node(
          "LeakyRelu", [call.x], ["alpha": .number(call.double("negative_slope", default: 0.01))])
      ]
    }
    // The mean slope of what is drawn in training.
    result["rrelu"] = { call in
      guard try !call.bool("training") else {
        throw OperatorError.choosesByChance("its slopes are chosen")
      }
      let slope = try (call.double("lower", default: 0.125) + call.double("upper", default: 1.0 / 3)) / 2
      return [try call.emitter.node("LeakyRelu", [call.x], ["alpha": .number(slope)])]
    }
    result["elu"] = { call in
      let e = call.emitter
      let type = try call.outputType
      let x = try call.x
      let inner = try call.double("input_scale", default: 1)
      let outer = try call.double("scale", default: 1)
      let alpha: [String: AttributeValue] = ["alpha": .number(try call.double("alpha", default: 1))]
      if inner == 1, outer == 1 { return [try e.node("Elu", [x], alpha)] }
      let scaled = try e.node("Elu", [e.node("Mul", [x, e.numbers(inner, as: type)])], alpha)
      let isPositive = try e.node("Greater", [x, e.number(0, as: type)])
      return [try e.node("Mul", [e.node("Where", [isPositive, x, scaled]), e.numbers(outer, as: type)])]
    }
    result["celu"] = { call in
      [try call.emitter.node("Celu", [call.x], ["alpha": .number(call.double("alpha", default: 1))])]
    }
    result["gelu"] = { call in
      [
        try call.emitter.node(
          "Gelu", [call.x], ["approximate": .text(call.string("approximate", default: "none"))])
      ]
    }
    // log(1 + exp(βx)) / β, and x from the threshold on.
    result["softplus"] = { call in
      let e = call.emitter
      let type = try call.outputType
      let x = try call.x
      let beta = try call.double("beta", default: 1)
      let scaled = beta == 1 ? x : try e.node("Mul", [x, e.numbers(beta, as: type)])
      let soft = try e.node("Softplus", [scaled])
      let result = beta == 1 ? soft : try e.node("Div", [soft, e.numbers(beta, as: type)])
      let isBeyond = try e.node("Greater", [scaled, e.numbers(call.double("threshold", default: 20), as: type)])
      return [try e.node("Where", [isBeyond, x, result])]
    }
    result["softshrink"] = { call in
      let e = call.emitter
      let (x, most) = (try call.x, try call.double("lambd", default: 0.5))
      return [try e.node("Sub", [x, e.clipped(x, -most, most, as: call.outputType)])]
    }
    result["hardshrink"] = { call in
      let e = call.emitter
      let (x, type) = (try call.x, try call.outputType)
      let most = try e.numbers(call.double("lambd", default: 0.5), as: type)
      return [try e.node("Where", [e.node("LessOrEqual", [e.node("Abs", [x]), most]), e.number(0, as: type), x])]
    }
    result["tanhshrink"] = { call in
      let x = try call.x
      return [try call.emitter.node("Sub", [x, call.emitter.node("Tanh", [x])])]
    }
    result["threshold"] = { call in
      let e = call.emitter
      let type = try call.outputType
      let x = try call.x
      // NaN stays.
      let isReplaced = try e.node("LessOrEqual", [x, call.value("threshold", as: type)])
      return [try e.node("Where", [isReplaced, call.value("value", as: type), x])]
    }
    result["log_sigmoid"] = { call in
      let e = call.emitter
      return [try e.node("Neg", [e.node("Softplus", [e.node("Neg", [call.x])])])]
    }
    result["log_sigmoid_forward"] = { call in
      let e = call.emitter
      return [try e.node("Neg", [e.node("Softplus", [e.node("Neg", [call.x])])]), nil]
    }
    result["logsigmoid"] = result["log_sigmoid"]
    result["glu"] = { call in
      let e = call.emitter
      let x = try call.x
      let halves = try e.nodes(
        "Split", [x], outputs: 2, ["axis": .int(call.axis(default: -1, of: x)), "num_outputs": .int(2)])
      return [try e.node("Mul", [halves[0], e.node("Sigmoid", [halves[1]])])]
    }
    for name in ["prelu", "_prelu_kernel"] {
      result[name] = { call in
        let e = call.emitter
        let (x, weight) = (try call.x, try call.value("weight"))
        let rank = try e.rank(x)
        guard try e.rank(weight) == 1, rank > 2, name == "prelu" else {
          return [try e.node("PRelu", [x, weight])]
        }
        // A slope for each channel, which is the second axis.
        return [try e.node("PRelu", [x, e.unsqueeze(weight, Array(1..<(rank - 1)))])]
      }
    }
    for (name, type) in [
      ("softmax", "Softmax"), ("_softmax", "Softmax"), ("log_softmax", "LogSoftmax"), ("_log_softmax", "LogSoftmax"),
      ("special_softmax", "Softmax"), ("special_log_softmax", "LogSoftmax"), ("_safe_softmax", "Softmax"),
    ] {
      result[name] = { call in
        let e = call.emitter
        let x = try call.value(as: call.outputType)
        guard try e.rank(x) > 0 else {
          let row = try e.node(type, [e.unsqueeze(x, [0])], ["axis": .int(0)])
          return [try e.squeeze(row, [0])]
        }
        if name == "_safe_softmax" { return [try e.maskedSoftmax(x, axis: call.axis(of: x), as: call.outputType)] }
        return [try e.node(type, [x], ["axis": .int(call.axis(of: x))])]
      }
    }
    return result
  }()
}

extension Emitter {
  /// Shares of what is not masked with −∞: where everything is, nothing is attended to.
  func maskedSoftmax(_ x: Graph.ValueID, axis: Int, as type: ElementType) throws -> Graph.ValueID {
    let soft = try node("Softmax", [x], ["axis": .int(axis)])
    let most = try reduce("ReduceMax", x, axes: [axis], keeps: true, as: type)
    let isMasked = try node("Equal", [most, numbers(-.infinity, as: type)])
    return try node("Where", [isMasked, number(0, as: type), soft])
  }

  /// The value within bounds.
  func clipped(_ x: Graph.ValueID, _ least: Double, _ most: Double, as type: ElementType) throws -> Graph.ValueID {
    try node("Clip", [x, numbers(least, as: type), numbers(most, as: type)])
  }
}
