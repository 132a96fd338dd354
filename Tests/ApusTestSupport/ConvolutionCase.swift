import Apus

/// A convolution over two axes, as lists of cases have it.
package struct ConvolutionCase: CustomStringConvertible, Sendable {
  package let batch: Int
  package let inputs: Int
  package let outputs: Int
  package let size: Size2D
  package let kernel: Size2D
  package let stride: Size2D
  package let padding: Padding2D
  package let dilation: Size2D
  package let groups: Int

  package init(
    batch: Int = 1, inputs: Int, outputs: Int, size: Size2D, kernel: Size2D, stride: Size2D = 1, padding: Padding2D = 0,
    dilation: Size2D = 1, groups: Int = 1
  ) {
    (self.batch, self.inputs, self.outputs, self.groups) = (batch, inputs, outputs, groups)
    (self.size, self.kernel, self.stride, self.dilation) = (size, kernel, stride, dilation)
    self.padding = padding
  }

  package var description: String {
    "\(batch)×\(inputs)→\(outputs) \(size.height)×\(size.width) k\(kernel.height)×\(kernel.width) "
      + "s\(stride.height),\(stride.width) p\(padding.top),\(padding.left),\(padding.bottom),\(padding.right) "
      + "d\(dilation.height),\(dilation.width) g\(groups)"
  }

  package var inputShape: [Int] { [batch, inputs, size.height, size.width] }

  package var weightShape: [Int] { [outputs, inputs / groups, kernel.height, kernel.width] }

  package var outputShape: [Int] {
    let height = size.height + padding.top + padding.bottom - dilation.height * (kernel.height - 1) - 1
    let width = size.width + padding.left + padding.right - dilation.width * (kernel.width - 1) - 1
    return [batch, outputs, height / stride.height + 1, width / stride.width + 1]
  }

  /// The definition: products are added to the bias one after the other.
  ///
  /// - Parameters:
  ///   - x: ``inputShape``.
  ///   - weight: ``weightShape``.
  ///   - bias: `[outputs]`.
  /// - Returns: ``outputShape``.
  @_specialize(where Number == Double)
  @_specialize(where Number == Int)
  package func naive<Number: Numeric>(_ x: [Number], weight: [Number], bias: [Number]) -> [Number] {
    let shape = outputShape
    let (channels, outputsOfGroup) = (inputs / groups, outputs / groups)
    var y: [Number] = []
    for sample in 0..<batch {
      for output in 0..<outputs {
        for row in 0..<shape[2] {
          for column in 0..<shape[3] {
            var sum = bias[output]
            for channel in 0..<channels {
              let plane = sample * inputs + output / outputsOfGroup * channels + channel
              for i in 0..<kernel.height {
                let top = row * stride.height + i * dilation.height - padding.top
                guard top >= 0, top < size.height else { continue }
                for j in 0..<kernel.width {
                  let left = column * stride.width + j * dilation.width - padding.left
                  guard left >= 0, left < size.width else { continue }
                  sum +=
                    x[(plane * size.height + top) * size.width + left]
                    * weight[((output * channels + channel) * kernel.height + i) * kernel.width + j]
                }
              }
            }
            y.append(sum)
          }
        }
      }
    }
    return y
  }
}
