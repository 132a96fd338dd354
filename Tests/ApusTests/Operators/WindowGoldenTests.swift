import Testing

@testable import Apus

/// Products, convolution, pooling and resize against PyTorch.
@Suite struct WindowGoldenTests {
  @Test(arguments: GoldenCase.all(in: "linear"))
  func linearAndMatmul(golden: GoldenCase) throws {
    func evaluate<S: FloatingPointScalar>(_ inputs: GoldenInputs<S>) throws -> Tensor<S> {
      if golden.name.hasPrefix("matmul") { return try matmul(inputs["a"], inputs["b"]) }
      return try linear(inputs["x"], weight: inputs["weight"], bias: inputs.optional("bias"))
    }
    for usesBLAS in [true, false] {
      try Execution.with(usesBLAS: usesBLAS) { try golden.check(evaluate, evaluate) }
    }
  }

  @Test(arguments: GoldenCase.all(in: "convolution"))
  func convolution(golden: GoldenCase) throws {
    func evaluate<S: FloatingPointScalar>(_ inputs: GoldenInputs<S>) throws -> Tensor<S> {
      let a = inputs.attributes
      let (x, weight, bias) = (try inputs["x"], try inputs["weight"], try inputs.optional("bias"))
      let groups = a.has("groups") ? try a.int("groups") : 1
      let isTransposed = golden.name.hasPrefix("convTranspose")
      if x.rank == 3 {
        let (stride, padding, dilation) = try (a.one("stride", 1), a.one("padding", 0), a.one("dilation", 1))
        return isTransposed
          ? try convTranspose1d(
            x, weight: weight, bias: bias, stride: stride, padding: padding, outputPadding: a.one("outputPadding", 0),
            groups: groups, dilation: dilation)
          : try conv1d(
            x, weight: weight, bias: bias, stride: stride, padding: padding, dilation: dilation, groups: groups)
      }
      let (stride, padding, dilation) = try (a.pair("stride", 1), a.pair("padding", 0), a.pair("dilation", 1))
      let around = Padding2D(height: padding.height, width: padding.width)
      return isTransposed
        ? try convTranspose2d(
          x, weight: weight, bias: bias, stride: stride, padding: around, outputPadding: a.pair("outputPadding", 0),
          groups: groups, dilation: dilation)
        : try conv2d(
          x, weight: weight, bias: bias, stride: stride, padding: around, dilation: dilation, groups: groups)
    }
    try golden.check(evaluate, evaluate)
  }

  @Test(arguments: GoldenCase.all(in: "pooling"))
  func pooling(golden: GoldenCase) throws {
    let a = golden.attributes
    func evaluate<S: FloatingPointScalar>(_ x: Tensor<S>) throws -> Tensor<S> {
      let ceilMode = a.has("ceilMode") ? try a.bool("ceilMode") : false
      let countIncludePad = a.has("countIncludePad") ? try a.bool("countIncludePad") : true
      switch golden.name.prefix(while: { $0 != "." }) {
      case "maxPool1d":
        return try maxPool1d(
          x, kernel: a.one("kernel", 1), stride: a.optionalOne("stride"), padding: a.one("padding", 0),
          dilation: a.one("dilation", 1), ceilMode: ceilMode)
      case "maxPool2d":
        let padding = try a.pair("padding", 0)
        return try maxPool2d(
          x, kernel: a.pair("kernel", 1), stride: a.has("stride") ? a.pair("stride", 1) : nil,
          padding: Padding2D(height: padding.height, width: padding.width), dilation: a.pair("dilation", 1),
          ceilMode: ceilMode)
      case "averagePool1d":
        return try averagePool1d(
          x, kernel: a.one("kernel", 1), stride: a.optionalOne("stride"), padding: a.one("padding", 0),
          ceilMode: ceilMode, countIncludePad: countIncludePad)
      case "averagePool2d":
        let padding = try a.pair("padding", 0)
        return try averagePool2d(
          x, kernel: a.pair("kernel", 1), stride: a.has("stride") ? a.pair("stride", 1) : nil,
          padding: Padding2D(height: padding.height, width: padding.width), ceilMode: ceilMode,
          countIncludePad: countIncludePad)
      case "adaptiveMaxPool1d": return try adaptiveMaxPool1d(x, output: a.one("output", 1))
      case "adaptiveMaxPool2d": return try adaptiveMaxPool2d(x, output: a.pair("output", 1))
      case "adaptiveAveragePool1d": return try adaptiveAveragePool1d(x, output: a.one("output", 1))
      case "adaptiveAveragePool2d": return try adaptiveAveragePool2d(x, output: a.pair("output", 1))
      default: throw GoldenError.missing("operator \(golden.name)")
      }
    }
    try golden.check({ try evaluate($0["x"]) }, { try evaluate($0["x"]) })
    try golden.check({ try evaluate($0["x"].channelBlocked) }, { try evaluate($0["x"]) })
  }

  @Test(arguments: GoldenCase.all(in: "resize"))
  func resize(golden: GoldenCase) throws {
    func evaluate<S: FloatingPointScalar>(_ inputs: GoldenInputs<S>) throws -> Tensor<S> {
      let a = inputs.attributes
      let mode: InterpolationMode =
        golden.name.hasPrefix("nearest") ? .nearest : .linear(alignCorners: try a.bool("alignCorners"))
      if a.has("size") { return try interpolate(inputs["x"], size: a.ints("size"), mode: mode) }
      let scale = try ["scaleHeight", "scaleWidth"].filter(a.has).map(a.double)
      return try interpolate(inputs["x"], scale: scale, mode: mode)
    }
    try golden.check(evaluate, evaluate)
  }
}

extension GoldenAttributes {
  func one(_ name: String, _ standard: Int) throws -> Int {
    has(name) ? try ints(name)[0] : standard
  }

  func optionalOne(_ name: String) throws -> Int? {
    has(name) ? try ints(name)[0] : nil
  }

  func pair(_ name: String, _ standard: Size2D) throws -> Size2D {
    guard has(name) else { return standard }
    let values = try ints(name)
    return Size2D(height: values[0], width: values[1])
  }
}
