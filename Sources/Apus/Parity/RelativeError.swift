/// ‖x − y‖ / ‖y‖ of as many tensors as are added.
package struct RelativeError {
  private var difference = 0.0
  private var norm = 0.0

  package init() {}

  package init(_ x: Tensor<Float>, of y: Tensor<Float>) { add(x, of: y) }

  package mutating func add<Scalar: FloatingPointScalar>(_ x: Tensor<Scalar>, of y: Tensor<Scalar>) {
    guard let squares = try? Self.squares(x, y) else { return }
    difference += squares.difference
    norm += squares.norm
  }

  package var value: Double { difference == 0 ? 0 : (difference / norm).squareRoot() }

  private static func squares<Scalar: FloatingPointScalar>(
    _ x: Tensor<Scalar>, _ y: Tensor<Scalar>
  ) throws -> (difference: Double, norm: Double) {
    let d = try x - y
    return (Double(try (d * d).sum().elements[0]), Double(try (y * y).sum().elements[0]))
  }
}
