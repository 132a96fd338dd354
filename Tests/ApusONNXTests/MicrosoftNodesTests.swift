import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// Operators of com.microsoft that do what the standard's do, bit for bit.
@Suite struct MicrosoftNodesTests {
  /// The activation, its attributes in the order in which the fused nodes list them.
  static let functions: [(type: String, attributes: [(name: String, value: Float)])] = [
    ("Relu", []), ("Sigmoid", []), ("Tanh", []), ("Softplus", []), ("Softsign", []), ("HardSwish", []),
    ("LeakyRelu", [("alpha", 0.2)]), ("LeakyRelu", []), ("ThresholdedRelu", [("alpha", 0.75)]),
    ("ThresholdedRelu", []), ("Elu", [("alpha", 0.5)]), ("Selu", [("alpha", 1.5), ("gamma", 1.25)]), ("Selu", []),
    ("HardSigmoid", [("alpha", 0.3), ("beta", 0.25)]), ("HardSigmoid", []),
  ]

  @Test(arguments: functions.indices)
  func aFusedActivationIsANodeOfItsOwn(index: Int) throws {
    let (type, attributes) = Self.functions[index]
    let name = AttributeValue.string(Array(type.utf8))
    let own = Dictionary(uniqueKeysWithValues: attributes.map { ($0.name, AttributeValue.float($0.value)) })
    func activated(_ product: [GraphValue?]) throws -> GraphValue {
      try #require(runNode(type, product, own).first ?? nil)
    }

    let matrices = [try GraphValue.noise([5, 7]), try .noise([7, 9], seed: 2), try .noise([9], seed: 3)]
    let named = Dictionary(uniqueKeysWithValues: own.map { ("activation_\($0)", $1) })
    let fusedProduct = try runNode(
      "FusedGemm", domain: "com.microsoft", matrices, opset: 1, named.merging(["activation": name]) { $1 })
    #expect(try #require(fusedProduct.first ?? nil).hasSameBits(as: activated(runNode("Gemm", matrices))))

    let maps = [try GraphValue.noise([1, 3, 8, 8]), try .noise([4, 3, 3, 3], seed: 2), try .noise([4], seed: 3)]
    var parameters = ["activation": name]
    if !attributes.isEmpty { parameters["activation_params"] = .floats(attributes.map(\.value)) }
    let fusedMaps = try runNode("FusedConv", domain: "com.microsoft", maps, opset: 1, parameters)
    #expect(try #require(fusedMaps.first ?? nil).hasSameBits(as: activated(runNode("Conv", maps))))
  }

  @Test(arguments: [[6], [1], [1, 6], [5, 6], [3, 1, 1]])
  func scalesOfSimplifiedLayerNormalizationAreStretched(shape: [Int]) throws {
    let x = try GraphValue.noise([2, 3, 5, 6])
    let scale = try GraphValue.noise(shape, seed: 2)
    let attributes: [String: AttributeValue] = ["axis": .int(-1), "epsilon": .float(1e-4)]
    let simplified = try runNode(
      "SimplifiedLayerNormalization", domain: "com.microsoft", [x, scale], opset: 1, attributes)
    let standard = try runNode("RMSNormalization", [x, scale], opset: 23, attributes)
    #expect(try #require(simplified.first ?? nil).hasSameBits(as: #require(standard.first ?? nil)))
  }
}
