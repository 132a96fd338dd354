import Apus

/// How operators of opsets before 7 stretched their second operand: with `broadcast`, its axes stand against those of
/// the first operand from `axis` on, by default against the last ones.
struct OldBroadcast: Sendable {
  private let axis: Int?

  init(_ node: NodeDescription) throws {
    axis = node.opset < 7 ? try node.optionalInt("axis") : nil
    if node.opset < 7 { _ = try node.flag("broadcast") }
  }

  /// `b` with as many axes of size 1 behind its own as its place in `a` asks for.
  func callAsFunction(_ b: AnyTensor, against a: AnyTensor) throws -> AnyTensor {
    guard let axis else { return b }
    let trailing = a.rank &- (axis < 0 ? axis &+ a.rank : axis) &- b.rank
    guard (0...a.rank).contains(trailing) else {
      throw OperatorError("shape \(b.shape) does not fit into \(a.shape) from axis \(axis) on")
    }
    return try b.reshaped(b.shape + [Int](repeating: 1, count: trailing))
  }
}
