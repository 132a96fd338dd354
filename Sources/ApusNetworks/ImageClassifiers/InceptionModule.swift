import Apus

/// Several ways through the same map, side by side; what they give is concatenated along the channels.
struct InceptionModule<Scalar: FloatingPointScalar>: Sendable {
  /// Channels of all branches together.
  let outputs: Int
  private let branches: [Branch]

  /// - Parameters:
  ///   - weights: the module's scope; every convolution has a scope of its own, with `conv` and `bn` in it.
  ///   - branches: what to build.
  init(_ weights: Weights, inputs: Int, branches plans: [InceptionPlan.Branch]) throws {
    var outputs = 0
    branches = try plans.map { plan in
      var channels = inputs
      let steps = try plan.steps.map { step -> Step in
        switch step {
        case .averagePool: return .averagePool
        case .maxPool: return .maxPool
        case .convolution(let convolution):
          let result = try convolution.build(weights, inputs: channels, as: Scalar.self)
          channels = convolution.outputs
          return .convolution(result)
        case .fork(let ways):
          let results = try ways.map { try $0.build(weights, inputs: channels, as: Scalar.self) }
          channels = ways.reduce(0) { $0 + $1.outputs }
          return .fork(results)
        }
      }
      outputs += channels
      return Branch(steps: steps)
    }
    self.outputs = outputs
  }

  func callAsFunction(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try concatenate(branches.flatMap { try $0(x) }, axis: 1)
  }
}

extension InceptionModule {
  private enum Step: Sendable {
    /// The mean of 3 × 3 places, one output for each.
    case averagePool
    /// The greatest of 3 × 3 places, at every second one.
    case maxPool
    case convolution(ConvNormActivation<Scalar>)
    /// Several convolutions of the same map; ends a branch.
    case fork([ConvNormActivation<Scalar>])
  }

  private struct Branch: Sendable {
    let steps: [Step]

    /// - Returns: one map, or those of the fork at its end.
    func callAsFunction(_ input: Tensor<Scalar>) throws -> [Tensor<Scalar>] {
      var x = input
      for step in steps {
        switch step {
        case .averagePool: x = try averagePool2d(x, kernel: 3, stride: 1, padding: 1)
        case .maxPool: x = try maxPool2d(x, kernel: 3, stride: 2)
        case .convolution(let convolution): x = try convolution(x)
        case .fork(let ways): return try ways.map { try $0(x) }
        }
      }
      return [x]
    }
  }
}

extension InceptionPlan.Convolution {
  fileprivate func build<Scalar>(
    _ weights: Weights, inputs: Int, as type: Scalar.Type
  ) throws -> ConvNormActivation<Scalar> {
    try ConvNormActivation(
      inception: weights[name], inputs: inputs, outputs: outputs, kernel: kernel, stride: stride,
      padding: stride == 1 ? .same(kernel) : 0)
  }
}

extension ConvNormActivation {
  /// `conv` and `bn` of a scope, and ReLU: what this network calls a convolution.
  init(
    inception weights: Weights, inputs: Int, outputs: Int, kernel: Size2D, stride: Size2D, padding: Padding2D
  ) throws {
    try self.init(
      weights["conv"], weights["bn"], inputs: inputs, outputs: outputs, kernel: kernel, stride: stride,
      padding: padding, epsilon: 1e-3, activation: .relu)
  }
}
