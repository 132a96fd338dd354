import Apus

/// Products and convolutions of 8-bit integers, and quantisation.
///
/// Operations are those of the products, so the share of the peak is one of the float32 peak: with an instruction that
/// multiplies four bytes at once it can be up to four times as much.
func quantizedWorkloads() -> [Workload] {
  [
    matrix("1x768x768", 1, 768, 768), matrix("32x128x512", 32, 512, 128), matrix("128x512x512", 128, 512, 512),
    matrix("128x3072x768", 128, 768, 3072), matrix("1024x1024x1024", 1024, 1024, 1024),
  ]
    + [
      IntegerConvolutionCase(label: "first-3x3-s2-3-16", inputs: 3, outputs: 16, size: 640, kernel: 3, stride: 2),
      IntegerConvolutionCase(label: "3x3-s2-16-32", inputs: 16, outputs: 32, size: 320, kernel: 3, stride: 2),
      IntegerConvolutionCase(label: "3x3-16", inputs: 16, outputs: 16, size: 160, kernel: 3),
      IntegerConvolutionCase(label: "1x1-48-32", inputs: 48, outputs: 32, size: 160, kernel: 1),
      IntegerConvolutionCase(label: "3x3-32", inputs: 32, outputs: 32, size: 80, kernel: 3),
      IntegerConvolutionCase(label: "3x3-64-80", inputs: 64, outputs: 80, size: 80, kernel: 3),
      IntegerConvolutionCase(label: "3x3-64", inputs: 64, outputs: 64, size: 40, kernel: 3),
      IntegerConvolutionCase(label: "3x3-128", inputs: 128, outputs: 128, size: 20, kernel: 3),
      IntegerConvolutionCase(label: "1x1-384-256", inputs: 384, outputs: 256, size: 20, kernel: 1),
      IntegerConvolutionCase(label: "depthwise-3x3-96", inputs: 96, outputs: 96, size: 56, kernel: 3, groups: 96),
    ].flatMap { [$0.workload(isScaled: false), $0.workload(isScaled: true)] }
    + [detector(isScaled: false), detector(isScaled: true)] + conversions
}

private func matrix(_ label: String, _ rows: Int, _ depth: Int, _ columns: Int) -> Workload {
  Workload(
    name: "matmul-integer/\(label)", shape: "[\(rows), \(depth)] · [\(depth), \(columns)]",
    cost: .operations(2 * Double(rows) * Double(depth) * Double(columns)), twin: nil
  ) {
    let a = try integers([rows, depth], seed: 1)
    let packed = try PackedIntegerMatrix(
      try integers([depth, columns], seed: 2), zeroPoint: Tensor<UInt8>([121], shape: []))
    let zeroPoint = try Tensor<UInt8>([97], shape: [])
    return {
      _ = try packed.product(a, zeroPoint: zeroPoint)
      return nil
    }
  }
}

private struct IntegerConvolutionCase {
  let label: String
  let inputs: Int
  let outputs: Int
  let size: Int
  let kernel: Int
  var stride = 1
  var groups = 1

  private var outputSize: Int { (size + 2 * (kernel / 2) - kernel) / stride + 1 }

  var operations: Double {
    2 * Double(inputs / groups * kernel * kernel) * Double(outputs * outputSize * outputSize)
  }

  func workload(isScaled: Bool) -> Workload {
    Workload(
      name: "conv-integer\(isScaled ? "-silu" : "")/\(label)",
      shape: "\(inputs)×\(size)×\(size) → \(outputs)×\(outputSize)×\(outputSize)", cost: .operations(operations),
      twin: nil
    ) {
      let body = try prepare(isScaled: isScaled)
      return {
        try body()
        return nil
      }
    }
  }

  /// Sums, or floats with scale, bias and activation.
  func prepare(isScaled: Bool) throws -> () throws -> Void {
    let x = try integers([1, inputs, size, size], seed: 1)
    let layer = try IntegerConvolution(
      weight: try integers([outputs, inputs / groups, kernel, kernel], seed: 2),
      zeroPoint: Tensor<UInt8>([121], shape: []), stride: Size2D(integerLiteral: stride),
      padding: Padding2D(integerLiteral: kernel / 2), groups: groups)
    guard isScaled else { return { _ = try layer(x, zeroPoint: 97) } }
    let scale = try Tensor<Float>([Float(1) / 4096], shape: [])
    let bias = try Operand([outputs], seed: 3).tensor()
    return { _ = try layer.scaled(x, zeroPoint: 97, scale: scale, bias: bias, activation: .silu) }
  }
}

