import ApusTestSupport
import Testing

@testable import Apus

/// Matrices in the types that files store, against sums in float64.
@Suite struct StoredMatrixTests {
  /// `[rows, columns]` of a type, and the values that are meant.
  private func matrix(
    _ type: DataType, rows: Int, columns: Int, scaledByRow: Bool = true, seed: UInt64
  ) throws -> (stored: StoredMatrix, values: () throws -> [Double]) {
    var random = SplitMix64(seed: seed)
    // Of a large one they come again and again.
    let count = rows * columns
    let some = min(count, 10_007)
    if type == .int8 {
      let bytes = stretched(randomIntegers(some, in: Int8.min...Int8.max, using: &random), to: count)
      let scales: [Float] = randomNumbers(scaledByRow ? rows : columns, in: 0.001...0.02, using: &random)
      let scale = try Tensor<Float>(scales, shape: scaledByRow ? [rows, 1] : [1, columns])
      let stored = try StoredMatrix(AnyTensor(try Tensor<Int8>(bytes, shape: [rows, columns])), scale: scale)
      return (
        stored,
        { bytes.indices.map { Double(bytes[$0]) * Double(scales[scaledByRow ? $0 / columns : $0 % columns]) } }
      )
    }
    let floats: [Float] = randomNumbers(some, in: -1...1, using: &random)
    let tensor = try Tensor<Float>(stretched(floats, to: count), shape: [rows, columns])
    switch type {
    case .float16:
      let half = try Tensor<Float16>(stretched(floats.map { Float16($0) }, to: count), shape: [rows, columns])
      return (try StoredMatrix(AnyTensor(half)), { try half.elements.map { Double($0) } })
    case .bfloat16:
      let half: Tensor<BFloat16> = try tensor.converted()
      return (try StoredMatrix(AnyTensor(half)), { try half.converted(to: Double.self).elements })
    default: return (try StoredMatrix(tensor), { try tensor.elements.map { Double($0) } })
    }
  }

  /// The same elements over and over.
  private func stretched<Element>(_ elements: [Element], to count: Int) -> [Element] {
    var result: [Element] = []
    while result.count < count { result += elements }
    return Array(result.prefix(count))
  }

  private static let types: [DataType] = [.float16, .bfloat16, .int8]

