/// `tensors` one after the other along `axis`; all other axes have the same size in each.
///
/// Along the channels, tensors that are all channel-blocked stay so where all but the last are whole blocks.
/// - Throws: ``TensorError/shape(operation:reason:)`` naming the first that does not fit, or when there is none.
@_specialize(where Scalar == Float)
@_specialize(where Scalar == Int64)
public func concatenate<Scalar: TensorScalar>(_ tensors: [Tensor<Scalar>], axis: Int) throws -> Tensor<Scalar> {
  guard let first = tensors.first else {
    throw TensorError.argument(operation: "concatenate", reason: "there are no tensors")
  }
  let axis = try Shape.axis(axis, in: first.shape, operation: "concatenate")
  var shape = first.shape
  shape[axis] = 0
  for (index, tensor) in tensors.enumerated() {
    var expected = first.shape
    if tensor.rank == first.rank { expected[axis] = tensor.shape[axis] }
    guard tensor.shape == expected else {
      throw TensorError.shape(
        operation: "concatenate",
        reason: "tensor \(index) has shape \(tensor.shape), which does not fit \(first.shape) along axis \(axis)")
    }
    let (sum, overflow) = shape[axis].addingReportingOverflow(tensor.shape[axis])
    guard !overflow else { throw TensorError.argument(operation: "concatenate", reason: "the sizes overflow") }
    shape[axis] = sum
  }
  if tensors.count == 1 { return first }

  let isBlocked =
    axis == 1 && tensors.allSatisfy { $0.layout == .channelBlocked }
    && tensors.dropLast().allSatisfy { $0.shape[1].isMultiple(of: TensorLayout.block) }
  let outer = shape[..<axis].reduce(1, *)
  let inner = shape[(axis + 1)...].reduce(1, *)
  func extent(_ size: Int) -> Int {
    (isBlocked ? TensorLayout.blocks(size) * TensorLayout.block : size) * inner
  }
  let total = extent(shape[axis])
  return try Tensor.filled(shape, layout: isBlocked ? .channelBlocked : .rowMajor) { destination in
    var offset = 0
    for tensor in tensors {
      let width = extent(tensor.shape[axis])
      guard width > 0, outer > 0 else { continue }
      if !isBlocked, tensor.layout == .channelBlocked, axis == 1 || axis == 2 {
        // Channels go where they belong in one step.
        let positions = inner * (axis == 1 ? 1 : shape[2])
        tensor.unblock(into: destination + offset, sampleStep: shape[1] * positions, channelStep: positions)
        offset += width
        continue
      }
      let source = isBlocked ? tensor : try tensor.rowMajor
      withExtendedLifetime(source.storage) {
        StridedCopy(sizes: [outer, width], sourceStrides: [width, 1], destinationStrides: [total, 1])
          .run(elementSize: MemoryLayout<Scalar>.stride, from: source.pointer, to: destination + offset)
      }
      offset += width
    }
  }
}

/// `tensors`, all of the same shape, along a new axis put in before `axis`; -1 makes it the last.
public func stack<Scalar: TensorScalar>(_ tensors: [Tensor<Scalar>], axis: Int) throws -> Tensor<Scalar> {
  guard let first = tensors.first else {
    throw TensorError.argument(operation: "stack", reason: "there are no tensors")
  }
  if let odd = tensors.firstIndex(where: { $0.shape != first.shape }) {
    throw TensorError.shape(
      operation: "stack", reason: "tensor \(odd) has shape \(tensors[odd].shape) and tensor 0 \(first.shape)")
  }
  let parts = try tensors.map { try $0.unsqueezed(axis) }
  return try concatenate(parts, axis: axis)
}
