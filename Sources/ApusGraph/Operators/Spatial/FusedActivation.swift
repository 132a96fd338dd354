import Apus

// The activation that a pass has moved into a node, applied as by a node of its own.

extension GraphValue {
  /// What `body` computes, with `activation` applied by it where that comes to the same: a result of sixteen bits is
  /// rounded before.
  init<Scalar: FloatingPointScalar>(
    ending activation: Activation, _ type: ElementType, _ body: (Activation) throws -> Tensor<Scalar>
  ) throws {
    if activation == .identity || type == ElementType(Scalar.dataType) {
      try self.init(rounding: body(activation), to: type)
    } else {
      var numbers = try body(.identity)
      if let dataType = type.dataType { try numbers.round(to: dataType) }
      try numbers.apply(activation)
      try self.init(rounding: numbers, to: type)
    }
  }
}

extension Tensor where Scalar: WholeNumber {
  /// The activations that there are of integers: those that cut.
  /// - Throws: ``OperatorError`` for all others.
  func bounded(by activation: Activation) throws -> Tensor {
    let bounds: ClosedRange<Scalar>
    switch activation {
    case .identity: return self
    case .relu: bounds = 0...(.max)
    case .hardTanh(let minimum, let maximum):
      let (low, high) = (Scalar(clamping: minimum), Scalar(clamping: maximum))
      // Where the minimum is greater than the maximum everything becomes the maximum.
      bounds = min(low, high)...high
    default: throw OperatorError("an activation of integers is asked for that they do not have")
    }
    var result = self
    try result.withUnsafeMutableBufferPointer { elements in
      for index in elements.indices {
        elements[index] = min(max(elements[index], bounds.lowerBound), bounds.upperBound)
      }
    }
    return result
  }
}
