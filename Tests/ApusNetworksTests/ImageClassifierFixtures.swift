import Apus
import ApusNetworks
import ApusTestSupport

extension ClassifierParameters {
  /// A ResNet whose first layer has 16 channels.
  static func resNet(
    blocks: [Int] = [1, 1, 1, 1], isBottleneck: Bool = false, groups: Int = 1, classes: Int = 5
  ) -> ClassifierParameters {
    var made = ClassifierParameters()
    made.convolution("conv1", 16, 3, 7)
    made.normalization("bn1", 16)
    var inputs = 16
    for (layer, count) in blocks.enumerated() {
      for index in 0..<count {
        let name = "layer\(layer + 1).\(index)"
        let (inner, outputs) = isBottleneck ? (16 << layer, 32 << layer) : (16 << layer, 16 << layer)
        made.convolution("\(name).conv1", inner, inputs, isBottleneck ? 1 : 3)
        made.convolution("\(name).conv2", inner, inner / groups, 3)
        if isBottleneck { made.convolution("\(name).conv3", outputs, inner, 1) }
        for number in 1...(isBottleneck ? 3 : 2) {
          made.normalization("\(name).bn\(number)", number == 3 ? outputs : inner)
        }
        if index == 0, layer > 0 || inputs != outputs {
          made.convolution("\(name).downsample.0", outputs, inputs, 1)
          made.normalization("\(name).downsample.1", outputs)
        }
        inputs = outputs
      }
    }
    made.linear("fc", classes, inputs)
    return made
  }

  static func mobileNetV2(width: Double, classes: Int = 5) -> ClassifierParameters {
    let width = MobileNetV2Width(width)
    var made = ClassifierParameters()
    var inputs = width.channels(32)
    made.convolution("features.0.0", inputs, 3, 3)
    made.normalization("features.0.1", inputs)
    let outputs = [16] + [24, 24, 32, 32, 32] + [64, 64, 64, 64, 96, 96, 96] + [160, 160, 160, 320]
    for (index, channels) in outputs.enumerated() {
      let name = "features.\(index + 1).conv"
      let hidden = index == 0 ? inputs : 6 * inputs
      var step = 0
      if index > 0 {
        made.convolution("\(name).0.0", hidden, inputs, 1)
        made.normalization("\(name).0.1", hidden)
        step = 1
      }
      made.convolution("\(name).\(step).0", hidden, 1, 3)
      made.normalization("\(name).\(step).1", hidden)
      inputs = width.channels(channels)
      made.convolution("\(name).\(step + 1)", inputs, hidden, 1)
      made.normalization("\(name).\(step + 2)", inputs)
    }
    made.convolution("features.18.0", width.lastChannels, inputs, 1)
    made.normalization("features.18.1", width.lastChannels)
    made.linear("classifier.1", classes, width.lastChannels)
    return made
  }
}

/// A picture of any size.
func picture<Scalar: FloatingPointScalar>(
  _ batch: Int, _ channels: Int, _ height: Int, _ width: Int, as type: Scalar.Type = Scalar.self
) throws -> Tensor<Scalar> {
  let single = try Tensor<Float>(
    generated: "picture", shape: [batch, channels, height, width], mean: 0.5, deviation: 0.3)
  return try single.converted()
}