/// All convolutions of YOLOv8n but the last, one after the other.
private func detector(isScaled: Bool) -> Workload {
  // Inputs, outputs, extent of the input, kernel, stride, and how many there are.
  let layers = [
    (3, 16, 640, 3, 2, 1), (16, 32, 320, 3, 2, 1), (32, 32, 160, 1, 1, 1), (16, 16, 160, 3, 1, 2),
    (48, 32, 160, 1, 1, 1), (32, 64, 160, 3, 2, 1), (64, 64, 80, 1, 1, 2), (32, 32, 80, 3, 1, 6),
    (128, 64, 80, 1, 1, 1),
    (64, 128, 80, 3, 2, 1), (128, 128, 40, 1, 1, 1), (64, 64, 40, 3, 1, 10), (256, 128, 40, 1, 1, 1),
    (128, 256, 40, 3, 2, 1), (256, 256, 20, 1, 1, 1), (128, 128, 20, 3, 1, 4), (384, 256, 20, 1, 1, 3),
    (256, 128, 20, 1, 1, 1), (512, 256, 20, 1, 1, 1), (384, 128, 40, 1, 1, 1), (192, 128, 40, 1, 1, 3),
    (192, 64, 80, 1, 1, 1), (96, 64, 80, 1, 1, 1), (64, 64, 80, 3, 2, 1), (64, 64, 80, 3, 1, 2), (64, 80, 80, 3, 1, 1),
    (80, 80, 80, 3, 1, 1), (80, 80, 80, 1, 1, 1), (128, 128, 40, 3, 2, 1), (128, 64, 40, 3, 1, 1),
    (128, 80, 40, 3, 1, 1), (80, 80, 40, 3, 1, 1), (64, 64, 40, 1, 1, 1), (80, 80, 40, 1, 1, 1), (256, 64, 20, 3, 1, 1),
    (256, 80, 20, 3, 1, 1), (64, 64, 20, 3, 1, 1), (80, 80, 20, 3, 1, 1), (64, 64, 20, 1, 1, 1), (80, 80, 20, 1, 1, 1),
  ].map { inputs, outputs, size, kernel, stride, count in
    (
      IntegerConvolutionCase(
        label: "", inputs: inputs, outputs: outputs, size: size, kernel: kernel, stride: stride), count
    )
  }
  return Workload(
    name: "conv-integer\(isScaled ? "-silu" : "")/yolov8n", shape: "3×640×640",
    cost: .operations(layers.reduce(0) { $0 + $1.0.operations * Double($1.1) }), twin: nil
  ) {
    let bodies = try layers.map { (try $0.0.prepare(isScaled: isScaled), $0.1) }
    return {
      for (body, count) in bodies { for _ in 0..<count { try body() } }
      return nil
    }
  }
}

private var conversions: [Workload] {
  let shape = [64, 80, 80]
  let count = Double(shape.reduce(1, *))
  let x = Operand(shape, seed: 1, scale: 4)
  return [
    Workload(
      name: "quantize/linear", shape: shape.joined("×"), cost: .bytes(5 * count), twin: nil
    ) {
      let (x, scale) = (try x.tensor(), try Tensor<Float>([0.03], shape: []))
      let zeroPoint = try Tensor<UInt8>([128], shape: [])
      return {
        _ = try quantizeLinear(x, scale: scale, zeroPoint: zeroPoint)
        return nil
      }
    },
    Workload(
      name: "quantize/dynamic", shape: shape.joined("×"), cost: .bytes(5 * count), twin: nil
    ) {
      let x = try x.tensor()
      return {
        _ = try dynamicQuantizeLinear(x)
        return nil
      }
    },
    Workload(
      name: "quantize/dequantize", shape: shape.joined("×"), cost: .bytes(5 * count), twin: nil
    ) {
      let (x, scale) = (try integers(shape, seed: 1), try Tensor<Float>([0.03], shape: []))
      return { try dequantizeLinear(x, scale: scale, zeroPoint: Tensor<UInt8>([128], shape: [])) }
    },
  ]
}

/// Bytes from 0 to 255, from the numbers of an operand.
private func integers(_ shape: [Int], seed: UInt32) throws -> Tensor<UInt8> {
  try Operand(shape, seed: seed, scale: 128, offset: 128).tensor().converted(to: UInt8.self)
}
