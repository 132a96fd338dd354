import Apus

extension Operators {
  /// What MaxPool found, back where it was, zeros elsewhere.
  ///
  /// Inputs: the maxima `[batch, channels, …]`, where they were (indices into the tensor that MaxPool read, as large as
  /// kernel, strides and pads say), and the output's shape when it is larger than that.
  static func MaxUnpool(_ node: NodeDescription) throws -> PreparedOperator {
    floating(try MaxUnpooling<Float>(node), try MaxUnpooling<Double>(node))
  }

  /// The shape of what MaxPool read, as far as its windows determine it, where it gave the shape `x`.
  fileprivate static func unpooledShape(_ x: [Int], _ axes: [WindowAxis]) throws -> [Int] {
    let sizes = try zip(axes, x.dropFirst(2)).map { axis, size in
      guard 1...WindowAttributes.limit ~= size else { throw OperatorError("an axis of \(size) positions is given") }
      let result = (size - 1) * axis.stride - axis.before - axis.after + axis.kernel
      guard result > 0 else { throw OperatorError("the padding leaves nothing of an axis of \(size) positions") }
      return result
    }
    return x.prefix(2) + sizes
  }
}

private struct MaxUnpooling<Scalar: FloatingPointScalar>: FloatingOperator {
  let axes: [WindowAxis]

  init(_ node: NodeDescription) throws {
    let windows = try WindowAttributes(node)
    guard let kernel = windows.kernel else { throw OperatorError("attribute 'kernel_shape' is missing") }
    axes = try windows.axes(kernel: kernel)
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let x = try arguments.floating(0, as: Scalar.self)
    let indices = try arguments.tensor(1, of: Int64.self)
    guard x.rank == axes.count + 2, indices.shape == x.shape else {
      throw OperatorError(
        "maxima of shape \(x.shape) and indices of shape \(indices.shape) are not alike, with \(axes.count) axes of a map"
      )
    }
    let inner = try Operators.unpooledShape(x.shape, axes)
    let count = try Shape.elementCount(inner, operation: "MaxUnpool")
    var result = try Tensor<Scalar>(zeros: inner)
    try x.withUnsafeBufferPointer { values in
      try indices.withUnsafeBufferPointer { places in
        try result.withUnsafeMutableBufferPointer { y in
          for (value, place) in zip(values, places) {
            guard let index = Int(exactly: place), 0..<count ~= index else {
              throw OperatorError("index \(place) is outside a tensor of shape \(inner)")
            }
            y[index] = value
          }
        }
      }
    }
    guard let shape = try arguments.optionalIntegers(2), shape != inner else {
      return [try GraphValue(rounding: result, to: type)]
    }
    guard shape.count == inner.count else {
      throw OperatorError("the output's shape \(shape) does not have \(inner.count) axes")
    }
    // A larger output has zeros at its ends.
    let amounts = zip(shape, inner).reversed().flatMap { [0, $0 &- $1] }
    return [try GraphValue(rounding: pad(result, amounts), to: type)]
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let maxUnpool = ShapeRule.rule { facts in
    let x = try facts.input(0)
    let windows = try WindowAttributes(facts.node)
    guard let kernel = windows.kernel, x.shape.count == kernel.count + 2 else { throw ShapeFacts.Unknown() }
    let shape = try facts.integers(2) ?? Operators.unpooledShape(x.shape, windows.axes(kernel: kernel))
    guard shape.count == x.shape.count else { throw ShapeFacts.Unknown() }
    return [InferredType(x.elementType, shape)]
  }
}