  @Test(arguments: types, [(1, 1), (5, 3), (16, 16), (17, 33), (128, 512), (385, 50), (700, 65)])
  func aStoredWeightIsMultipliedAsItsValues(type: DataType, sizes: (inputs: Int, outputs: Int)) throws {
    let (inputs, outputs) = sizes
    for isOutputsFirst in [true, false] {
      let (stored, meant) = try matrix(
        type, rows: isOutputsFirst ? outputs : inputs, columns: isOutputsFirst ? inputs : outputs,
        scaledByRow: isOutputsFirst, seed: 3)
      let values = try meant()
      let piece: StoredLinearWeight = isOutputsFirst ? .outputsFirst(stored) : .inputsFirst(stored)
      var random = SplitMix64(seed: 9)
      let biases: [Float] = randomNumbers(outputs, in: 0...1, using: &random)
      let bias = try Tensor<Float>(biases, shape: [outputs])
      for rows in [1, 2, 37] {
        let x: [Float] = randomNumbers(rows * inputs, in: -0.5...0.5, using: &random)
        let expected: [Double] = (0..<rows * outputs).map { index in
          let (row, output) = (index / outputs, index % outputs)
          var sum = Double(biases[output])
          for k in 0..<inputs {
            let weight = values[isOutputsFirst ? output * inputs + k : k * outputs + output]
            sum += Double(x[row * inputs + k]) * weight
          }
          return sum
        }
        let input = try Tensor<Float>(x, shape: [rows, inputs])
        for variant in Execution.availableVariants {
          try Execution.with(variant: variant) {
            let narrow = try Linear<Float>(stacking: [piece], bias: bias)(input)
            for (found, expected) in zip(try narrow.elements, expected) {
              #expect(abs(Double(found) - expected) <= 2e-6 * (1 + Double(inputs).squareRoot()))
            }
            let wide = try Linear<Float>(stacking: [piece.widened(to: Float.self)], bias: bias)(input)
            #expect(try narrow.elements == wide.elements)
          }
        }
        let double = try Linear<Double>(stacking: [piece], bias: bias.converted())(input.converted())
        for (found, expected) in zip(try double.elements, expected) { #expect(abs(found - expected) <= 1e-12) }
      }
    }
  }

  @Test func piecesOfSeveralTypesFollowEachOther() throws {
    let (table, tableMeant) = try matrix(.int8, rows: 45, columns: 12, seed: 1)
    let (rest, restMeant) = try matrix(.int8, rows: 19, columns: 45, scaledByRow: false, seed: 2)
    let (half, halfMeant) = try matrix(.float16, rows: 45, columns: 3, seed: 3)
    let (tableValues, restValues, halfValues) = try (tableMeant(), restMeant(), halfMeant())
    let linear = try Linear<Float>(stacking: [.outputsFirst(table), .inputsFirst(rest), .outputsFirst(half)])
    #expect(linear.inputs == 34)
    #expect(linear.outputs == 45)
    for rows in [1, 4] {
      let x = (0..<rows * 34).map { Float(($0 * 7) % 11) - 5 }
      let found = try linear(Tensor(x, shape: [rows, 34])).elements
      for row in 0..<rows {
        for output in 0..<45 {
          var sum = 0.0
          for k in 0..<12 { sum += Double(x[row * 34 + k]) * tableValues[output * 12 + k] }
          for k in 0..<19 { sum += Double(x[row * 34 + 12 + k]) * restValues[k * 45 + output] }
          for k in 0..<3 { sum += Double(x[row * 34 + 31 + k]) * halfValues[output * 3 + k] }
          #expect(abs(Double(found[row * 45 + output]) - sum) < 1e-4)
        }
      }
    }
  }

  /// Numbers that are to be widened when somebody needs them are not, for a layer of a large matrix.
  @Test(arguments: [DataType.float16, .bfloat16])
  func aLargeDeferredWeightStaysAsItIsStored(type: DataType) throws {
    let (inputs, outputs) = (1025, 1024)
    let elements = try matrix(type, rows: outputs, columns: inputs, seed: 11).stored.elements
    var random = SplitMix64(seed: 12)
    for isOutputsFirst in [true, false] {
      let deferred = try #require(try elements.deferringConversion(to: Float.self))
      let shape = isOutputsFirst ? [outputs, inputs] : [inputs, outputs]
      let weight = try deferred.reshaped(shape)
      let layer = try Linear(stacking: [isOutputsFirst ? .outputsFirst(weight) : .inputsFirst(weight)])
      #expect(deferred.deferredSource != nil)
      let wide = try elements.converted(to: Float.self).reshaped(shape)
      let reference = try Linear(stacking: [isOutputsFirst ? .outputsFirst(wide) : .inputsFirst(wide)])
      for rows in [1, 3, 40] {
        let x = try Tensor<Float>.random([rows, inputs], using: &random)
        #expect(try layer(x).elements == reference(x).elements)
      }
    }
  }

  /// Matrices of more than 4 MiB are read from their file in bands.
  @Test(arguments: types + [.float32])
  func largeMatricesOfAFileAreWhatTheyAreInMemory(type: DataType) throws {
    let folder = try TemporaryFolder()
    let lines = 30_000 / type.byteCount
    let (tall, _) = try matrix(type, rows: lines, columns: 144, seed: 7)
    let (wide, _) = try matrix(type, rows: 144, columns: lines, scaledByRow: false, seed: 8)
    var writer = SafetensorsWriter()
    for (name, matrix) in [("tall", tall), ("wide", wide)] {
      try writer.add(matrix.elements, named: name)
      if let scale = matrix.scale { try writer.add(scale, named: "\(name)_scale") }
    }
    try writer.write(toPath: folder.path + "/weights")
    let weights = try Weights(path: folder.path + "/weights")
    let mapped = try [
      StoredLinearWeight.outputsFirst(StoredMatrix(weights, "tall", shape: [lines, 144])),
      .inputsFirst(StoredMatrix(weights, "wide", shape: [144, lines])),
    ]
    var random = SplitMix64(seed: 5)
    for rows in [1, 3] {
      let x = try Tensor<Float>.random([rows, 288], using: &random)
      let expected = try Linear<Float>(stacking: [.outputsFirst(tall), .inputsFirst(wide)])(x).elements
      #expect(try Linear<Float>(stacking: mapped)(x).elements == expected)
    }
  }

  @Test(arguments: types + [.float32])
  func rowsAreWidened(type: DataType) throws {
    for scaledByRow in [true, false] {
      let (stored, meant) = try matrix(type, rows: 7, columns: 5, scaledByRow: scaledByRow, seed: 4)
      let values = try meant()
      let expected = [6, 0, 6, 3].flatMap { row in values[row * 5..<row * 5 + 5] }
      let indices = try Tensor<Int64>([6, 0, 6, 3], shape: [2, 2])
      let found: Tensor<Double> = try stored.rows(indices)
      #expect(found.shape == [2, 2, 5])
      #expect(try found.elements == expected)
      #expect(try stored.values(as: Double.self).elements == values)
      #expect(try stored.rows(2..<4, as: Double.self).elements == Array(values[10..<20]))
      #expect(throws: TensorError.self) { try stored.rows(Tensor<Int64>([7]), as: Float.self) }
    }
  }

  /// Whether they are looked up or sliced, and before anything is allocated for them.
  @Test(arguments: types + [.float32])
  func rowsOutsideAreRefused(type: DataType) throws {
    let stored = try matrix(type, rows: 4, columns: 3, seed: 6).stored
    for range in [2..<9, -2..<1, -3 ..< -1, 5..<5, 0..<1 << 45, .min ..< .max] {
      let refusal = TensorError.argument(
        operation: "StoredMatrix", reason: "rows \(range) of a matrix of shape [4, 3]")
      #expect(throws: refusal) { try stored.rows(range, as: Float.self) }
      #expect(throws: refusal) { try stored.rows(range, as: Double.self) }
    }
    for range in [0..<4, 4..<4, 1..<3] {
      #expect(try stored.rows(range, as: Float.self).shape == [range.count, 3])
      #expect(try stored.rows(range, as: Double.self).shape == [range.count, 3])
    }
    #expect(throws: TensorError.self) { try Embedding(weight: Tensor<Float>(zeros: [4, 3])).rows(2..<9) }
  }

  @Test func whatIsNoStoredMatrixIsRefused() throws {
    let bytes = AnyTensor(try Tensor<Int8>(zeros: [3, 2]))
    let floats = AnyTensor(try Tensor<Float>(zeros: [3, 2]))
    #expect(throws: TensorError.self) { try StoredMatrix(bytes) }
    #expect(throws: TensorError.self) { try StoredMatrix(floats, scale: Tensor(zeros: [3, 1])) }
    #expect(throws: TensorError.self) { try StoredMatrix(bytes, scale: Tensor(zeros: [2, 1])) }
    #expect(throws: TensorError.self) { try StoredMatrix(bytes, scale: Tensor(zeros: [3])) }
    #expect(throws: TensorError.self) {
      try StoredMatrix(AnyTensor(Tensor<Int8>(zeros: [3])), scale: Tensor(zeros: [3, 1]))
    }
    #expect(throws: TensorError.self) { try StoredMatrix(AnyTensor(Tensor<Int32>(zeros: [3, 2]))) }
    let stored = try StoredMatrix(bytes, scale: Tensor(zeros: [3, 1]))
    #expect(throws: TensorError.self) {
      try Linear<Float>(stacking: [.outputsFirst(stored), .inputsFirst(stored)])
    }
    #expect(throws: TensorError.self) {
      try Linear<Float>(stacking: [.outputsFirst(stored)], bias: Tensor(zeros: [2]))
    }
  }

  @Test func scalesAreReadBesideTheirWeights() throws {
    let bytes = AnyTensor(try Tensor<Int8>([1, 2, 3, 4, 5, 6], shape: [3, 2]))
    func stored(_ scale: AnyTensor?) throws -> StoredMatrix {
      var parameters = ["a.weight": bytes]
      parameters["a.weight_scale"] = scale
      return try StoredMatrix(Weights(parameters, name: "file")["a"], shape: [3, 2])
    }
    func values(_ scale: Tensor<Float>) throws -> [Float] {
      try stored(AnyTensor(scale)).values(as: Float.self).elements
    }
    #expect(try values(Tensor([1, 10, 100])) == [1, 2, 30, 40, 500, 600])
    #expect(try values(Tensor([1, 10, 100], shape: [3, 1])) == [1, 2, 30, 40, 500, 600])
    #expect(try values(Tensor([1, 10], shape: [1, 2])) == [1, 20, 3, 40, 5, 60])
    let missing = try #require(throws: WeightsError.self) { try stored(nil) }
    #expect(missing.reason == .missing(name: "a.weight_scale", similar: nil))
    let wrong = try #require(throws: WeightsError.self) { try stored(AnyTensor(Tensor<Float>(zeros: [2]))) }
    #expect(wrong.reason == .wrongShape(name: "a.weight_scale", found: [2], expected: [3]))
    let type = try #require(throws: WeightsError.self) { try stored(AnyTensor(Tensor<Int32>(zeros: [3]))) }
    #expect(type.reason == .wrongType(name: "a.weight_scale", found: .int32, expected: .float32))
  }
}
