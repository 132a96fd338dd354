import Apus

/// How the elements of one tensor lie in another of as many elements: with its axes in another order, as NCHW lies in
/// NHWC, or merely in another shape.
public struct AxisOrder: Sendable, Hashable {
  /// For each axis of the result that is longer than 1, which of the source's axes that are longer than 1 it is; nil where
  /// the elements keep their order.
  public let axes: [Int]?
  /// The shape of the result.
  public let shape: [Int]

  /// Every order that leads from `source` to `target`, the elements' own order first; none where no order does.
  ///
  /// Extents of 1 do not count. Of tensors with more than five axes, only the elements' own order is tried.
  static func all(from source: [Int], to target: [Int]) -> [AxisOrder] {
    let (a, b) = (source.filter { $0 != 1 }, target.filter { $0 != 1 })
    guard let count = try? Shape.elementCount(source), count == (try? Shape.elementCount(target)) else { return [] }
    let plain = AxisOrder(axes: nil, shape: target)
    // Axes that were merged or cut keep the order of their elements, if anything.
    guard a.count > 1, a.count <= 5, a.sorted() == b.sorted() else { return [plain] }
    var orders: [[Int]] = [[]]
    for extent in b {
      orders = orders.flatMap { order in
        a.indices.filter { !order.contains($0) && a[$0] == extent }.map { order + [$0] }
      }
    }
    let turned = orders.filter { $0 != Array(a.indices) }.map { AxisOrder(axes: $0, shape: target) }
    return a == b ? [plain] + turned : turned + [plain]
  }

  /// Whether two shapes have the same axes in some order, those of extent 1 aside: none is merged or cut.
  static func haveSameAxes(_ a: [Int], _ b: [Int]) -> Bool {
    a.filter { $0 != 1 }.sorted() == b.filter { $0 != 1 }.sorted()
  }

  /// Whether two shapes have the same axes in the same order, those of extent 1 aside.
  static func differAtMostByUnitAxes(_ a: [Int], _ b: [Int]) -> Bool { a.filter { $0 != 1 } == b.filter { $0 != 1 } }

  /// Which of all axes of `source` each axis of the result is, those of extent 1 in their own order; nil where the order
  /// does more than exchange axes.
  func permutation(of source: [Int]) -> [Int]? {
    let long = source.indices.filter { source[$0] != 1 }
    let order = axes ?? Array(long.indices)
    guard source.count == shape.count, order.count == long.count, order.allSatisfy(long.indices.contains) else {
      return nil
    }
    var (moved, others) = (order.map { long[$0] }[...], source.indices.filter { source[$0] == 1 }[...])
    let permutation = shape.compactMap { $0 == 1 ? others.popFirst() : moved.popFirst() }
    return permutation.count == shape.count && permutation.map { source[$0] } == shape ? permutation : nil
  }

  /// The elements of `tensor` in this order.
  /// - Throws: ``TensorError`` for a tensor of another number of elements.
  func callAsFunction<Scalar: TensorScalar>(_ tensor: Tensor<Scalar>) throws -> Tensor<Scalar> {
    guard let axes else { return try tensor.reshaped(shape) }
    return try tensor.reshaped(tensor.shape.filter { $0 != 1 }).permuted(axes).reshaped(shape)
  }

  /// How far apart the source's elements are that are neighbours along each axis of the result that is longer than 1.
  func strides(in source: [Int]) -> [Int] {
    let strides = Shape.strides(source.filter { $0 != 1 })
    return axes.map { $0.map { strides[$0] } } ?? Shape.strides(shape.filter { $0 != 1 })
  }
}
