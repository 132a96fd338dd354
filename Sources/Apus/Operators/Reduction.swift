import ApusKernelInterface

// Reductions over some axes, or over all when none are named. Axes may be negative, and stay with size 1 where
// `keepDims` says so. As in PyTorch, 0 and -1 name nothing of a single number, and are no error. Sums of float32 are
// accumulated in float64 and rounded once.

extension Tensor where Scalar: FloatingPointScalar {
  /// The sum over `axes`; zero where there is nothing to sum.
  public func sum(axes: [Int]? = nil, keepDims: Bool = false) throws -> Tensor {
    try sum(reduction(over: axes, keepDims, "sum"))
  }

  /// The arithmetic mean over `axes`; NaN where there is nothing to average.
  public func mean(axes: [Int]? = nil, keepDims: Bool = false) throws -> Tensor {
    try mean(reduction(over: axes, keepDims, "mean"))
  }

  /// The product over `axes`; one where there is nothing to multiply.
  public func product(axes: [Int]? = nil, keepDims: Bool = false) throws -> Tensor {
    try product(reduction(over: axes, keepDims, "product"))
  }

  /// The greatest element over `axes`; NaN when any is.
  /// - Throws: ``TensorError/shape(operation:reason:)`` where there is nothing to choose from.
  public func amax(axes: [Int]? = nil, keepDims: Bool = false) throws -> Tensor {
    try amax(reduction(over: axes, keepDims, "amax"))
  }

  /// The smallest element over `axes`; NaN when any is.
  /// - Throws: ``TensorError/shape(operation:reason:)`` where there is nothing to choose from.
  public func amin(axes: [Int]? = nil, keepDims: Bool = false) throws -> Tensor {
    try amin(reduction(over: axes, keepDims, "amin"))
  }

  /// `Σ (x - mean)² / (n - correction)` over `axes`: unbiased with the default correction of 1, the mean square with 0.
  /// Where `n` is not greater than `correction` that is a division by 0, as in PyTorch: infinite of elements that differ,
  /// NaN of those that do not, and of none. NaN for a negative `correction` too.
  public func variance(axes: [Int]? = nil, correction: Int = 1, keepDims: Bool = false) throws -> Tensor {
    try spread(axes, correction, keepDims, root: false)
  }

  /// The square root of ``variance(axes:correction:keepDims:)``.
  public func standardDeviation(axes: [Int]? = nil, correction: Int = 1, keepDims: Bool = false) throws -> Tensor {
    try spread(axes, correction, keepDims, root: true)
  }

  /// `log Σ exp(x)` over `axes`, without overflow; minus infinity where there is nothing to sum.
  public func logSumExp(axes: [Int]? = nil, keepDims: Bool = false) throws -> Tensor {
    try logSumExp(reduction(over: axes, keepDims, "logSumExp"))
  }

  /// The index of the greatest element along `axis`, or among all in row-major order when there is none. The first of
  /// several; the first NaN when there is one.
  /// - Throws: ``TensorError/shape(operation:reason:)`` where there is nothing to choose from.
  public func argmax(axis: Int? = nil, keepDims: Bool = false) throws -> Tensor<Int64> {
    try argument(greatest: true, axis, keepDims, "argmax")
  }

  /// The index of the smallest element; otherwise as ``argmax(axis:keepDims:)``.
  public func argmin(axis: Int? = nil, keepDims: Bool = false) throws -> Tensor<Int64> {
    try argument(greatest: false, axis, keepDims, "argmin")
  }
}

// MARK: - Over axes that were looked up

extension Tensor where Scalar: FloatingPointScalar {
  package func sum(_ plan: AxisReduction) throws -> Tensor { try reduced(.sum, plan, ofNothing: 0) }

  package func mean(_ plan: AxisReduction) throws -> Tensor { try reduced(.mean, plan, ofNothing: .nan) }

