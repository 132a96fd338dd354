import Apus

// Distributions along an axis. Since opset 13 `axis` is the one that is normalised, the last by default; before, it is
// where the shape is cut into two, and everything from there on (from axis 1 by default) is normalised together.

extension Operators {
  static let softmaxes: [OperatorDefinition] = [
    OperatorDefinition("Softmax", .reduction(.likeInput, terms: .alongAxis, accuracy: .bounded), Softmax),
    OperatorDefinition("LogSoftmax", .reduction(.likeInput, terms: .alongAxis), LogSoftmax),
    OperatorDefinition("Hardmax", .plain(.likeInput), Hardmax),
  ]

  /// exp(x) / Σ exp(x)
  static func Softmax(_ node: NodeDescription) throws -> PreparedOperator {
    floating(try AlongAxis(node, .soft))
  }

  /// ln(exp(x) / Σ exp(x))
  static func LogSoftmax(_ node: NodeDescription) throws -> PreparedOperator {
    floating(try AlongAxis(node, .logarithm))
  }

  /// 1 for the first of the greatest elements, 0 for all others.
  static func Hardmax(_ node: NodeDescription) throws -> PreparedOperator {
    floating(try AlongAxis(node, .hard))
  }

  fileprivate static func hardmax<Scalar: FloatingPointScalar>(
    _ x: Tensor<Scalar>, axis: Int
  ) throws -> Tensor<Scalar> {
    var result = try Tensor<Scalar>(zeros: x.shape)
    // Of an empty tensor too.
    let resolved = try Shape.axis(axis, in: x.shape, operation: "Hardmax")
    guard x.count > 0 else { return result }
    let winners = try x.argmax(axis: axis).elements
    let axis = resolved
    let inner = x.shape[(axis + 1)...].reduce(1, *)
    try result.withUnsafeMutableBufferPointer { y in
      for (row, winner) in winners.enumerated() {
        y[(row / inner * x.shape[axis] + Int(winner)) * inner + row % inner] = 1
      }
    }
    return result
  }
}

private struct AlongAxis: FloatingFunction {
  enum Distribution { case soft, logarithm, hard }

  private let distribution: Distribution
  private let axis: Int
  private let cutsShape: Bool

  init(_ node: NodeDescription, _ distribution: Distribution) throws {
    self.distribution = distribution
    cutsShape = node.opset < 13
    axis = try node.int("axis", default: cutsShape ? 1 : -1)
  }

  func replace<Real: FloatingPointScalar>(_ x: inout Tensor<Real>) throws {
    if distribution == .soft, !cutsShape {
      try x.applySoftmax(axis: axis)
    } else {
      x = try self(x)
    }
  }

  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>) throws -> Tensor<Real> {
    if x.rank == 0 { return try callAsFunction(x.reshaped([1])).reshaped([]) }
    guard cutsShape else { return try distribution(of: x, along: axis) }
    // The cut may lie behind the last axis.
    let cut = axis < 0 ? axis &+ x.rank : axis
    guard (0...x.rank).contains(cut) else {
      throw OperatorError("axis \(axis) does not exist in a tensor of shape \(x.shape)")
    }
    // Nothing is joined where the last axis is normalised alone.
    if cut == x.rank - 1 { return try distribution(of: x, along: cut) }
    let rows = x.shape[..<cut].reduce(1, *)
    let columns = x.shape[cut...].reduce(1, *)
    return try distribution(of: x.reshaped([rows, columns]), along: 1).reshaped(x.shape)
  }

  private func distribution<Real: FloatingPointScalar>(
    of x: Tensor<Real>, along axis: Int
  ) throws -> Tensor<Real> {
    switch distribution {
    case .soft: try softmax(x, axis: axis)
    case .logarithm: try logSoftmax(x, axis: axis)
    case .hard: try Operators.hardmax(x, axis: axis)
    }
  }
}
