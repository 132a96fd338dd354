extension StoredMatrix {
  /// Whose elements share a scale.
  public enum ScaleAxis: Sendable, Hashable {
    case rows
    case columns
  }

  /// The nearest 8-bit integers, with a scale for each row or column: its largest magnitude divided by 127.
  /// - Throws: ``TensorError`` for anything but a matrix of finite numbers.
  public init(quantizing values: Tensor<Float>, scaledBy axis: ScaleAxis) throws {
    guard values.rank == 2 else {
      throw TensorError.shape(
        operation: "StoredMatrix", reason: "values have the shape \(values.shape), expected [rows, columns]")
    }
    let reduced = axis == .rows ? 1 : 0
    var scales = [Float](repeating: .leastNormalMagnitude, count: values.shape[1 - reduced])
    if values.count > 0 {
      let (high, low) = (try values.amax(axes: [reduced]).elements, try values.amin(axes: [reduced]).elements)
      for index in scales.indices {
        let largest = max(high[index].magnitude, low[index].magnitude)
        guard largest.isFinite, !high[index].isNaN, !low[index].isNaN else {
          throw TensorError.argument(
            operation: "StoredMatrix",
            reason: "\(axis == .rows ? "row" : "column") \(index) has a number that is not finite")
        }
        scales[index] = max(largest / 127, .leastNormalMagnitude)
      }
    }
    let scale = try Tensor<Float>(scales)
    let elements: Tensor<Int8> = try quantizeLinear(values, scale: scale, axis: 1 - reduced)
    try self.init(
      AnyTensor(elements), scale: scale.reshaped(axis == .rows ? [scales.count, 1] : [1, scales.count]))
  }
}
