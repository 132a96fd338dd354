import Apus

// Operators that the standard tried and took back. Models converted from Core ML and from Caffe2 in its first years have them.

extension Operators {
  static let experimental: [OperatorDefinition] = [
    OperatorDefinition("Affine", .plain(.likeInput), Affine),
    OperatorDefinition("Crop", .plain(.crop), Crop),
    OperatorDefinition("ImageScaler", .plain(.likeInput), ImageScaler),
    OperatorDefinition("ParametricSoftplus", .plain(.likeInput), ParametricSoftplus),
    OperatorDefinition("Scale", .plain(.likeInput), Scale),
    OperatorDefinition("ScaledTanh", .plain(.likeInput), ScaledTanh),
  ]

  /// `alpha · x + beta`
  static func Affine(_ node: NodeDescription) throws -> PreparedOperator {
    let (alpha, beta) = (try node.float("alpha", default: 1), try node.float("beta", default: 0))
    return floating(
      ScaledFunction<Float> { try $0 * alpha + beta }, ScaledFunction { try $0 * Double(alpha) + Double(beta) })
  }

  /// `scale · x`
  static func Scale(_ node: NodeDescription) throws -> PreparedOperator {
    let scale = try node.float("scale", default: 1)
    return floating(ScaledFunction<Float> { try $0 * scale }, ScaledFunction { try $0 * Double(scale) })
  }

  /// `alpha · tanh(beta · x)`
  static func ScaledTanh(_ node: NodeDescription) throws -> PreparedOperator {
    let (alpha, beta) = (try node.float("alpha", default: 1), try node.float("beta", default: 1))
    return floating(
      ScaledFunction<Float> { try tanh($0 * beta) * alpha },
      ScaledFunction { try tanh($0 * Double(beta)) * Double(alpha) })
  }

  /// `alpha · ln(e^(beta · x) + 1)`
  static func ParametricSoftplus(_ node: NodeDescription) throws -> PreparedOperator {
    let (alpha, beta) = (try node.float("alpha", default: 1), try node.float("beta", default: 1))
    return floating(
      ScaledFunction<Float> { try softplus($0 * beta) * alpha },
      ScaledFunction { try softplus($0 * Double(beta)) * Double(alpha) })
  }

  /// `scale · x + bias` of pictures `[batch, channels, height, width]`, with a bias for each channel.
  static func ImageScaler(_ node: NodeDescription) throws -> PreparedOperator {
    let scale = try node.float("scale", default: 1)
    let bias = try node.optionalFloats("bias") ?? []
    @Sendable func scaled<Scalar: FloatingPointScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
      guard x.rank == 4, x.shape[1] == bias.count else {
        throw OperatorError("an input of shape \(x.shape) and \(bias.count) biases are not those of pictures")
      }
      return try x * Scalar(scale) + Tensor(bias.map { Scalar($0) }, shape: [bias.count, 1, 1])
    }
    return floating(ScaledFunction<Float>(function: scaled), ScaledFunction<Double>(function: scaled))
  }

  /// Pictures `[batch, channels, height, width]` without `border`, left, top, right and bottom; with `scale`, height and width,
  /// what begins at the left and the top.
  static func Crop(_ node: NodeDescription) throws -> PreparedOperator {
    let window = try CropWindow(node)
    return { arguments in
      let x = try arguments.take(0)
      let shape = try x.extents
      let (starts, ends) = try window.range(of: shape)
      var cut = Cut(whole: shape)
      for axis in 0..<2 { try cut.take(2 + axis, from: starts[axis], to: ends[axis], step: 1) }
      return [try cut.run(x)]
    }
  }
}

private struct ScaledFunction<Scalar: FloatingPointScalar>: FloatingOperator {
  let function: @Sendable (Tensor<Scalar>) throws -> Tensor<Scalar>

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    [try GraphValue(rounding: function(arguments.floating(0, as: Scalar.self)), to: type)]
  }
}

private struct CropWindow: Sendable {
  private let border: [Int]
  private let scale: [Int]?

  init(_ node: NodeDescription) throws {
    border = try node.optionalInts("border") ?? []
    scale = try node.optionalInts("scale")
    guard border.count == 4, border.allSatisfy({ $0 >= 0 }),
      scale.map({ $0.count == 2 && $0.allSatisfy { $0 >= 0 } }) ?? true
    else { throw OperatorError("border \(border) and scale \(scale ?? []) are not four numbers and two") }
  }

  /// Where rows and columns of pictures begin and end.
  func range(of shape: [Int]) throws -> (starts: [Int], ends: [Int]) {
    guard shape.count == 4 else {
      throw OperatorError("input 0 has shape \(shape); [batch, channels, height, width] is needed")
    }
    let starts = [border[1], border[0]]
    let ends = (0..<2).map { axis in
      guard let scale else { return shape[2 + axis] - border[3 - axis] }
      return starts[axis].addingReportingOverflow(scale[axis]).partialValue
    }
    for axis in 0..<2 where !(starts[axis]...max(starts[axis], shape[2 + axis]) ~= ends[axis]) {
      throw OperatorError("border \(border) and scale \(scale ?? []) do not fit pictures of shape \(shape)")
    }
    return (starts, ends)
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let crop = ShapeRule.rule { facts in
    var x = try facts.input(0)
    let (starts, ends) = try CropWindow(facts.node).range(of: x.shape)
    for axis in 0..<2 { x.shape[2 + axis] = ends[axis] - starts[axis] }
    return [x]
  }
}
