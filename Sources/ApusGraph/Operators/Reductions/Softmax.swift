import Apus

// Distributions along an axis. Since opset 13 `axis` is the one that is normalised, the last by default; before, it is
// where the shape is cut into two, and everything from there on (from axis 1 by default) is normalised together.

extension Operators {
  static let softmaxes: [OperatorDefinition] = [
    OperatorDefinition("Softmax", .reduction(.likeInput, terms: .alongAxis, accuracy: .bounded), Softmax),
    OperatorDefinition(
      "Softmax", domain: "apus", .reduction(.likeInput, terms: .alongAxis, accuracy: .bounded), MaskedSoftmax),
    OperatorDefinition("LogSoftmax", .reduction(.likeInput, terms: .alongAxis), LogSoftmax),
    OperatorDefinition("Hardmax", .plain(.likeInput), Hardmax),
  ]

  /// exp(x) / Σ exp(x)
  static func Softmax(_ node: NodeDescription) throws -> PreparedOperator {
    floating(try AlongAxis(node, .soft))
  }

  /// exp(x) / Σ exp(x), and 0 for what lies along the axis where all of x is -∞: a mask has left nothing to attend to.
  static func MaskedSoftmax(_ node: NodeDescription) throws -> PreparedOperator {
    floating(MaskedDistribution(axis: try node.int("axis", default: -1)))
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

private struct MaskedDistribution: FloatingFunction {
  let axis: Int

  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>) throws -> Tensor<Real> {
    var y = x
    try replace(&y)
    return y
  }

  func replace<Real: FloatingPointScalar>(_ x: inout Tensor<Real>) throws {
    guard x.rank > 0 else {
      x = try self(x.reshaped([1])).reshaped([])
      return
    }
    let axis = try Axes.resolve(axis, rank: x.rank)
    let (size, step) = (x.shape[axis], x.shape[(axis + 1)...].reduce(1, *))
    x = try x.rowMajor
    let masked = x.maskedLines(of: size, step: step)
    try x.applySoftmax(axis: axis)
    guard !masked.isEmpty else { return }
    try x.withUnsafeMutableBufferPointer { y in
      for first in masked {
        for index in 0..<size { y[first + index * step] = 0 }
      }
    }
  }
}

extension Tensor where Scalar: FloatingPointScalar {
  /// Where lines begin, of so many elements so far apart, that are -∞ throughout.
  fileprivate func maskedLines(of size: Int, step: Int) -> [Int] {
    guard count > 0 else { return [] }
    var lines: [Int] = []
    for line in 0..<count / size {
      let first = line / step * size * step + line % step
      // As a rule the first element says that it is none.
      guard pointer[first] == -.infinity else { continue }
      if (0..<size).allSatisfy({ pointer[first + $0 * step] == -.infinity }) { lines.append(first) }
    }
    withExtendedLifetime(self) {}
    return lines
  }
}
