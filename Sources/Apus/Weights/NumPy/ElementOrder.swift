/// Copies elements from another byte order or another order of axes into row-major order on this machine.
///
/// - Parameters:
///   - source: elements at any alignment.
///   - destination: memory of the same size.
///   - elementSize: 1, 2, 4 or 8.
///   - fortranShape: the shape, whose first axis is the contiguous one in `source`.
///   - swapped: whether to turn the bytes of each element around.
func reorder(
  _ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer, elementSize: Int,
  fortranShape shape: [Int], swapped: Bool
) {
  switch elementSize {
  case 1: reorder(source, into: destination, as: UInt8.self, shape, swapped)
  case 2: reorder(source, into: destination, as: UInt16.self, shape, swapped)
  case 4: reorder(source, into: destination, as: UInt32.self, shape, swapped)
  default: reorder(source, into: destination, as: UInt64.self, shape, swapped)
  }
}

/// Always inlined, so that each size is a concrete loop.
@inline(__always)
private func reorder<Word: FixedWidthInteger & BitwiseCopyable>(
  _ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer, as type: Word.Type,
  _ shape: [Int], _ swapped: Bool
) {
  let size = MemoryLayout<Word>.size
  guard let columns = shape.last, source.count >= size else { return }
  // Every axis's distance between neighbours in `source`, in elements.
  var strides = [1]
  for dimension in shape.dropLast() { strides.append(strides[strides.count - 1] * dimension) }
  let columnStride = strides[strides.count - 1]
  var indices = [Int](repeating: 0, count: shape.count)
  var start = 0
  for row in stride(from: 0, to: destination.count / size, by: columns) {
    for column in 0..<columns {
      let word = source.loadUnaligned(fromByteOffset: (start + column * columnStride) * size, as: Word.self)
      destination.storeBytes(
        of: swapped ? word.byteSwapped : word, toByteOffset: (row + column) * size, as: Word.self)
    }
    // The next row: count up the other axes, the last of them first.
    for axis in stride(from: shape.count - 2, through: 0, by: -1) {
      indices[axis] += 1
      start += strides[axis]
      if indices[axis] < shape[axis] { break }
      start -= indices[axis] * strides[axis]
      indices[axis] = 0
    }
  }
}
