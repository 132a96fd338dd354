extension Tensor {
  /// `axis` as the middle of three: the elements before it, along it and after it.
  func split(at axis: Int) -> (outer: Int, size: Int, inner: Int) {
    (shape[..<axis].reduce(1, *), shape[axis], shape[(axis + 1)...].reduce(1, *))
  }
}
