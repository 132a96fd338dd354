import Apus

// What the operators of `ai.onnx.ml` have in common: they compute in float64 and round once, to FLOAT where the
// standard has them give FLOAT whatever goes in.

extension OperatorDefinition {
  /// An operator of the domain `ai.onnx.ml`.
  convenience init(
    ml type: String, _ facts: OperatorFacts, _ prepare: @escaping @Sendable (NodeDescription) throws -> PreparedOperator
  ) {
    self.init(type, domain: "ai.onnx.ml", facts, prepare)
  }
}

extension Arguments {
  /// Input `index`, numbers of any type, as rows: `[N, C]`, or `[C]` for one row.
  func rows(_ index: Int) throws -> (numbers: Tensor<Double>, count: Int, width: Int) {
    let tensor = try tensor(index)
    guard tensor.rank == 1 || tensor.rank == 2, let width = tensor.shape.last else {
      throw OperatorError("input \(index) has shape \(tensor.shape); [N, C] or [C] is needed")
    }
    // Rows without numbers must not be more than could be held if they had one.
    let count = tensor.rank == 2 ? tensor.shape[0] : 1
    try Shape.checkMemory([count], of: Double.self, operation: "rows")
    return (try tensor.converted(), count, width)
  }
}

/// The scores of rows, `[N, width]`.
struct Scores {
  private(set) var numbers: Tensor<Double>

  /// - Parameter numbers: `[N, width]`.
  init(_ numbers: Tensor<Double>) { self.numbers = numbers }

  var width: Int { numbers.shape[1] }

  /// Changes the scores of every row.
  mutating func forEachRow(_ change: (_ scores: UnsafeMutableBufferPointer<Double>) -> Void) throws {
    let (count, width) = (numbers.shape[0], numbers.shape[1])
    try numbers.withUnsafeMutableBufferPointer { numbers in
      for row in 0..<count {
        change(UnsafeMutableBufferPointer(rebasing: numbers[(row * width)..<((row + 1) * width)]))
      }
    }
  }

  /// Both scores of two classes, where there is one: its opposite, and itself.
  func withOpposites() throws -> Scores {
    Scores(try Tensor(numbers.elements.flatMap { [-$0, $0] }, shape: [numbers.shape[0], 2]))
  }

  /// The scores as a tensor of FLOAT, or of another type.
  func value(_ type: ElementType = .float) throws -> GraphValue {
    try GraphValue(roundingThroughFloat: numbers, to: type)
  }
}

extension NodeDescription {
  /// Numbers that are an attribute, or, in newer versions, a tensor named `<name>_as_tensor`.
  func numbers(_ name: String) throws -> [Double]? {
    if let value = try optionalTensor("\(name)_as_tensor") { return try value.doubles }
    return try optionalFloats(name)?.map { Double($0) }
  }
}

extension GraphValue {
  /// The elements of a tensor of numbers.
  var doubles: [Double] {
    get throws {
      guard case .tensor(let tensor) = self else { throw OperatorError("\(type) is given; numbers are needed") }
      return try tensor.converted(to: Double.self).elements
    }
  }

  /// Numbers computed in float64, as the floating-point type `type`: by way of FLOAT where that has sixteen bits.
  init(roundingThroughFloat tensor: Tensor<Double>, to type: ElementType) throws {
    self = type == .double ? GraphValue(tensor) : try GraphValue(rounding: tensor.converted(to: Float.self), to: type)
  }
}

// MARK: - Shapes

extension ShapeFacts {
  /// The number of rows of input `index`: see ``Arguments/rows(_:)``.
  func rows(_ index: Int) throws -> Int {
    let shape = try shape(index)
    guard shape.count == 1 || shape.count == 2 else { throw Unknown() }
    return shape.count == 2 ? shape[0] : 1
  }
}

extension ShapeRule {
  /// A label and `scores` scores for each row.
  static func classifier(_ facts: ShapeFacts, labels: ClassLabels, scores: Int) throws -> [InferredType?] {
    let rows = try facts.rows(0)
    return [InferredType(labels.elementType, [rows]), InferredType(.float, [rows, scores])]
  }
}
