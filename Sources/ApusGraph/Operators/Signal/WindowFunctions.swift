import Apus
import ApusPlatform

// Windows that signals are cut with, and the matrix that makes mel spectra of linear ones.

extension Operators {
  static let windows: [OperatorDefinition] = [
    OperatorDefinition("BlackmanWindow", .plain(.windowFunction), BlackmanWindow),
    OperatorDefinition("HammingWindow", .plain(.windowFunction), HammingWindow),
    OperatorDefinition("HannWindow", .plain(.windowFunction), HannWindow),
    OperatorDefinition("MelWeightMatrix", .plain(.melWeightMatrix), MelWeightMatrix),
  ]

  /// 0.42 - 0.5 cos 2πn/N + 0.08 cos 4πn/N
  static func BlackmanWindow(_ node: NodeDescription) throws -> PreparedOperator {
    try window(node) { 0.42 - 0.5 * cos($0) + 0.08 * cos(2 * $0) }
  }

  /// 25/46 - 21/46 cos 2πn/N
  static func HammingWindow(_ node: NodeDescription) throws -> PreparedOperator {
    try window(node) { 25.0 / 46 - 21.0 / 46 * cos($0) }
  }

  /// 0.5 - 0.5 cos 2πn/N
  static func HannWindow(_ node: NodeDescription) throws -> PreparedOperator {
    try window(node) { 0.5 - 0.5 * cos($0) }
  }

  /// `function` of 2πn/N for n in 0 ..< size, where N is the size, or one less when the window is not periodic.
  private static func window(
    _ node: NodeDescription, _ function: @escaping @Sendable (Double) -> Double
  ) throws -> PreparedOperator {
    let isPeriodic = try node.flag("periodic", default: true)
    let type = try outputType(node)
    return { arguments in
      let size = try arguments.integer(0)
      let period = Double(isPeriodic ? size : size &- 1)
      let numbers = try Tensor<Double>.filled([size]) { y in
        for n in 0..<size { y[n] = period == 0 ? 1 : function(2 * .pi * Double(n) / period) }
      }
      return [.tensor(try AnyTensor(numbers).converted(to: type))]
    }
  }

  private static func outputType(_ node: NodeDescription) throws -> DataType {
    let type = try node.optionalElementType("output_datatype") ?? .float
    guard let dataType = type.dataType, dataType != .bool else {
      throw OperatorError("attribute 'output_datatype' is \(type); a type of numbers is needed")
    }
    return dataType
  }

  /// `[⌊dft_length / 2⌋ + 1, bins]`: triangles with a peak of 1 whose corners are equally far from each other on the
  /// mel scale, 2595 log₁₀(1 + f / 700).
  static func MelWeightMatrix(_ node: NodeDescription) throws -> PreparedOperator {
    let type = try outputType(node)
    return { arguments in
      let (bins, length, rate) = (try arguments.integer(0), try arguments.integer(1), try arguments.integer(2))
      let low = try arguments.floating(3, as: Double.self).scalar
      let high = try arguments.floating(4, as: Double.self).scalar
      guard bins >= 0, length >= 0, rate > 0, low >= 0, high >= low else {
        throw OperatorError(
          "\(bins) bins from \(low) to \(high) Hz of a spectrum of \(length) at \(rate) Hz make no sense")
      }
      let rows = length / 2 + 1
      var weights = try Tensor<Double>(zeros: [rows, bins])
      try Shape.checkMemory([bins, 2], of: Int.self, operation: "MelWeightMatrix")
      func mel(_ frequency: Double) -> Double { 2595 * log1p(frequency / 700) / log(10) }
      let step = (mel(high) - mel(low)) / Double(bins + 2)
      let corners = (0..<(bins + 2)).map { index -> Int in
        let frequency = 700 * expm1((Double(index) * step + mel(low)) / 2595 * log(10))
        return Int(clamping: ((Double(length) + 1) * frequency / Double(rate)).rounded(.down))
      }
      guard corners.allSatisfy({ (0...rows).contains($0) }), corners.dropLast().allSatisfy({ $0 < rows }) else {
        throw OperatorError("\(high) Hz lies beyond a spectrum of \(length) at \(rate) Hz")
      }
      try weights.withUnsafeMutableBufferPointer { y in
        for bin in 0..<bins {
          try arguments.context.checkCancellation()
          let (left, peak, right) = (corners[bin], corners[bin + 1], corners[bin + 2])
          if left == peak { y[peak * bins + bin] = 1 }
          for row in left..<max(peak, left) { y[row * bins + bin] = Double(row - left) / Double(peak - left) }
          for row in peak..<max(right, peak) { y[row * bins + bin] = Double(right - row) / Double(right - peak) }
          if left != peak, peak == right { y[peak * bins + bin] = 1 }
        }
      }
      return [.tensor(try AnyTensor(weights).converted(to: type))]
    }
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let windowFunction = ShapeRule.rule { facts in
    guard let size = try facts.integer(0) else { throw ShapeFacts.Unknown() }
    return [InferredType(try facts.node.optionalElementType("output_datatype") ?? .float, [size])]
  }

  static let melWeightMatrix = ShapeRule.rule { facts in
    guard let bins = try facts.integer(0), let length = try facts.integer(1), length >= 0 else {
      throw ShapeFacts.Unknown()
    }
    return [InferredType(try facts.node.optionalElementType("output_datatype") ?? .float, [length / 2 + 1, bins])]
  }
}
