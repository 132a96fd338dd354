import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// Nodes and operands that make no sense are refused with a sentence; nothing traps.
@Suite struct ElementwiseRefusalTests {
  static let refusals: [Refusal] = {
    do {
      let x = try floats([2, 3])
      let index = try whole([0])
      let training = "ai.onnx.preview.training"
      let microsoft = "com.microsoft"
      let names = try GraphValue.strings(StringTensor(["abc"], shape: [1]))
      return [
        Refusal("two types are not added", "Add", [x, index]),
        Refusal("shapes that cannot be stretched", "Mul", [x, try floats([2])]),
        Refusal("an axis behind the operand, old", "Add", [x, try floats([3])], opset: 6, ["axis": .int(2)]),
        Refusal("an absurd axis, old", "Add", [x, x], opset: 6, ["axis": .int(.min)]),
        Refusal("texts are not added", "Add", [names, names]),
        Refusal("powers of truth", "Pow", [GraphValue(try Tensor([true])), index]),
        Refusal("a direction is needed", "BitShift", [index, index]),
        Refusal("no such direction", "BitShift", [index, index], ["direction": .string(Array("UP".utf8))]),
        Refusal("bits of floating-point numbers", "BitwiseAnd", [x, x]),
        Refusal("numbers are no Booleans", "And", [index, index]),
        Refusal("integers are never NaN", "IsNaN", [index]),
        Refusal("axis of softmax", "Softmax", [x], ["axis": .int(2)]),
        Refusal("axis of softmax, old", "LogSoftmax", [x], opset: 11, ["axis": .int(3)]),
        Refusal("two numbers as a bound", "Clip", [x, try floats([2])]),
        Refusal("unknown approximation", "Gelu", [x], ["approximate": .string(Array("fast".utf8))]),
        Refusal("a gate of another shape", "SwiGLU", [x, try floats([3])], opset: 28),
        Refusal("a bias that stretches its input", "BiasGelu", [x, try floats([2, 2, 3])], domain: microsoft),
        Refusal("a bias with an axis too many", "BiasGelu", [x, try floats([1, 3])], domain: microsoft),
        Refusal("one number as a bias", "FastGelu", [x, try floats([1])], domain: microsoft),
        Refusal("a bias of a number", "FastGelu", [try floats([]), try floats([1])], domain: microsoft),
        Refusal("branches of two types", "Where", [GraphValue(try Tensor([true])), x, index]),
        Refusal("axis of a reduction", "ReduceSum", [x, try whole([2])]),
        Refusal("absurd axis of a reduction", "ReduceMax", [x], opset: 13, ["axes": .ints([.min])]),
        Refusal("sum of Booleans", "ReduceSum", [GraphValue(try Tensor([true]))]),
        Refusal("nothing to choose from", "ArgMax", [try floats([2, 0])], ["axis": .int(1)]),
        Refusal("nothing to choose the last from", "ArgMin", [try floats([0])], ["select_last_index": .int(1)]),
        Refusal("two axes to go along", "CumSum", [x, try whole([0, 1])]),
        Refusal("no axis to go along", "CumSum", [try floats([]), index]),
        Refusal("a matrix that is not square", "Det", [x]),
        Refusal("ones in three dimensions", "EyeLike", [try floats([2, 2, 2])]),
        Refusal("a triangle of a row", "Trilu", [try floats([3])]),
        Refusal("a type to cast to", "Cast", [x]),
        Refusal("no such type", "Cast", [x], ["to": .int(99)]),
        Refusal("a text that is not a number", "Cast", [names], ["to": .int(1)]),
        Refusal("unknown rounding", "Cast", [x], ["to": .int(24), "round_mode": .string(Array("odd".utf8))]),
        Refusal("bits that do not fit", "BitCast", [x], ["to": .int(7)]),
        Refusal("a ratio beyond 1", "Dropout", [x, try floats([]), GraphValue(try Tensor([true], shape: []))]),
        Refusal("random numbers beyond memory", "RandomNormal", [], ["shape": .ints([1 << 40, 1 << 40])]),
        Refusal("a negative shape", "RandomUniform", [], ["shape": .ints([-1])]),
        Refusal("negative number of samples", "Multinomial", [x], ["sample_size": .int(-1)]),
        Refusal("a window of less than nothing", "HannWindow", [try whole([-1])]),
        Refusal("a window beyond memory", "HammingWindow", [try whole([1 << 61])]),
        Refusal("a mel matrix beyond its spectrum", "MelWeightMatrix", try mel(length: 64, high: 9e8)),
        Refusal("a mel matrix beyond memory", "MelWeightMatrix", try mel(length: .max, high: 4000)),
        Refusal("a transform of nothing", "DFT", [try floats([2, 3, 1]), try whole([0])]),
        Refusal("a transform beyond memory", "DFT", [try floats([2, 3, 1]), try whole([1 << 60])]),
        Refusal("a transform over complex parts", "DFT", [try floats([2, 3, 1]), nil, try whole([2])]),
        Refusal("three parts of a number", "DFT", [try floats([2, 3])]),
        Refusal("half a spectrum of complex signals", "DFT", [try floats([2, 3, 2])], ["onesided": .int(1)]),
        Refusal("frames that stand still", "STFT", [try floats([1, 9, 1]), try whole([0]), nil, try whole([3])]),
        Refusal("a frame longer than the signal", "STFT", [try floats([1, 9, 1]), index, nil, try whole([10])]),
        Refusal(
          "a window of another length", "STFT",
          [try floats([1, 9, 1]), try whole([1]), try floats([4]), try whole([3])]),
        Refusal("a label that is not a class", "NegativeLogLikelihoodLoss", [x, try whole([0, 3])]),
        Refusal("labels of another shape", "SoftmaxCrossEntropyLoss", [x, index]),
        Refusal("unknown reduction", "SoftmaxCrossEntropyLoss", [x, index], ["reduction": .string([0x78])]),
        Refusal("weights of other classes", "NegativeLogLikelihoodLoss", [x, try whole([0, 1]), try floats([2])]),
        Refusal("a tensor without gradient", "Adam", [try floats([]), try whole([0]), x, x, x], domain: training),
        Refusal("momentum without alpha", "Momentum", [], domain: training),
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

/// Random operators with a seed draw what NumPy's RandomState draws.
@Suite struct ElementwiseRandomTests {
  @Test func uniformNumbersAreThoseOfNumPy() throws {
    let attributes: [String: AttributeValue] = [
      "seed": .float(5), "shape": .ints([4]), "low": .float(-1), "high": .float(3), "dtype": .int(11),
    ]
    let expected = [-0.11202731564104207, 2.4829292247095056, -0.17312337864229432, 2.674443631751686]
    #expect(try doubles(outputs(of: "RandomUniform", [], attributes)) == expected)
  }

  @Test func normalNumbersAreThoseOfNumPy() throws {
    let attributes: [String: AttributeValue] = [
      "seed": .float(5), "mean": .float(2), "scale": .float(0.5),
    ]
    let shape = GraphValue(try Tensor<Double>(zeros: [5]))
    let numbers = try doubles(outputs(of: "RandomNormalLike", [shape], attributes))
    let expected = [2.2206137434425206, 1.8345649240529562, 3.21538559350389, 1.8739539351984615, 2.0548049207890915]
    for (number, wanted) in zip(numbers, expected) { #expect((number - wanted).magnitude < 1e-14) }
    #expect(numbers.count == 5)
  }

  @Test func probabilitiesGiveWhatNumPyGives() throws {
    let p = GraphValue(try Tensor([0.1, 0.9, 0.5, 0.3, 0.7, 0.2, 0.8, 0.6]))
    #expect(try doubles(outputs(of: "Bernoulli", [p], ["seed": .float(5)])) == [0, 1, 0, 1, 1, 0, 1, 1])
  }

  @Test func samplesFollowTheProbabilities() throws {
    // The third class is a thousand times as likely as the others together; the second is impossible.
    let logits = GraphValue(try Tensor([0, -Double.infinity, 7.6], shape: [1, 3]))
    let result = try outputs(of: "Multinomial", [logits], ["sample_size": .int(2000), "seed": .float(1)])
    guard case .tensor(.int32(let samples))? = result[0] else { throw OperatorError("not INT32") }
    let counts = try samples.elements.reduce(into: [0, 0, 0]) { $0[Int($1)] += 1 }
    #expect(counts[1] == 0)
    #expect(counts[2] > 1980 && counts[2] < 2000)
  }

  @Test func runsWithoutASeedDiffer() throws {
    let context = RunContext()
    let attributes: [String: AttributeValue] = ["shape": .ints([8]), "dtype": .int(11)]
    let first = try doubles(outputs(of: "RandomUniform", [], attributes, context: context))
    let second = try doubles(outputs(of: "RandomUniform", [], attributes, context: context))
    #expect(first != second)
    #expect(first.allSatisfy { (0..<1).contains($0) })
  }
}

private func doubles(_ values: [GraphValue?]) throws -> [Double] {
  guard case .tensor(.float64(let tensor))? = values.first ?? nil else { throw OperatorError("not DOUBLE") }
  return try tensor.elements
}

private func mel(length: Int64, high: Float) throws -> [GraphValue?] {
  [
    try whole([8]), try whole([length]), try whole([16000]), GraphValue(try Tensor<Float>([20], shape: [])),
    GraphValue(try Tensor<Float>([high], shape: [])),
  ]
}
