import Apus

extension Operators {
  /// Blocks added up where they overlap in an image: PyTorch's `fold`.
  ///
  /// Inputs: blocks `[batch, channels · elements of a block, blocks]`, the image's extents, a block's extents. Output
  /// `[batch, channels, image…]`.
  static func Col2Im(_ node: NodeDescription) throws -> PreparedOperator {
    let windows = try WindowAttributes(node)
    return { arguments in
      let type = try arguments.tensor(0).dataType
      let image = try arguments.integers(1)
      let axes = try windows.axes(kernel: arguments.integers(2))
      guard image.count == axes.count, !axes.isEmpty else {
        throw OperatorError("an image of shape \(image) and a block of shape \(axes.map(\.kernel)) differ in rank")
      }
      if let result = try type.visitWholeNumber(WholeNumberFold(arguments: arguments, axes: axes, image: image)) {
        return [result]
      }
      guard type.isFloatingPoint else { throw OperatorError("blocks of Booleans cannot be added up") }
      return [try evaluate(FloatingFolding(axes: axes, image: image), arguments.tensor(0))]
    }
  }

  private struct FloatingFolding: FloatingFunction {
    let axes: [WindowAxis]
    let image: [Int]

    func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>) throws -> Tensor<Real> {
      try fold(x, axes, image, adding: FloatingFold<Real>.self)
    }
  }

  private struct WholeNumberFold: WholeNumberVisitor {
    let arguments: Arguments
    let axes: [WindowAxis]
    let image: [Int]

    func callAsFunction<Scalar: WholeNumber>(_ type: Scalar.Type) throws -> GraphValue {
      // Sums that keep their low bits are the same in any width.
      let blocks = try arguments.tensor(0).converted(to: Int64.self)
      let sums = try fold(blocks, axes, image, adding: WrappingFold.self)
      return GraphValue(try sums.converted(to: type))
    }
  }

  private static func fold<Sum: FoldAddition>(
    _ x: Tensor<Sum.Scalar>, _ axes: [WindowAxis], _ image: [Int], adding: Sum.Type
  ) throws -> Tensor<Sum.Scalar> {
    let taps = try Shape.elementCount(axes.map(\.kernel), operation: "Col2Im")
    let blocks = try zip(axes, image).map { axis, size in
      guard 1...WindowAttributes.limit ~= size, size + axis.before + axis.after >= axis.extent else {
        throw OperatorError("a block of \(axis.extent) positions does not fit into \(size) positions of an image")
      }
      return (size + axis.before + axis.after - axis.extent) / axis.stride + 1
    }
    let count = try Shape.elementCount(blocks, operation: "Col2Im")
    guard x.rank == 3, x.shape[1].isMultiple(of: taps), x.shape[2] == count else {
      throw OperatorError(
        "the input has shape \(x.shape); [batch, channels · \(taps), \(count)] is needed for images of shape \(image)")
    }
    let (batch, channels) = (x.shape[0], x.shape[1] / taps)
    let images = try Fold(axes: axes, image: image, blocks: blocks)(
      x.reshaped([batch * channels, taps, count]), adding: adding)
    return try images.reshaped([batch, channels] + image)
  }
}

/// How numbers of one type are added up. A type, not a closure: each gets loops of its own.
protocol FoldAddition: SendableMetatype {
  associatedtype Scalar: TensorScalar
  static func sum(_ a: Scalar, _ b: Scalar) -> Scalar
}

enum FloatingFold<Scalar: FloatingPointScalar>: FoldAddition {
  @inline(__always) static func sum(_ a: Scalar, _ b: Scalar) -> Scalar { a + b }
}

/// Sums that keep their low bits.
enum WrappingFold: FoldAddition {
  @inline(__always) static func sum(_ a: Int64, _ b: Int64) -> Int64 { a &+ b }
}

/// Adds blocks up where they overlap: `[maps, taps, blocks]` becomes `[maps, image…]`.
struct Fold {
  let axes: [WindowAxis]
  let image: [Int]
  /// The number of blocks along each axis.
  let blocks: [Int]

  /// - Throws: ``TensorError`` when the image does not fit into memory.
  func callAsFunction<Sum: FoldAddition>(_ x: Tensor<Sum.Scalar>, adding: Sum.Type) throws -> Tensor<Sum.Scalar> {
    let x = try x.rowMajor
    let size = try Shape.elementCount(image, operation: "fold")
    guard size > 0 else { throw OperatorError("an image of shape \(image) has no elements") }
    let (maps, taps, count) = (x.shape[0], x.shape[1], x.shape[2])
    _ = try Shape.elementCount([maps, size], operation: "fold")
    return try withExtendedLifetime(x) {
      nonisolated(unsafe) let source = x.pointer
      return try Tensor.filled([maps] + image) { destination in
        nonisolated(unsafe) let y = destination
        parallelRows(maps, width: max(size, taps * count)) { first, number in
          for map in first..<(first + number) {
            add(adding, source + map * taps * count, taps: taps, count: count, to: y + map * size, size: size)
          }
        }
      }
    }
  }

  private func add<Sum: FoldAddition>(
    _: Sum.Type, _ x: UnsafePointer<Sum.Scalar>, taps: Int, count: Int, to y: UnsafeMutablePointer<Sum.Scalar>,
    size: Int
  ) {
    y.initialize(repeating: .zero, count: size)
    let last = axes.count - 1
    var tap = [Int](repeating: 0, count: axes.count)
    for number in 0..<taps {
      var (rest, step) = (number, 1)
      for axis in axes.indices.reversed() {
        tap[axis] = rest % axes[axis].kernel
        rest /= axes[axis].kernel
      }
      // Rows of blocks along the last axis; those in the padding are skipped.
      let line = axes[last]
      for row in 0..<(count / blocks[last]) {
        rest = row
        step = image[last]
        var offset = 0
        var isInside = true
        for axis in axes.indices.reversed().dropFirst() {
          let position = place(rest % blocks[axis], tap[axis], axes[axis])
          rest /= blocks[axis]
          isInside = isInside && position >= 0 && position < image[axis]
          // Nothing that is used when the place is outside.
          offset &+= position &* step
          step *= image[axis]
        }
        guard isInside else { continue }
        let from = x + number * count + row * blocks[last]
        for block in 0..<blocks[last] {
          let position = place(block, tap[last], line)
          guard position >= 0, position < image[last] else { continue }
          y[offset + position] = Sum.sum(y[offset + position], from[block])
        }
      }
    }
  }

  /// Where an element of a block lies.
  @inline(__always)
  private func place(_ block: Int, _ tap: Int, _ axis: WindowAxis) -> Int {
    block * axis.stride + tap * axis.dilation - axis.before
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let col2Im = ShapeRule.rule { facts in
    let x = try facts.input(0)
    guard x.shape.count == 3, let image = try facts.integers(1), let block = try facts.integers(2) else {
      throw ShapeFacts.Unknown()
    }
    let taps = try Shape.elementCount(block)
    guard taps > 0 else { throw ShapeFacts.Unknown() }
    return [InferredType(x.elementType, [x.shape[0], x.shape[1] / taps] + image)]
  }
}
