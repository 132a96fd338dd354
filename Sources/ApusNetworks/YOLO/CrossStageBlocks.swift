import Apus

// Cross-stage partial blocks: a part of the channels goes through bottlenecks, the rest around them.

/// Two paths, one of them through bottlenecks: the block of v5.
struct C3<Scalar: FloatingPointScalar>: Sendable {
  private let cv1: ConvolutionBlock<Scalar>
  private let cv2: ConvolutionBlock<Scalar>
  private let cv3: ConvolutionBlock<Scalar>
  private let m: [YOLOBottleneck<Scalar>]

  init(
    _ weights: Weights, _ inputs: Int, _ outputs: Int, count: Int, shortcut: Bool = true, kernels: (Int, Int) = (1, 3)
  ) throws {
    let hidden = outputs / 2
    cv1 = try ConvolutionBlock(weights["cv1"], inputs, hidden)
    cv2 = try ConvolutionBlock(weights["cv2"], inputs, hidden)
    cv3 = try ConvolutionBlock(weights["cv3"], 2 * hidden, outputs)
    m = try (0..<count).map {
      try YOLOBottleneck(weights["m"][$0], hidden, hidden: hidden, kernels: kernels, shortcut: shortcut)
    }
  }

  func callAsFunction(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try cv3(paths(of: x))
  }

  private func paths(of x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    var y = try cv1(x)
    for bottleneck in m { y = try bottleneck(y) }
    return try concatenate([y, cv2(x)], axis: 1)
  }
}

/// Half of the channels go through the blocks, and what each of these gives takes part in the end: C2f of v8, and C3k2
/// of 11.
struct C2f<Scalar: FloatingPointScalar>: Sendable {
  private enum Block: Sendable {
    case bottleneck(YOLOBottleneck<Scalar>)
    case c3(C3<Scalar>)

    func callAsFunction(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
      switch self {
      case .bottleneck(let block): try block(x)
      case .c3(let block): try block(x)
      }
    }
  }

  private let cv1: ConvolutionBlock<Scalar>
  private let cv2: ConvolutionBlock<Scalar>
  private let m: [Block]
  private let hidden: Int

  private init(_ weights: Weights, _ inputs: Int, _ outputs: Int, hidden: Int, blocks: [Block]) throws {
    cv1 = try ConvolutionBlock(weights["cv1"], inputs, 2 * hidden)
    cv2 = try ConvolutionBlock(weights["cv2"], (2 + blocks.count) * hidden, outputs)
    m = blocks
    self.hidden = hidden
  }

  /// As v8 has it.
  init(_ weights: Weights, _ inputs: Int, _ outputs: Int, count: Int, shortcut: Bool) throws {
    let hidden = outputs / 2
    try self.init(
      weights, inputs, outputs, hidden: hidden,
      blocks: (0..<count).map {
        .bottleneck(try YOLOBottleneck(weights["m"][$0], hidden, hidden: hidden, shortcut: shortcut))
      })
  }

  /// C3k2: bottlenecks of half the channels or, when `isDeep`, a C3 of two bottlenecks each.
  init(
    c3k2 weights: Weights, _ inputs: Int, _ outputs: Int, count: Int, isDeep: Bool, ratio: Double = 0.5
  ) throws {
    let hidden = Int(Double(outputs) * ratio)
    try self.init(
      weights, inputs, outputs, hidden: hidden,
      blocks: (0..<count).map {
        isDeep
          ? .c3(try C3(weights["m"][$0], hidden, hidden, count: 2, kernels: (3, 3)))
          : .bottleneck(try YOLOBottleneck(weights["m"][$0], hidden, hidden: hidden / 2))
      })
  }

  func callAsFunction(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try cv2(parts(of: cv1(x)))
  }

  private func parts(of halves: Tensor<Scalar>) throws -> Tensor<Scalar> {
    var parts = [halves]
    var last = try halves.sliced(axis: 1, from: hidden)
    for block in m {
      last = try block(last)
      parts.append(last)
    }
    return try concatenate(parts, axis: 1)
  }
}

/// Maxima over windows of 5, 9 and 13 positions beside the map itself: spatial pyramid pooling, the fast way.
struct SPPF<Scalar: FloatingPointScalar>: Sendable {
  private let cv1: ConvolutionBlock<Scalar>
  private let cv2: ConvolutionBlock<Scalar>

  init(_ weights: Weights, _ channels: Int) throws {
    cv1 = try ConvolutionBlock(weights["cv1"], channels, channels / 2)
    cv2 = try ConvolutionBlock(weights["cv2"], channels / 2 * 4, channels)
  }

  func callAsFunction(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try cv2(pyramid(cv1(x)))
  }

  private func pyramid(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    let five = try maxPool2d(x, kernel: 5, stride: 1, padding: 2)
    let nine = try maxPool2d(five, kernel: 5, stride: 1, padding: 2)
    let thirteen = try maxPool2d(nine, kernel: 5, stride: 1, padding: 2)
    return try concatenate([x, five, nine, thirteen], axis: 1)
  }
}
