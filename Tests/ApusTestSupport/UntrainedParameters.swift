import Apus

/// Untrained parameters of the classifier, the same as `generate/behavior_classifier.py` makes.
package enum UntrainedParameters {
  package static let shapes: [(name: String, shape: [Int])] = [
    ("encoder.0.weight", [64, 48, 7]), ("encoder.0.bias", [64]),
    ("encoder.2.weight", [64]), ("encoder.2.bias", [64]),
    ("encoder.2.running_mean", [64]), ("encoder.2.running_var", [64]),
    ("encoder.3.weight", [128, 64, 5]), ("encoder.3.bias", [128]),
    ("encoder.5.weight", [128]), ("encoder.5.bias", [128]),
    ("encoder.5.running_mean", [128]), ("encoder.5.running_var", [128]),
    ("encoder.6.weight", [256, 128, 3]), ("encoder.6.bias", [256]),
    ("encoder.8.weight", [256]), ("encoder.8.bias", [256]),
    ("encoder.8.running_mean", [256]), ("encoder.8.running_var", [256]),
    ("fc_mu.weight", [32, 6400]), ("fc_mu.bias", [32]),
    ("classifier.0.weight", [64, 32]), ("classifier.0.bias", [64]),
    ("classifier.3.weight", [21, 64]), ("classifier.3.bias", [21]),
  ]

  private static let spread: [String: Float] = [
    "encoder.0": 0.25, "encoder.3": 0.25, "encoder.6": 0.25, "fc_mu": 0.0625, "classifier.0": 1, "classifier.3": 0.5,
  ]

  package static func tensors(network: Int) throws -> [String: AnyTensor] {
    var tensors: [String: AnyTensor] = [:]
    for (index, (name, shape)) in shapes.enumerated() {
      let counter = UInt64(network) << 48 + UInt64(index) << 32
      let values = values(name, counter: counter, count: shape.reduce(1, *))
      tensors[name] = AnyTensor(try Tensor<Float>(values, shape: shape))
    }
    return tensors
  }

  private static func values(_ name: String, counter: UInt64, count: Int) -> [Float] {
    let dot = name.lastIndex(of: ".") ?? name.endIndex
    let (layer, kind) = (String(name[..<dot]), String(name[name.index(after: dot)...]))
    let units = unitValues(counter: counter, count: count)
    switch (spread[layer], kind) {
    case (nil, "weight"), (nil, "running_var"): return units.map { $0 + 0.5 }
    case (nil, "running_mean"): return units.map { $0 * 0.5 }
    case (let spread?, "weight"): return units.map { ($0 - 0.5) * spread }
    default: return units.map { ($0 - 0.5) * 0.5 }
    }
  }

  /// The upper 24 bits of SplitMix64 from `counter` on, as fractions of 1.
  private static func unitValues(counter: UInt64, count: Int) -> [Float] {
    (1...UInt64(count)).map { step in
      var z = (counter &+ step) &* 0x9E37_79B9_7F4A_7C15
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      z ^= z >> 31
      return Float(z >> 40) * 0x1p-24
    }
  }
}
