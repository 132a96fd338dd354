import Apus

// The activation that a pass has moved into a node, applied as by a node of its own.

extension GraphValue {
  /// What `body` computes, with `activation` applied by it where that comes to the same: a result of sixteen bits is
  /// rounded before, and at each step.
  init<Scalar: FloatingPointScalar>(
    ending activation: Activation, _ type: ElementType, _ body: (Activation) throws -> Tensor<Scalar>
  ) throws {
    if activation == .identity || type == ElementType(Scalar.dataType) {
      try self.init(rounding: body(activation), to: type)
    } else {
      try self.init(rounding: body(.identity), activation, to: type)
    }
  }

  /// `activation` of numbers that are rounded to sixteen bits, before and at each step.
  private init<Scalar: FloatingPointScalar>(
    rounding numbers: Tensor<Scalar>, _ activation: Activation, to type: ElementType
  ) throws {
    guard let floats = numbers as? Tensor<Float>, let program = ElementwiseProgram(activation) else {
      try self.init(rounding: Apus.activation(numbers.rounded(to: type), activation), to: type)
      return
    }
    switch type {
    #if !(os(macOS) && arch(x86_64))
      case .float16: self.init(try program(rounding: floats, to: Float16.self))
    #endif
    case .bfloat16: self.init(try program(rounding: floats, to: BFloat16.self))
    default: try self.init(rounding: Apus.activation(numbers, activation), to: type)
    }
  }
}

extension ElementwiseProgram {
  /// An activation as the nodes that it was in the file; nil of none.
  fileprivate init?(_ activation: Activation) {
    if activation == .sigmoidProduct, let sigmoid = Activation.sigmoid.operation {
      self.init([.unary(sigmoid, .input(0)), .binary(.multiply, .input(0), .step(0))])
    } else if let operation = activation.operation {
      self.init([.unary(operation, .input(0))])
    } else {
      return nil
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
