import Apus

/// Convolutions of every kind, from row-major maps to row-major maps, and chains of them.
///
/// A single convolution converts its input to channel blocks and its result back, as ONNX Runtime does; a chain of four
/// shows what a convolution costs inside a network, where maps stay as they are.
func convolutionWorkloads() -> [Workload] {
  (ConvolutionCase.planar + ConvolutionCase.chains + ConvolutionCase.linear).map(\.workload)
}

private struct ConvolutionCase {
  var group = "conv2d"
  let label: String
  let inputs: Int
  let outputs: Int
  /// One extent for one-dimensional convolution, two for two.
  let size: [Int]
  let kernel: [Int]
  var stride = 1
  var padding = 0
  var dilation = 1
  var groups = 1
  /// How many of it follow each other.
  var count = 1

  static let planar: [ConvolutionCase] = [
    square("3x3-32", 32, 80), square("3x3-64", 64, 80), square("3x3-64-small", 64, 40), square("3x3-128", 128, 40),
    square("3x3-256", 256, 20), square("3x3-256-small", 256, 14),
    ConvolutionCase(
      label: "3x3-s2-64-128", inputs: 64, outputs: 128, size: [80, 80], kernel: [3, 3], stride: 2, padding: 1),
    ConvolutionCase(
      label: "3x3-s2-128-256", inputs: 128, outputs: 256, size: [40, 40], kernel: [3, 3], stride: 2, padding: 1),
    ConvolutionCase(label: "1x1-64", inputs: 64, outputs: 64, size: [80, 80], kernel: [1, 1]),
    ConvolutionCase(label: "1x1-128-256", inputs: 128, outputs: 256, size: [40, 40], kernel: [1, 1]),
    ConvolutionCase(label: "1x1-512", inputs: 512, outputs: 512, size: [20, 20], kernel: [1, 1]),
    ConvolutionCase(label: "1x1-320-1280", inputs: 320, outputs: 1280, size: [7, 7], kernel: [1, 1]),
    ConvolutionCase(
      label: "depthwise-3x3-96", inputs: 96, outputs: 96, size: [56, 56], kernel: [3, 3], padding: 1, groups: 96),
    ConvolutionCase(
      label: "depthwise-3x3-s2-144", inputs: 144, outputs: 144, size: [56, 56], kernel: [3, 3], stride: 2, padding: 1,
      groups: 144),
    ConvolutionCase(
      label: "depthwise-5x5-240", inputs: 240, outputs: 240, size: [28, 28], kernel: [5, 5], padding: 2, groups: 240),
    ConvolutionCase(
      label: "depthwise-3x3-4", inputs: 4, outputs: 4, size: [112, 112], kernel: [3, 3], padding: 1, groups: 4),
    ConvolutionCase(
      label: "depthwise-7x7-s2-64-128", inputs: 64, outputs: 128, size: [64, 64], kernel: [7, 7], stride: 2, padding: 3,
      groups: 64),
    ConvolutionCase(
      label: "depthwise-3x3-32-128", inputs: 32, outputs: 128, size: [28, 28], kernel: [3, 3], padding: 1, groups: 32),
    ConvolutionCase(
      label: "grouped-3x3-48", inputs: 48, outputs: 48, size: [28, 28], kernel: [3, 3], padding: 1, groups: 2),
    ConvolutionCase(
      label: "grouped-3x3-15", inputs: 15, outputs: 15, size: [28, 28], kernel: [3, 3], padding: 1, groups: 5),
    ConvolutionCase(
      label: "grouped-3x3-128", inputs: 128, outputs: 128, size: [28, 28], kernel: [3, 3], padding: 1, groups: 4),
    ConvolutionCase(
      label: "dilated-3x3-64", inputs: 64, outputs: 64, size: [40, 40], kernel: [3, 3], padding: 2, dilation: 2),
    ConvolutionCase(
      label: "dilated-3x3-320-256", inputs: 320, outputs: 256, size: [16, 16], kernel: [3, 3], padding: 24, dilation: 24
    ),
    ConvolutionCase(
      label: "few-3x3-3-4", inputs: 3, outputs: 4, size: [112, 112], kernel: [3, 3], padding: 1),
    ConvolutionCase(
      label: "first-3x3-s2-3-16", inputs: 3, outputs: 16, size: [320, 320], kernel: [3, 3], stride: 2, padding: 1),
    ConvolutionCase(
      label: "first-7x7-s2-3-64", inputs: 3, outputs: 64, size: [224, 224], kernel: [7, 7], stride: 2, padding: 3),
  ]

