import Apus

/// What a node makes of scales: computed once where all of them are known before anything runs.
struct ScaleProduct: Sendable {
  /// Gives input `index`, a tensor of scales.
  typealias Inputs = (_ index: Int) throws -> Tensor<Float>

  private let product: @Sendable (Inputs) throws -> Tensor<Float>
  private let known: Tensor<Float>?

  /// - Parameters:
  ///   - indices: the inputs that `product` asks for.
  ///   - product: may refuse what it is given, which is said when the node runs.
  init(_ node: NodeDescription, of indices: [Int], _ product: @escaping @Sendable (Inputs) throws -> Tensor<Float>) {
    self.product = product
    guard indices.allSatisfy({ node.constant($0) != nil }) else {
      known = nil
      return
    }
    known = try? product { index in
      guard let scale = try node.constantFloating(index, as: Float.self) else {
        throw OperatorError("input \(index) is not known")
      }
      return scale
    }
  }

  func callAsFunction(_ arguments: Arguments) throws -> Tensor<Float> {
    try known ?? product { try arguments.scale($0) }
  }
}
