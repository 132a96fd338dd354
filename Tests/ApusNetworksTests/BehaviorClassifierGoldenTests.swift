import Apus
import ApusNetworks
import ApusTestSupport
import Testing

/// The classifier against PyTorch: float64 is the reference, PyTorch's float32 the peer whose error Apus' is measured
/// by.
@Suite struct BehaviorClassifierGoldenTests {
  private struct Case: Sendable {
    var name: String
    var network: Int
  }

  private static let cases = [Case(name: "one window", network: 1), Case(name: "three windows", network: 2)]

  /// What the file holds of a case: operands and results, by seed.
  private func seeds(_ file: SafetensorsFile, _ name: String) -> [String] {
    Set(file.tensorNames.filter { $0.hasPrefix("\(name)/") }.map { String($0.split(separator: "/")[1]) }).sorted()
  }

  @Test(arguments: Setting.all)
  func untrainedNetworksComputeWhatPyTorchComputes(setting: Setting) throws {
    let file = try SafetensorsFile(path: fixture("behavior_classifier.safetensors"))
    for golden in Self.cases {
      let weights = Weights(try UntrainedParameters.tensors(network: golden.network))
      let single = try BehaviorClassifier<Float>(weights)
      let double = try BehaviorClassifier<Double>(weights)
      let found = seeds(file, golden.name)
      #expect(found.count >= 2)
      var errors = Errors()
      for seed in found {
        let prefix = "\(golden.name)/\(seed)"
        let poses: Tensor<Float> = try file.tensor(named: "\(prefix)/input.poses")
        let wide: Tensor<Double> = try file.tensor(named: "\(prefix)/input.poses")
        try setting.run {
          try errors.add(
            single.outputs(for: SampleInputs(["": AnyTensor(poses)], source: prefix)),
            double.outputs(for: SampleInputs(["": AnyTensor(wide)], source: prefix)), prefix, file: file)
        }
      }
      errors.check("\(golden.name)")
    }
  }

  @Test(arguments: Setting.all)
  func theShippedModelComputesWhatPyTorchComputesOnTheSamples(setting: Setting) throws {
    let golden = try GoldenSamples(path: shipped("behavior/samples/golden.safetensors"))
    #expect(golden.sampleNames.count >= 17)
    #expect(golden.outputNames == ["logits", "probabilities"])
    let file = try SafetensorsFile(path: shipped(BehaviorClassifier<Float>.shippedFile))
    let (single, double) = (try BehaviorClassifier<Float>(file), try BehaviorClassifier<Double>(file))
    try setting.run {
      for row in try Verification.run(single, named: "float32", on: golden) {
        #expect(row.isEqual, "\(row.summary)")
        let (ours, theirs) = (try #require(row.summary.largestAbsolute?.value), try #require(row.peerError))
        #expect(ours <= 1.5 * theirs, "\(row.output): error \(ours), PyTorch's \(theirs)")
      }
      for row in try Verification.run(double, named: "float64", on: golden) {
        #expect(row.isEqual, "\(row.summary)")
      }
    }
  }

  @Test func resultsDoNotDependOnThreadsOrChance() throws {
    let weights = Weights(try UntrainedParameters.tensors(network: 3))
    let classifier = try BehaviorClassifier<Float>(weights)
    let numbers = (0..<5 * 4800).map { index in Float(index % 997) / 997 }
    let poses = try Tensor(numbers, shape: [5, 48, 100])
    for variant in Execution.availableVariants {
      let results = try [1, 2, 4, 1].map { threads in
        try Execution.with(threads: threads, variant: variant) { try classifier.logits(poses).elements }
      }
      #expect(results.allSatisfy { $0 == results[0] })
    }
  }
}

/// Distances from the float64 reference, pooled over seeds: Apus' and those of PyTorch in float32.
private struct Errors {
  var ours: [String: ComparisonSummary] = [:]
  var theirs: [String: ComparisonSummary] = [:]
  var wide: [String: ComparisonSummary] = [:]
  /// The largest magnitude of the reference.
  var magnitude: [String: Double] = [:]

  mutating func add(
    _ single: [String: Tensor<Float>], _ double: [String: Tensor<Double>], _ prefix: String, file: SafetensorsFile
  ) throws {
    for (output, actual) in single {
      let truth: Tensor<Double> = try file.tensor(named: "\(prefix)/output.\(output)")
      let peer: Tensor<Float> = try file.tensor(named: "\(prefix)/output32.\(output)")
      let exact = try #require(double[output])
      func compare<Scalar>(_ tensor: Tensor<Scalar>) throws -> Comparison {
        try Comparison(actual: tensor, expected: truth, checksDataType: false)
      }
      ours[output, default: .init()].add(try compare(actual), named: prefix)
      theirs[output, default: .init()].add(try compare(peer), named: prefix)
      wide[output, default: .init()].add(try compare(exact), named: prefix)
      magnitude[output] = max(magnitude[output] ?? 0, try truth.elements.map(abs).max() ?? 0)
    }
  }

  /// The accuracy a whole model owes: no more than half as much again as PyTorch's largest error, and float64 to 1e-13.
  func check(_ name: String) {
    for (output, ours) in ours {
      let (a, b) = (ours.largestAbsolute?.value ?? 0, theirs[output]?.largestAbsolute?.value ?? 0)
      #expect(a <= 1.5 * b, "\(name), \(output): largest error \(a), PyTorch's \(b)")
      let double = wide[output]?.largestAbsolute?.value ?? 0
      #expect(double <= 1e-13 * (magnitude[output] ?? 0), "\(name), \(output): largest error in float64 \(double)")
      #expect(b > 0)
    }
  }
}
