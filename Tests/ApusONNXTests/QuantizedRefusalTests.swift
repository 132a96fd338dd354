import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// Quantised nodes that make no sense are refused with a sentence; nothing traps.
@Suite struct QuantizedRefusalTests {
  static let refusals: [Refusal] = {
    do {
      let x = try floats([2, 3])
      let one = try floats([])
      let microsoft = "com.microsoft"
      func bytes(_ shape: [Int]) throws -> GraphValue { GraphValue(try Tensor<UInt8>(repeating: 3, shape: shape)) }
      let (map, weight) = (try bytes([1, 2, 4, 4]), try bytes([3, 2, 3, 3]))
      let nBits: [String: AttributeValue] = ["K": .int(32), "N": .int(2), "block_size": .int(16), "bits": .int(4)]
      func product(_ name: String, _ more: [String: AttributeValue]) throws -> Refusal {
        Refusal(
          name, "MatMulNBits", [try floats([1, 32]), try bytes([2, 2, 8]), try floats([4])], domain: microsoft,
          nBits.merging(more) { $1 })
      }
      return [
        Refusal("scales of another axis", "QuantizeLinear", [x, try floats([2])]),
        Refusal("a matrix of scales", "DequantizeLinear", [try bytes([2, 3]), try floats([1, 1])]),
        Refusal("an absurd axis", "QuantizeLinear", [x, try floats([3])], ["axis": .int(.min)]),
        Refusal("blocks of less than nothing", "QuantizeLinear", [x, x], ["block_size": .int(-1)]),
        Refusal("blocks that do not fit", "DequantizeLinear", [try bytes([2, 3]), x], ["block_size": .int(2)]),
        Refusal("quantised to numbers", "QuantizeLinear", [x, one], ["output_dtype": .int(1)]),
        Refusal("zero points of another shape", "QuantizeLinear", [x, try floats([3]), try bytes([2])]),
        Refusal("zero points of another type", "DequantizeLinear", [try bytes([2]), one, try whole([0])]),
        Refusal("numbers that are quantised already", "DequantizeLinear", [x, one]),
        Refusal("widened to integers", "DequantizeLinear", [try bytes([2]), one], ["output_dtype": .int(7)]),
        Refusal("integers have no range", "DynamicQuantizeLinear", [try whole([1])]),
        Refusal("products of numbers", "MatMulInteger", [x, x]),
        Refusal("a depth that differs", "MatMulInteger", [try bytes([2, 3]), try bytes([2, 3])]),
        Refusal("a zero point of another type", "MatMulInteger", [try bytes([2, 3]), try bytes([3, 2]), one]),
        Refusal("convolution of numbers", "ConvInteger", [try floats([1, 2, 4, 4]), weight]),
        Refusal("a window that does not fit", "ConvInteger", [try bytes([1, 2, 2, 2]), weight]),
        Refusal("groups that do not divide", "ConvInteger", [map, weight], ["group": .int(2)]),
        Refusal("no groups", "ConvInteger", [map, weight], ["group": .int(0)]),
        Refusal("strides beyond reason", "ConvInteger", [map, weight], ["strides": .ints([.max, 1])]),
        Refusal("a line for a map", "ConvInteger", [try bytes([1, 2, 4]), weight]),
        Refusal("zero points of no output", "ConvInteger", [map, weight, nil, try bytes([2])]),
        Refusal(
          "a sum of numbers", "QLinearAdd", [x, one, nil, x, one, nil, one], domain: microsoft),
        Refusal("two scales", "QLinearSigmoid", [try bytes([2]), try floats([2]), nil, one], domain: microsoft),
        Refusal(
          "a tensor without its scale", "QLinearConcat", [one, try bytes([]), map], domain: microsoft, ["axis": .int(1)]
        ),
        try product("three bits", ["bits": .int(3)]),
        try product("a block beyond reason", ["block_size": .int(.max)]),
        try product("another depth", ["K": .int(64)]),
        try product("an absurd width", ["N": .int(.max)]),
        Refusal(
          "a table of three bits", "GatherBlockQuantized", [map, try whole([0]), x], domain: microsoft,
          ["bits": .int(3)]),
        Refusal(
          "an unknown activation", "FusedConv", [try floats([1, 2, 4, 4]), try floats([3, 2, 3, 3])], domain: microsoft,
          ["activation": .string([0x78])]),
      ]
    } catch {
      return [Refusal("\(error)", "", [])]
    }
  }()

  @Test(arguments: refusals)
  func isRefused(refusal: Refusal) {
    #expect(throws: (any Error).self) { try refusal.run() }
  }
}