  package func product(_ plan: AxisReduction) throws -> Tensor { try reduced(.product, plan, ofNothing: 1) }

  package func amax(_ plan: AxisReduction) throws -> Tensor {
    guard plan.size > 0 else { throw nothingToChoose("amax") }
    return try reduced(.maximum, plan, ofNothing: .nan)
  }

  package func amin(_ plan: AxisReduction) throws -> Tensor {
    guard plan.size > 0 else { throw nothingToChoose("amin") }
    return try reduced(.minimum, plan, ofNothing: .nan)
  }

  package func logSumExp(_ plan: AxisReduction) throws -> Tensor {
    guard plan.size > 0 else { return try Tensor(repeating: -.infinity, shape: plan.shape) }
    return try overRows(plan) { kernels, x, y, rows in
      kernels.logSumExpRows(x, y, rows: rows, columns: plan.size)
    }
  }
}

// MARK: - How

extension Tensor where Scalar: FloatingPointScalar {
  @_specialize(where Scalar == Float)
  private func reduced(_ reduction: Reduction, _ plan: AxisReduction, ofNothing: Scalar) throws -> Tensor {
    if plan.size == 0 { return try Tensor(repeating: ofNothing, shape: plan.shape) }
    if let (outer, inner) = plan.adjacent, inner > 1 {
      return try rowMajor.reducedColumns(reduction, plan, outer: outer, inner: inner)
    }
    if plan.size > elementsPerPiece, plan.adjacent != nil {
      return try rowMajor.reducedLongRows(reduction, plan)
    }
    return try overRows(plan) { kernels, x, y, rows in
      kernels.reduceRows(reduction, x, y, rows: rows, columns: plan.size)
    }
  }

  /// Reduces rows of `plan.size` elements each, transposing first when they are not contiguous.
  private func overRows<Result: TensorScalar>(
    _ plan: AxisReduction,
    _ body:
      @Sendable (
        any FloatingKernels<Scalar>.Type, UnsafePointer<Scalar>, UnsafeMutablePointer<Result>, _ rows: Int
      ) -> Void
  ) throws -> Tensor<Result> {
    let source = try plan.isOfRows ? rowMajor : permuted(plan.order)
    let kernels = Scalar.kernels
    return try withExtendedLifetime(source.storage) {
      nonisolated(unsafe) let x = source.pointer
      return try Tensor<Result>.filled(plan.shape) { destination in
        nonisolated(unsafe) let y = destination
        parallelRows(count / plan.size, width: plan.size) { first, rows in
          body(kernels, x + first * plan.size, y + first, rows)
        }
      }
    }
  }

  private func reduction(over axes: [Int]?, _ keepDims: Bool, _ operation: String) throws -> AxisReduction {
    let isOfNumber = shape.isEmpty && (axes ?? []).allSatisfy { $0 == 0 || $0 == -1 }
    return try AxisReduction(shape, isOfNumber ? nil : axes, keepsAxes: keepDims, operation: operation)
  }

  private func spread(_ axes: [Int]?, _ correction: Int, _ keepDims: Bool, root: Bool) throws -> Tensor {
    let plan = try reduction(over: axes, keepDims, root ? "standardDeviation" : "variance")
    guard plan.size > 0, correction >= 0 else { return try Tensor(repeating: .nan, shape: plan.shape) }
    let correction = min(correction, plan.size)
    return try overRows(plan) { kernels, x, y, rows in
      kernels.varianceRows(x, y, rows: rows, columns: plan.size, correction: correction, root: root)
    }
  }

  /// Reduces `[outer, size, inner]` along the middle.
  private func reducedColumns(
    _ reduction: Reduction, _ plan: AxisReduction, outer: Int, inner: Int
  ) throws -> Tensor {
    try overColumns(plan, outer: outer, inner: inner) { kernels, x, y, first, count in
      kernels.reduceColumns(reduction, x, y, rows: plan.size, columns: inner, first: first, count: count)
    }
  }

