import ApusKernelInterface

/// Convolution in groups whose channels do not fill whole blocks: a ``DirectConvolution`` for each, of row-major maps, in
/// which the channels of a group lie together.
struct GroupedConvolution: ConvolutionAlgorithm {
  var parameters: ConvolutionParameters
  private let groups: [DirectConvolution]

  init(
    weight: Tensor<Float>, bias: Tensor<Float>, normalization: BatchNormalization<Float>?,
    parameters: ConvolutionParameters
  ) throws {
    self.parameters = parameters
    let outputs = weight.shape[0] / parameters.groups
    groups = try (0..<parameters.groups).map { group in
      let (first, end) = (group * outputs, (group + 1) * outputs)
      return try DirectConvolution(
        weight: weight.sliced(axis: 0, from: first, to: end), bias: bias.sliced(axis: 0, from: first, to: end),
        normalization: normalization?.ofChannels(first..<end), parameters: parameters.ofOneGroup)
    }
  }

  func callAsFunction(
    _ input: Tensor<Float>, shape: [Int], activation: UnaryOperation?, layout: TensorLayout
  ) throws -> Tensor<Float> {
    let maps = shape[0] * groups.count
    let source = try input.rowMajor.reshaped([maps, input.shape[1] / groups.count] + input.shape[2...])
    let part = [1, shape[1] / groups.count] + shape[2...]
    let count = part.reduce(1, *)
    let (parameters, stop) = (parameters.ofOneGroup, Execution.current.stop)
    return try Tensor.filled(shape) { destination in
      for index in 0..<maps {
        if let stop, stop.check() { return }
        var convolution = groups[index % groups.count]
        convolution.parameters = parameters
        let map = try source.sliced(axis: 0, from: index, to: index + 1)
        let result = try convolution(map, shape: part, activation: activation, layout: .rowMajor).rowMajor
        withExtendedLifetime(result.storage) {
          (destination + index * count).update(from: result.pointer, count: count)
        }
      }
    }
  }
}

extension ConvolutionParameters {
  fileprivate var ofOneGroup: ConvolutionParameters {
    var result = self
    result.groups = 1
    return result
  }
}
