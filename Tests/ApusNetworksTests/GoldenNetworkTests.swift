import Apus
import ApusNetworks
import ApusTestSupport
import Testing

/// Every network whose weights a formula makes, at full size, against PyTorch: float64 is the reference, PyTorch's
/// float32 the peer whose error Apus' is measured by.
@Suite struct GoldenNetworkTests {
  struct Network: CustomTestStringConvertible, Sendable {
    var model: ShippedModel
    var variant: KernelVariant

    var testDescription: String { "\(model.name) with \(variant.rawValue) kernels" }

    static let all = ShippedModel.all.filter { $0.weights == nil }.flatMap { model in
      floatingPointVariants.map { Network(model: model, variant: $0) }
    }

    func verify(_ type: DataType, _ precision: Execution.Precision = .exact) throws -> [Verification] {
      try Execution.with(precision: precision, variant: variant) {
        try model.verify(golden: shipped(model.golden), types: [type])
      }
    }
  }

  /// Fast algorithms may cost a digit; exact ones no more than half as much again as PyTorch's own rounding.
  @Test(arguments: Network.all, [Execution.Precision.exact, .fast])
  func float32IsAsExactAsPyTorch(network: Network, precision: Execution.Precision) throws {
    let limit = precision == .exact ? 1.5 : 10
    for row in try network.verify(.float32, precision) {
      let (ours, theirs) = (row.summary.largestAbsolute?.value ?? 0, try #require(row.peerError))
      #expect(row.summary.worst?.comparison.actual.nanCount == 0, "\(row.output)")
      #expect(theirs > 0, "\(row.output)")
      #expect(ours <= limit * theirs, "\(row.output): error \(ours), PyTorch's \(theirs), ratio \(ours / theirs)")
    }
  }

  @Test(arguments: Network.all.filter { $0.variant == floatingPointVariants.last })
  func float64IsTheReference(network: Network) throws {
    let golden = try GoldenSamples(path: shipped(network.model.golden))
    for row in try network.verify(.float64) {
      let magnitude =
        try golden.sampleNames.flatMap {
          try golden.expected(row.output, of: $0).converted(to: Double.self).elements.map(abs)
        }.max() ?? 0
      let error = row.summary.largestAbsolute?.value ?? 0
      #expect(error <= 1e-13 * magnitude, "\(row.output): error \(error), largest value \(magnitude)")
    }
  }
}
