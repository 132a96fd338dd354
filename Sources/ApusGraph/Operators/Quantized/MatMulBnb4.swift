import Apus

extension Operators {
  static let bitsAndBytes: [OperatorDefinition] = [
    OperatorDefinition(
      "MatMulBnb4", domain: "com.microsoft",
      .product(.matMulNBits, work: .matrixProduct, accuracy: .sum(.columns)), MatMulBnb4)
  ]

  /// `A · Wᵀ` with a weight of four bits, as the library bitsandbytes quantises: each code stands for a number of a table, and
  /// every block of `block_size` numbers of the whole weight has a scale.
  static func MatMulBnb4(_ node: NodeDescription) throws -> PreparedOperator {
    floating(try TabledProduct<Float>(node), try TabledProduct<Double>(node))
  }
}

/// A weight `[outputs, inputs]` of codes.
private struct TabledWeight: Sendable {
  let inputs: Int
  let outputs: Int
  private let blockSize: Int
  private let levels: [Float]

  /// Four-bit floating point: a sign, two bits of an exponent and one of a fraction, divided by the greatest.
  private static let fp4: [Float] = {
    let magnitudes: [Float] = [0, 0.0052083333, 0.6666667, 1, 0.33333333, 0.5, 0.16666667, 0.25]
    return magnitudes + magnitudes.map { -$0 }
  }()

  /// Quantiles of a normal distribution (T. Dettmers et al., QLoRA, 2023, appendix E).
  private static let nf4: [Float] = [
    -1, -0.6961928, -0.52507305, -0.3949175, -0.28444138, -0.18477343, -0.091050036, 0, 0.0795803, 0.1609302,
    0.2461123, 0.33791524, 0.44070983, 0.562617, 0.72295684, 1,
  ]

  init(_ node: NodeDescription) throws {
    inputs = try node.int("K")
    outputs = try node.int("N")
    blockSize = try node.int("block_size")
    let type = try node.int("quant_type")
    levels = type == 0 ? Self.fp4 : Self.nf4
    // No product of two of these overflows.
    let sizes = 1...(1 << 31)
    guard sizes ~= inputs, sizes ~= outputs, sizes ~= blockSize, 0...1 ~= type, try node.flag("transB", default: true)
    else {
      throw OperatorError(
        "K \(inputs), N \(outputs), block_size \(blockSize), quant_type \(type) and transB do not describe a weight that is "
          + "supported")
    }
  }

  func numbers<Scalar: FloatingPointScalar>(_ packed: GraphValue, scales: Tensor<Scalar>) throws -> Tensor<Scalar> {
    let count = inputs * outputs
    guard case .tensor(.uint8(let bytes)) = packed, bytes.count == (count + 1) / 2,
      scales.count == (count + blockSize - 1) / blockSize
    else {
      throw OperatorError(
        "B is \(packed.type) and absmax has shape \(scales.shape); UINT8[\((count + 1) / 2)] and "
          + "[\((count + blockSize - 1) / blockSize)] are needed")
    }
    let levels = levels.map { Scalar($0) }
    return try bytes.withUnsafeBufferPointer { bytes in
      try scales.withUnsafeBufferPointer { scales in
        try Tensor.filled([outputs, inputs]) { weight in
          for index in 0..<count {
            // The first of two lies in the upper bits.
            let code = index % 2 == 0 ? bytes[index / 2] >> 4 : bytes[index / 2] & 15
            (weight + index).initialize(to: levels[Int(code)] * scales[index / blockSize])
          }
        }
      }
    }
  }
}

private struct TabledProduct<Scalar: FloatingPointScalar>: FloatingOperator {
  private let form: TabledWeight
  private let product: Linear<Scalar>?

  init(_ node: NodeDescription) throws {
    form = try TabledWeight(node)
    guard let packed = node.constant(1), let scales = try node.ownConstant(2, as: Scalar.self) else {
      product = nil
      return
    }
    product = try Linear(weight: form.numbers(packed, scales: scales))
    for index in 1...2 { node.absorb(index) }
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let a = try arguments.floating(0, as: Scalar.self)
    if let product { return [try GraphValue(rounding: product(a), to: type)] }
    let weight = try form.numbers(arguments.value(1), scales: arguments.floating(2, as: Scalar.self))
    return [try GraphValue(rounding: linear(a, weight: weight), to: type)]
  }
}
