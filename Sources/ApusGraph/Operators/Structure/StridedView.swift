import Apus

/// Elements of a row-major tensor in an order of their own: the first at `offset`, a step along an axis `strides` further.
///
/// Axes are as fine as movements have asked for: a value of some shape has one or several of them for each axis, or none where
/// its extent is 1.
struct StridedView: Hashable, Sendable {
  private(set) var shape: [Int]
  private(set) var strides: [Int]
  private(set) var offset = 0

  /// All of a tensor of shape `shape`; nil of one without elements, whose strides say nothing.
  init?(of shape: [Int]) {
    guard let count = try? Shape.elementCount(shape), count > 0 else { return nil }
    self.shape = shape
    strides = Shape.strides(shape)
    leaveOutSingles()
  }

  /// - Returns: nil where an element would lie outside of a tensor of `count` elements.
  init?(shape: [Int], strides: [Int], offset: Int, of count: Int) {
    guard shape.count == strides.count, let elements = try? Shape.elementCount(shape), elements > 0 else { return nil }
    var (first, last) = (offset, offset)
    for (size, stride) in zip(shape, strides) {
      let (way, isFar) = stride.multipliedReportingOverflow(by: size - 1)
      let (end, isBeyond) = (way < 0 ? first : last).addingReportingOverflow(way)
      guard !isFar, !isBeyond else { return nil }
      if way < 0 { first = end } else { last = end }
    }
    guard first >= 0, last < count else { return nil }
    (self.shape, self.strides, self.offset) = (shape, strides, offset)
  }

  private mutating func leaveOutSingles() {
    let axes = shape.indices.filter { shape[$0] != 1 }
    (shape, strides) = (axes.map { shape[$0] }, axes.map { strides[$0] })
  }

  var count: Int { shape.reduce(1, *) }

  /// Whether the elements follow each other in memory as they do in the view.
  var isInOrder: Bool { strides == Shape.strides(shape) }

  /// The axes that make up each axis of a value of shape `valueShape`; nil where one would end within an axis.
  private func groups(_ valueShape: [Int]) -> [Range<Int>]? {
    var end = 0
    var groups: [Range<Int>] = []
    for size in valueShape {
      let first = end
      var product = 1
      while product < size {
        guard end < shape.count else { return nil }
        product *= shape[end]
        end += 1
      }
      guard product == size else { return nil }
      groups.append(first..<end)
    }
    return end == shape.count ? groups : nil
  }

  /// The same elements as a value of shape `valueShape`, axes divided where one of its axes ends within; nil where that does
  /// not come out even.
  func divided(for valueShape: [Int]) -> StridedView? {
    var view = self
    (view.shape, view.strides) = ([], [])
    var sizes = valueShape.filter { $0 != 1 }[...]
    var size = sizes.popFirst() ?? 1
    for (axisSize, stride) in zip(shape, strides) {
      var rest = axisSize
      while rest > 1 {
        if size == 1 { size = sizes.popFirst() ?? 1 }
        let part = min(rest, size)
        guard part > 1, rest.isMultiple(of: part), size.isMultiple(of: part) else { return nil }
        rest /= part
        size /= part
        view.shape.append(part)
        view.strides.append(stride * rest)
      }
    }
    return size == 1 && sizes.isEmpty ? view : nil
  }

  /// A value of shape `valueShape` with its axes in another order, as a Transpose has them; nil where these are not all axes.
  func permuted(_ axes: [Int], of valueShape: [Int]) -> StridedView? {
    guard Shape.isPermutation(axes, rank: valueShape.count), let groups = groups(valueShape) else { return nil }
    var view = self
    let order = axes.flatMap { groups[$0] }
    (view.shape, view.strides) = (order.map { shape[$0] }, order.map { strides[$0] })
    return view
  }

  /// A part of a value, of which `cut` is known to lie within; nil where it is none of whole axes and steps along one.
  func cut(_ cut: Cut, of valueShape: [Int]) -> StridedView? {
    guard cut.counts.count == valueShape.count, !cut.counts.contains(0), let groups = groups(valueShape) else {
      return nil
    }
    var view = self
    for (axis, group) in groups.enumerated() where cut.counts[axis] != valueShape[axis] || cut.steps[axis] != 1 {
      guard let outer = group.first else { return nil }
      let inner = shape[group.dropFirst()].reduce(1, *)
      let (start, count) = (cut.starts[axis], cut.counts[axis])
      guard inner == 1 || cut.steps[axis] == 1 && start.isMultiple(of: inner) && count.isMultiple(of: inner) else {
        return nil
      }
      view.offset += start / inner * strides[outer]
      view.shape[outer] = count / inner
      view.strides[outer] *= cut.steps[axis]
    }
    view.leaveOutSingles()
    return view
  }
}

/// A view as a tensor of its own, in a shape that its elements take when they follow each other.
struct ViewCopy: Rearrangement {
  let view: StridedView
  let shape: [Int]

  func moved<Scalar: TensorScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    guard view.isInOrder else {
      return try x.gathered(view.shape, strides: view.strides, offset: view.offset).reshaped(shape)
    }
    // A part in one piece stays where it is.
    return try x.reshaped([x.count]).sliced(axis: 0, from: view.offset, to: view.offset + view.count).reshaped(shape)
  }
}