  static let chains: [ConvolutionCase] = planar[..<6].filter { !$0.label.hasSuffix("small") }.map {
    var chain = $0
    chain.group = "conv2d-chain"
    chain.count = 4
    return chain
  }

  /// The behaviour classifier's.
  static let linear: [ConvolutionCase] = [
    ConvolutionCase(group: "conv1d", label: "7-48-64", inputs: 48, outputs: 64, size: [100], kernel: [7], padding: 3),
    ConvolutionCase(
      group: "conv1d", label: "5-s2-64-128", inputs: 64, outputs: 128, size: [100], kernel: [5], stride: 2, padding: 2),
    ConvolutionCase(
      group: "conv1d", label: "3-s2-128-256", inputs: 128, outputs: 256, size: [50], kernel: [3], stride: 2,
      padding: 1),
  ]

  private static func square(_ label: String, _ channels: Int, _ size: Int) -> ConvolutionCase {
    ConvolutionCase(
      label: label, inputs: channels, outputs: channels, size: [size, size], kernel: [3, 3], padding: 1)
  }
}

extension ConvolutionCase {
  private var input: Operand { Operand([1, inputs] + size, seed: 1) }
  private var weight: Operand {
    let terms = inputs / groups * kernel.reduce(1, *)
    return Operand(weights: [outputs, inputs / groups] + kernel, seed: 2, terms: terms)
  }
  private var bias: Operand { Operand([outputs], seed: 3) }

  var workload: Workload {
    let outputSize = zip(size, kernel).map { size, kernel in
      (size + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1
    }
    let terms = Double(inputs / groups * kernel.reduce(1, *))
    let operations = 2 * terms * Double(outputs * outputSize.reduce(1, *) * count)
    let node = Twin.Node(
      op: "Conv", parameters: [weight, bias],
      integers: [
        "strides": kernel.map { _ in stride }, "dilations": kernel.map { _ in dilation }, "group": [groups],
        "pads": (kernel + kernel).map { _ in padding },
      ])
    let maps = "\(([inputs] + size).joined("×")) → \(([outputs] + outputSize).joined("×"))"
    return Workload(
      name: "\(group)/\(label)", shape: count > 1 ? "\(count) × \(maps)" : maps, cost: .operations(operations),
      twin: Twin(input: input, nodes: Array(repeating: node, count: count)), prepare: prepare)
  }

  private func prepare() throws -> Workload.Body {
    let (x, w, b) = (try input.tensor(), try weight.tensor(), try bias.tensor())
    let count = count
    if kernel.count == 1 {
      let layer = try Conv1d(
        weight: w, bias: b, stride: stride, padding: padding, dilation: dilation, groups: groups)
      return { try layer(x, layout: .rowMajor) }
    }
    let layer = try Conv2d(
      weight: w, bias: b, stride: Size2D(integerLiteral: stride), padding: Padding2D(integerLiteral: padding),
      dilation: Size2D(integerLiteral: dilation), groups: groups)
    return {
      var y = x
      for _ in 1..<count { y = try layer(y) }
      return try layer(y, layout: .rowMajor)
    }
  }
}

extension [Int] {
  func joined(_ separator: String) -> String { map(String.init).joined(separator: separator) }
}
