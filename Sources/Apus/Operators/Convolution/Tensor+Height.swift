extension Tensor {
  /// `[batch, channels, time]` as `[batch, channels, 1, time]`, in either layout.
  package func withHeight() -> Tensor {
    Tensor(shape: [shape[0], shape[1], 1, shape[2]], count: count, layout: layout, storage: storage)
  }

  /// `[batch, channels, 1, time]` as `[batch, channels, time]`, in either layout.
  package func withoutHeight() -> Tensor {
    Tensor(shape: [shape[0], shape[1], shape[3]], count: count, layout: layout, storage: storage)
  }
}
