import Apus
import ApusNetworks
import ApusTestSupport
import Testing

private func sequence(_ batch: Int, _ features: Int, _ time: Int) throws -> Tensor<Float> {
  try Tensor(generated: "sequence", shape: [batch, features, time])
}

private func configured(_ change: (inout TemporalConfiguration) -> Void) -> TemporalConfiguration {
  var configuration = TemporalConfiguration()
  change(&configuration)
  return configuration
}

private func expectEqual(_ a: Tensor<Float>, _ b: Tensor<Float>) throws {
  #expect(a.shape == b.shape)
  for (x, y) in zip(try a.elements, try b.elements) { #expect(abs(x - y) < 1e-5) }
}

@Suite struct TCNTests {
  @Test func aCausalNetworkSeesThePastOnly() throws {
    let network = try TCN<Float>(tcnParameters().weights, configuration: TemporalConfiguration())
    #expect(network.featureCount == 6)
    #expect(network.classCount == 4)
    let long = try sequence(2, 6, 30)
    // What comes later does not matter; nor do steps further back than the convolutions reach: 2 · 2 · (1 + 2).
    let early = try network.features(long.sliced(axis: 2, to: 20))
    let late = try Tensor<Float>(zeros: [2, 6, 7])
    let other = try concatenate([late, long.sliced(axis: 2, from: 7, to: 20)], axis: 2)
    try expectEqual(early, network.features(other))
    #expect(try early.elements != network.features(long).elements)
  }

  @Test(arguments: [1, 2, 5, 40])
  func sequencesMayHaveAnyLength(time: Int) throws {
    for isCausal in [true, false] {
      for pooling in TemporalConfiguration.Pooling.allCases {
        let configuration = configured {
          $0.isCausal = isCausal
          $0.pooling = pooling
          $0.dilationBase = 3
        }
        let weights = tcnParameters(channels: [8, 20, 16], kernel: 4).weights
        let truth = try TCN<Double>(weights, configuration: configuration)(sequence(2, 6, time).converted())
        try expectEqual(TCN(weights, configuration: configuration)(sequence(2, 6, time)), truth.converted())
      }
    }
  }

  @Test(arguments: [
    ("weight_g", "weight_v"), ("parametrizations.weight.original0", "parametrizations.weight.original1"),
  ])
  func weightNormalizationIsMultipliedOut(names: (String, String)) throws {
    var split: [String: AnyTensor] = [:]
    let plain = tcnParameters()
    for name in plain.list.keys {
      let tensor: Tensor<Float> = try plain.weights.tensor(name)
      guard name.hasPrefix("network"), name.hasSuffix("conv1.weight") || name.hasSuffix("conv2.weight") else {
        split[name] = AnyTensor(tensor)
        continue
      }
      let scope = name.dropLast("weight".count)
      split[scope + names.0] = AnyTensor(try (tensor * tensor).sum(axes: [1, 2], keepDims: true).sqrt())
      split[scope + names.1] = AnyTensor(try tensor * 3)
      // The original implementation lists convolutions twice.
      split[scope.replacing("conv1", with: "net.0") + names.1] = AnyTensor(tensor)
    }
    let x = try sequence(2, 6, 12)
    try expectEqual(
      TCN(Weights(split), configuration: TemporalConfiguration())(x),
      TCN(plain.weights, configuration: TemporalConfiguration())(x))
  }

  @Test func blocksAndHeadMayLieAnywhere() throws {
    var parameters = tcnParameters(prefix: "tcn.")
    parameters.list["head.out.weight"] = parameters.list.removeValue(forKey: "linear.weight")
    parameters.list["head.out.bias"] = parameters.list.removeValue(forKey: "linear.bias")
    let network = try TCN<Float>(parameters.weights, configuration: TemporalConfiguration())
    let (_, seen) = try Activations.recording { try network(sequence(1, 6, 9)) }
    #expect(seen.names == ["head.out", "tcn.network.0", "tcn.network.1"])
  }

  @Test(arguments: [
    (#"{"kernel": 5}"#, "network.0.conv1.weight"), (#"{"channels": [8, 9]}"#, "network.1.conv1.weight"),
    (#"{"channels": [8]}"#, "network.1."), (#"{"channels": [8, 8, 8]}"#, "network.2.conv1.weight"),
    (#"{"features": 7}"#, "network.0.conv1.weight"), (#"{"classes": 3}"#, "linear.weight"),
  ])
  func aContradictionNamesTheParameter(json: String, name: String) throws {
    let configuration = try TemporalConfiguration(metadata: ["configuration": json], file: "w")
    let error = try #require(throws: WeightsError.self) {
      try TCN<Float>(tcnParameters().weights, configuration: configuration)
    }
    #expect("\(error)".contains("\"\(name)"), "\(error)")
  }

  @Test(arguments: [0, -1, Int.max])
  func dilationsThatCannotBeAreRefused(base: Int) throws {
    let configuration = configured { $0.dilationBase = base }
    #expect(throws: TensorError.self) { try TCN<Float>(tcnParameters().weights, configuration: configuration) }
  }

  @Test func aDilationBeyondMemoryIsRefusedWhenItRuns() throws {
    let network = try TCN<Float>(tcnParameters().weights, configuration: configured { $0.dilationBase = 1 << 29 })
    #expect(throws: TensorError.self) { try network(sequence(1, 6, 9)) }
  }

  @Test func otherShapesAreRefused() throws {
    let network = try TCN<Float>(tcnParameters().weights, configuration: TemporalConfiguration())
    #expect(try network(Tensor(zeros: [0, 6, 9])).shape == [0, 4])
    for shape in [[1, 7, 9], [1, 6, 0], [6, 9], [1, 6, 9, 1]] {
      let error = try #require(throws: TensorError.self) { try network(Tensor(zeros: shape)) }
      #expect("\(error)".contains("[batch, 6, time]"))
    }
  }

  @Test func whatBelongsToNoLayerIsRefused() throws {
    var parameters = tcnParameters()
    parameters.list["network.0.norm1.weight"] = GeneratedParameter(shape: [8], mean: 1, deviation: 0)
    let error = try #require(throws: WeightsError.self) {
      try TCN<Float>(parameters.weights, configuration: TemporalConfiguration())
    }
    #expect("\(error)".contains("\"network.0.norm1.weight\""))
  }
}

@Suite struct RecurrentClassifierTests {
  @Test(arguments: [3, 4], [1, 2])
  func cellsAndSizesAreReadFromTheWeights(gates: Int, directions: Int) throws {
    let weights = recurrentParameters(gates: gates, layers: 2, directions: directions).weights
    let network = try RecurrentClassifier<Float>(weights, configuration: TemporalConfiguration())
    #expect(network.cell == (gates == 3 ? .gru : .lstm))
    #expect(network.hiddenCount == 8)
    #expect(network.layerCount == 2)
    #expect(network.isBidirectional == (directions == 2))
    #expect(network.featureCount == 6)
    #expect(network.classCount == 4)

    // The same from the layer itself.
    let x = try sequence(2, 6, 7)
    let steps = try x.transposed(1, 2)
    let (output, state) =
      try gates == 3
      ? GRU<Float>(
        weights["rnn"], inputs: 6, hidden: 8, layers: 2, batchFirst: true, bidirectional: directions == 2)(steps)
      : { (output: $0.output, state: $0.state.hidden) }(
        LSTM<Float>(
          weights["rnn"], inputs: 6, hidden: 8, layers: 2, batchFirst: true, bidirectional: directions == 2)(steps))
    try expectEqual(network.features(x), output.selected(axis: 1, index: -1))
    let mean = try RecurrentClassifier<Float>(weights, configuration: configured { $0.pooling = .mean })
    try expectEqual(mean.features(x), output.mean(axes: [1]))
    let final = try RecurrentClassifier<Float>(weights, configuration: configured { $0.pooling = .final })
    let ends = try (-directions..<0).map { try state.selected(axis: 0, index: $0) }
    try expectEqual(final.features(x), concatenate(ends, axis: 1))
  }

  @Test(arguments: [
    (#"{"cell": "gru"}"#, "lstm.weight_ih_l0"), (#"{"hidden": 9}"#, "lstm.weight_ih_l0"),
    (#"{"layers": 2}"#, "lstm.weight_ih_l1"), (#"{"bidirectional": true}"#, "lstm.weight_ih_l0_reverse"),
    (#"{"features": 5}"#, "lstm.weight_ih_l0"), (#"{"classes": 5}"#, "fc.weight"),
  ])
  func aContradictionNamesTheParameter(json: String, name: String) throws {
    let configuration = try TemporalConfiguration(metadata: ["configuration": json], file: "w")
    let error = try #require(throws: WeightsError.self) {
      try RecurrentClassifier<Float>(
        recurrentParameters(gates: 4, scope: "lstm").weights, configuration: configuration)
    }
    #expect("\(error)".contains("\"\(name)\""), "\(error)")
  }

  @Test(arguments: [#"{"layers": 0}"#, #"{"hidden": -3}"#, #"{"hidden": 4611686018427387904}"#])
  func sizesThatCannotBeAreRefused(json: String) throws {
    let configuration = try TemporalConfiguration(metadata: ["configuration": json], file: "w")
    #expect(throws: (any Error).self) {
      try RecurrentClassifier<Float>(recurrentParameters(gates: 4).weights, configuration: configuration)
    }
  }

  @Test func whatBelongsToNoLayerIsRefused() throws {
    var parameters = recurrentParameters(gates: 3)
    parameters.list["rnn.weight_hr_l0"] = GeneratedParameter(shape: [4, 8], mean: 0, deviation: 1)
    #expect(throws: WeightsError.self) {
      try RecurrentClassifier<Float>(parameters.weights, configuration: TemporalConfiguration())
    }
    // Two matrices that might both be the head.
    parameters = recurrentParameters(gates: 3)
    parameters.linear("fc2", 4, 4)
    let error = try #require(throws: WeightsError.self) {
      try RecurrentClassifier<Float>(parameters.weights, configuration: TemporalConfiguration())
    }
    #expect("\(error)".contains("\"fc2."))
    // An Elman network has one gate.
    #expect(throws: WeightsError.self) {
      try RecurrentClassifier<Float>(recurrentParameters(gates: 1).weights, configuration: TemporalConfiguration())
    }
  }

  @Test func otherShapesAreRefused() throws {
    let network = try RecurrentClassifier<Float>(
      recurrentParameters(gates: 4).weights, configuration: TemporalConfiguration())
    #expect(try network(Tensor(zeros: [0, 6, 9])).shape == [0, 4])
    for shape in [[1, 7, 9], [1, 6, 0], [6, 9]] {
      #expect(throws: TensorError.self) { try network(Tensor(zeros: shape)) }
    }
  }
}