  /// Goes over `[outer, size, inner]` in pieces of columns, some of one outer index each.
  private func overColumns<Result: TensorScalar>(
    _ plan: AxisReduction, outer: Int, inner: Int,
    _ body:
      @Sendable (
        any FloatingKernels<Scalar>.Type, UnsafePointer<Scalar>, UnsafeMutablePointer<Result>, _ first: Int,
        _ count: Int
      ) -> Void
  ) throws -> Tensor<Result> {
    let kernels = Scalar.kernels
    let width = min(inner, max(16, elementsPerPiece / plan.size / 16 * 16))
    let pieces = (inner + width - 1) / width
    return try withExtendedLifetime(storage) {
      nonisolated(unsafe) let x = pointer
      return try Tensor<Result>.filled(plan.shape) { destination in
        nonisolated(unsafe) let y = destination
        parallelRanges(outer * pieces, grain: max(1, elementsPerPiece / (width * plan.size))) { start, count in
          for piece in start..<(start + count) {
            let first = piece % pieces * width
            let row = piece / pieces
            body(kernels, x + row * plan.size * inner, y + row * inner, first, min(width, inner - first))
          }
        }
      }
    }
  }

  /// Reduces contiguous rows so long that each is divided among threads. The division depends on its length only.
  private func reducedLongRows(_ reduction: Reduction, _ plan: AxisReduction) throws -> Tensor {
    let kernels = Scalar.kernels
    let rows = count / plan.size
    let size = plan.size
    let pieces = (size + elementsPerPiece - 1) / elementsPerPiece
    return try withExtendedLifetime(storage) {
      nonisolated(unsafe) let x = pointer
      switch reduction {
      case .sum, .mean:
        let sums = try Tensor<Double>.filled([rows, pieces]) { destination in
          nonisolated(unsafe) let partial = destination
          parallel(rows * pieces) { piece in
            let first = piece % pieces * elementsPerPiece
            partial[piece] = kernels.sum(
              x + (piece / pieces * size + first), count: min(elementsPerPiece, size - first))
          }
        }
        let totals = try sums.sum(axes: [1])
        let scaled = reduction == .mean ? try totals / Double(size) : totals
        return try scaled.converted(to: Scalar.self).reshaped(plan.shape)
      case .product, .maximum, .minimum:
        let partial = try Tensor.filled([rows, pieces]) { destination in
          nonisolated(unsafe) let partial = destination
          parallel(rows * pieces) { piece in
            let first = piece % pieces * elementsPerPiece
            kernels.reduceRows(
              reduction, x + (piece / pieces * size + first), partial + piece, rows: 1,
              columns: min(elementsPerPiece, size - first))
          }
        }
        let rows = try AxisReduction(partial.shape, [1], keepsAxes: false, operation: "reduce")
        return try partial.reduced(reduction, rows, ofNothing: .nan).reshaped(plan.shape)
      }
    }
  }

  private func argument(greatest: Bool, _ axis: Int?, _ keepDims: Bool, _ name: String) throws -> Tensor<Int64> {
    let plan = try reduction(over: axis.map { [$0] }, keepDims, name)
    guard plan.size > 0 else { throw nothingToChoose(name) }
    if let (outer, inner) = plan.adjacent, inner > 1, plan.size <= 1 << 24 {
      return try rowMajor.overColumns(plan, outer: outer, inner: inner) { kernels, x, y, first, count in
        kernels.argumentColumns(
          greatest: greatest, x, y, rows: plan.size, columns: inner, first: first, count: count)
      }
    }
    return try overRows(plan) { kernels, x, y, rows in
      kernels.argumentRows(greatest: greatest, x, y, rows: rows, columns: plan.size)
    }
  }

  private func nothingToChoose(_ name: String) -> TensorError {
    TensorError.shape(operation: name, reason: "a tensor of shape \(shape) has no elements to choose from")
  }
}
