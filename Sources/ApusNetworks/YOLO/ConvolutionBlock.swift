import Apus

/// Convolution, batch normalisation and SiLU: the unit all these networks are made of.
///
/// The normalisation is folded into the convolution, the activation applied while its output is in the cache.
struct ConvolutionBlock<Scalar: FloatingPointScalar>: Sendable {
  private let convolution: Conv2d<Scalar>
  private let activation: Activation

  /// Reads `conv` and `bn`, or `conv` alone where they were folded before. Padding keeps the size at stride 1.
  init(
    _ weights: Weights, _ inputs: Int, _ outputs: Int, kernel: Int = 1, stride: Int = 1, padding: Int? = nil,
    groups: Int = 1, activation: Activation = .silu
  ) throws {
    let padding = padding ?? kernel / 2
    convolution = try Conv2d(
      weights["conv"], foldingBatchNorm: weights["bn"], inputs: inputs, outputs: outputs,
      kernel: Size2D(height: kernel, width: kernel), stride: Size2D(height: stride, width: stride),
      padding: Padding2D(height: padding, width: padding), groups: groups, epsilon: 1e-3)
    self.activation = activation
  }

  func callAsFunction(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try convolution(x, activation: activation)
  }
}

/// Two convolutions, around which the input may pass.
struct YOLOBottleneck<Scalar: FloatingPointScalar>: Sendable {
  private let cv1: ConvolutionBlock<Scalar>
  private let cv2: ConvolutionBlock<Scalar>
  private let shortcut: Bool

  /// - Parameter kernels: those of the two convolutions.
  init(
    _ weights: Weights, _ channels: Int, hidden: Int, kernels: (Int, Int) = (3, 3), shortcut: Bool = true
  ) throws {
    cv1 = try ConvolutionBlock(weights["cv1"], channels, hidden, kernel: kernels.0)
    cv2 = try ConvolutionBlock(weights["cv2"], hidden, channels, kernel: kernels.1)
    self.shortcut = shortcut
  }

  func callAsFunction(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    let y = try cv2(cv1(x))
    return shortcut ? try x + y : y
  }
}
