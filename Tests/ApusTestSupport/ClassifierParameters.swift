import Apus

/// Parameters of small classifiers, made by a formula.
package struct ClassifierParameters {
  package var list: [String: GeneratedParameter] = [:]

  package init() {}

  package mutating func convolution(_ name: String, _ outputs: Int, _ inputs: Int, _ height: Int, _ width: Int? = nil) {
    let shape = [outputs, inputs, height, width ?? height]
    let terms = Double(shape[1] * shape[2] * shape[3])
    list["\(name).weight"] = GeneratedParameter(shape: shape, mean: 0, deviation: (2 / terms).squareRoot())
  }

  package mutating func normalization(_ name: String, _ channels: Int) {
    for (kind, mean) in [("weight", 1.0), ("bias", 0), ("running_mean", 0), ("running_var", 1)] {
      list["\(name).\(kind)"] = GeneratedParameter(shape: [channels], mean: mean, deviation: 0.1)
    }
  }

  package mutating func linear(_ name: String, _ outputs: Int, _ inputs: Int) {
    list["\(name).weight"] = GeneratedParameter(
      shape: [outputs, inputs], mean: 0, deviation: 1 / Double(inputs).squareRoot())
    list["\(name).bias"] = GeneratedParameter(shape: [outputs], mean: 0, deviation: 0.1)
  }

  package var weights: Weights { Weights(generated: list, name: "made up") }
}

/// Parameters of small convolutional networks over time.
package func tcnParameters(
  features: Int = 6, channels: [Int] = [8, 8], kernel: Int = 3, classes: Int = 4, prefix: String = ""
) -> ClassifierParameters {
  var made = ClassifierParameters()
  var inputs = features
  func bell(_ shape: [Int]) -> GeneratedParameter {
    GeneratedParameter(shape: shape, mean: 0, deviation: (2 / Double(shape[1...].reduce(1, *))).squareRoot())
  }
  for (level, outputs) in channels.enumerated() {
    let name = "\(prefix)network.\(level)"
    made.list["\(name).conv1.weight"] = bell([outputs, inputs, kernel])
    made.list["\(name).conv2.weight"] = bell([outputs, outputs, kernel])
    if inputs != outputs { made.list["\(name).downsample.weight"] = bell([outputs, inputs, 1]) }
    for layer in ["conv1", "conv2"] + (inputs != outputs ? ["downsample"] : []) {
      made.list["\(name).\(layer).bias"] = GeneratedParameter(shape: [outputs], mean: 0, deviation: 0.1)
    }
    inputs = outputs
  }
  made.linear("linear", classes, inputs)
  return made
}

/// Those of recurrent ones.
package func recurrentParameters(
  gates: Int, features: Int = 6, hidden: Int = 8, layers: Int = 1, directions: Int = 1, classes: Int = 4,
  scope: String = "rnn"
) -> ClassifierParameters {
  var made = ClassifierParameters()
  for layer in 0..<layers {
    for suffix in ["", "_reverse"].prefix(directions) {
      let inputs = layer == 0 ? features : hidden * directions
      made.list["\(scope).weight_ih_l\(layer)\(suffix)"] = GeneratedParameter(
        shape: [gates * hidden, inputs], mean: 0, deviation: 0.5)
      made.list["\(scope).weight_hh_l\(layer)\(suffix)"] = GeneratedParameter(
        shape: [gates * hidden, hidden], mean: 0, deviation: 0.5)
      for bias in ["bias_ih", "bias_hh"] {
        made.list["\(scope).\(bias)_l\(layer)\(suffix)"] = GeneratedParameter(
          shape: [gates * hidden], mean: 0, deviation: 0.3)
      }
    }
  }
  made.linear("fc", classes, hidden * directions)
  return made
}
