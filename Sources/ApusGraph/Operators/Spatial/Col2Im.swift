import Apus
import ApusKernelInterface

extension Operators {
  /// Blocks added up where they overlap in an image: PyTorch's `fold`.
  ///
  /// Inputs: blocks `[batch, channels · elements of a block, blocks]`, the image's extents, a block's extents. Output
  /// `[batch, channels, image…]`.
  static func Col2Im(_ node: NodeDescription) throws -> PreparedOperator {
    let windows = try WindowAttributes(node)
    return { arguments in
      let type = try arguments.dataType(0)
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
      try Operators.fold(x, axes, image) { try $0($1) }
    }
  }

  private struct WholeNumberFold: WholeNumberVisitor {
    let arguments: Arguments
    let axes: [WindowAxis]
    let image: [Int]

    func callAsFunction<Scalar: WholeNumber>(_ type: Scalar.Type) throws -> GraphValue {
      // Sums that keep their low bits are the same in any width.
      let blocks = try arguments.tensor(0).converted(to: Int64.self)
      let sums = try fold(blocks, axes, image) { try $0($1) }
      return GraphValue(try sums.converted(to: type))
    }
  }

  private static func fold<Scalar: TensorScalar>(
    _ x: Tensor<Scalar>, _ axes: [WindowAxis], _ image: [Int],
    _ body: (_ fold: Fold, _ blocks: Tensor<Scalar>) throws -> Tensor<Scalar>
  ) throws -> Tensor<Scalar> {
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
    let images = try body(
      Fold(axes: axes, image: image, blocks: blocks), x.reshaped([batch * channels, taps, count]))
    return try images.reshaped([batch, channels] + image)
  }
}

/// Adds blocks up where they overlap: `[maps, taps, blocks]` becomes `[maps, image…]`.
struct Fold {
  let axes: [WindowAxis]
  let image: [Int]
  /// The number of blocks along each axis.
  let blocks: [Int]

  /// - Throws: ``TensorError`` when the image does not fit into memory.
  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>) throws -> Tensor<Real> {
    guard axes.count <= 2, let columns = axes.last, let width = blocks.last, let imageWidth = image.last else {
      return try images(x) { add($0, to: $1) { $0 + $1 } }
    }
    let isFlat = axes.count == 1
    let rows = isFlat ? .single : axes[0]
    let (height, imageHeight) = isFlat ? (1, 1) : (blocks[0], image[0])
    let window = WindowWalk(
      rows: rows.kernel, columns: columns.kernel, rowDilation: rows.dilation, columnDilation: columns.dilation,
      columnStride: columns.stride)
    let kernels = Real.kernels
    return try images(x) { x, y in
      kernels.foldPlane(
        x, height: height, width: width, row: -rows.before, column: -columns.before, window: window,
        rowStride: rows.stride, bias: 0, y, outputHeight: imageHeight, outputWidth: imageWidth)
    }
  }

  /// The same of integers, whose sums keep their low bits.
  func callAsFunction(_ x: Tensor<Int64>) throws -> Tensor<Int64> {
    try images(x) { add($0, to: $1) { $0 &+ $1 } }
  }

  @inline(__always)
  private func images<Scalar: TensorScalar>(
    _ x: Tensor<Scalar>, _ body: @Sendable (_ x: UnsafePointer<Scalar>, _ y: UnsafeMutablePointer<Scalar>) -> Void
  ) throws -> Tensor<Scalar> {
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
          for map in first..<(first + number) { body(source + map * taps * count, y + map * size) }
        }
      }
    }
  }

  /// Of any number of axes: for each element of a block the rows of blocks along the last axis.
  @inline(__always)
  private func add<Scalar: TensorScalar>(
    _ x: UnsafePointer<Scalar>, to y: UnsafeMutablePointer<Scalar>, _ sum: (Scalar, Scalar) -> Scalar
  ) {
    y.initialize(repeating: .zero, count: image.reduce(1, *))
    let last = axes.count - 1
    let (line, width) = (axes[last], blocks[last])
    let rows = blocks.dropLast().reduce(1, *)
    let kernelStrides = Shape.strides(axes.map(\.kernel))
    let imageStrides = Shape.strides(image)
    for number in 0..<axes.reduce(1, { $0 * $1.kernel }) {
      let shifts = axes.indices.map { axis in
        number / kernelStrides[axis] % axes[axis].kernel * axes[axis].dilation - axes[axis].before
      }
      // Blocks whose element lies inside the image: 0 <= shift + block * stride < extent.
      let shift = shifts[last]
      let begin = min(width, shift >= 0 ? 0 : (line.stride - 1 - shift) / line.stride)
      let end = max(begin, image[last] > shift ? min(width, (image[last] - 1 - shift) / line.stride + 1) : 0)
      for row in 0..<rows {
        var (rest, offset) = (row, shift)
        var isInside = true
        for axis in (0..<last).reversed() {
          let position = rest % blocks[axis] * axes[axis].stride + shifts[axis]
          rest /= blocks[axis]
          isInside = isInside && position >= 0 && position < image[axis]
          // Nothing that is used when the place is outside.
          offset &+= position &* imageStrides[axis]
        }
        guard isInside else { continue }
        let from = x + (number * rows + row) * width
        for block in begin..<end {
          let place = offset + block * line.stride
          y[place] = sum(y[place], from[block])
        }
      }
    }
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
