import ApusBase

/// The matrix product of the last two axes, broadcast over the others (PyTorch's `matmul` for two axes and more).
///
/// - Parameters:
///   - a: `[…, m, k]`.
///   - b: `[…, k, n]`, or `[…, n, k]` with `transposingB`.
///   - transposingB: whether the last two axes of `b` change places first.
///   - alpha: what the product is multiplied by.
/// - Returns: `[…, m, n]`.
/// - Throws: ``TensorError/shape(operation:reason:)`` when the shapes do not fit each other.
@_specialize(where Scalar == Float)
public func matmul<Scalar: FloatingPointScalar>(
  _ a: Tensor<Scalar>, _ b: Tensor<Scalar>, transposingB: Bool = false, alpha: Scalar = 1
) throws -> Tensor<Scalar> {
  guard a.rank >= 2, b.rank >= 2 else {
    throw TensorError.shape(
      operation: "matmul", reason: "operands of shape \(a.shape) and \(b.shape) need at least two axes")
  }
  let (m, k) = (a.shape[a.rank - 2], a.shape[a.rank - 1])
  let (bRows, bColumns) = (b.shape[b.rank - 2], b.shape[b.rank - 1])
  let n = transposingB ? bRows : bColumns
  guard k == (transposingB ? bColumns : bRows) else {
    throw TensorError.shape(
      operation: "matmul",
      reason: "\(a.shape) cannot be multiplied by \(transposingB ? "the transpose of " : "")\(b.shape)")
  }
  let batchA = Array(a.shape.dropLast(2)), batchB = Array(b.shape.dropLast(2))
  let batch = try Shape.broadcast(batchA, batchB, operation: "matmul")
  let (left, right) = (try a.rowMajor, try b.rowMajor)
  // One matrix b for all: the batch of a is just more rows.
  if batchB.allSatisfy({ $0 == 1 }) {
    let rows = try Shape.elementCount(batch + [m], operation: "matmul")
    return try Tensor.filled(batch + [m, n]) { c in
      try withExtendedLifetime((left.storage, right.storage)) {
        try gemm(
          m: rows, n: n, k: k, alpha: alpha, MatrixOperand(left.pointer, leading: k),
          MatrixOperand(right.pointer, leading: bColumns, isTransposed: transposingB),
          into: MatrixResult(base: c, leading: n))
      }
    }
  }
  // Of empty matrices there may be more than a loop comes to the end of.
  if try Shape.elementCount(batch + [m, n], operation: "matmul") == 0 { return try Tensor(zeros: batch + [m, n]) }
  let offsets = BroadcastOffsets(batch, batchA, batchB)
  return try Tensor.filled(batch + [m, n]) { c in
    let c = Unchecked(c)
    try withExtendedLifetime((left.storage, right.storage)) {
      let (left, right) = (Unchecked(left.pointer), Unchecked(right.pointer))
      @Sendable func multiply(_ index: Int) throws {
        let (i, j) = offsets[index]
        try gemm(
          m: m, n: n, k: k, alpha: alpha, MatrixOperand(left.value + i * m * k, leading: k),
          MatrixOperand(right.value + j * k * n, leading: bColumns, isTransposed: transposingB),
          into: MatrixResult(base: c.value + index * m * n, leading: n))
      }
      // A product is the same on one thread as on several: many are spread over threads whole, a few large ones each.
      let work = Double(m) * Double(n) * Double(k)
      guard offsets.count > 1, work < 4_194_304 || offsets.count >= 4 * Execution.current.threads else {
        for index in 0..<offsets.count { try multiply(index) }
        return
      }
      let productsPerTask = work < 65_536 ? Int(65_536 / max(work, 1)) : 1
      let kernels = Scalar.kernels
      // For BLAS each would be a call that asks for memory. Which way it goes must not depend on the number of threads.
      if work < 4_194_304, m > 4, alpha != 0, let product = SmallProduct(kernels, rows: m, depth: k, columns: n) {
        let tasks = (offsets.count + productsPerTask - 1) / productsPerTask
        try parallelWithScratch(tasks, of: Scalar.self, count: product.scratchCount) { task, scratch in
          for index in task * productsPerTask..<min((task + 1) * productsPerTask, offsets.count) {
            let (i, j) = offsets[index]
            product(
              kernels, scale: alpha, left.value + i * m * k,
              MatrixOperand(right.value + j * k * n, leading: bColumns, isTransposed: transposingB), scratch,
              into: c.value + index * m * n)
          }
        }
        return
      }
      let failure = Locked<(any Error)?>(nil)
      parallelRanges(offsets.count, grain: productsPerTask) { first, count in
        do {
          for index in first..<(first + count) { try multiply(index) }
        } catch {
          failure.withLock { $0 = error }
        }
      }
      if let error = failure.withLock({ $0 }) { throw error }
    }
  }
}

/// Which matrix of each operand meets in each matrix of a broadcast batch.
struct BroadcastOffsets: Sendable {
  let count: Int
  private let batch: [Int]
  private let steps: (a: StretchedStrides, b: StretchedStrides)
  /// Whether both operands have a matrix for each of the result.
  private let areAlike: Bool

  init(_ batch: [Int], _ a: [Int], _ b: [Int]) {
    self.count = batch.reduce(1, *)
    self.batch = batch
    steps = (StretchedStrides(of: a, over: batch), StretchedStrides(of: b, over: batch))
    areAlike = a == b
  }

  subscript(index: Int) -> (Int, Int) {
    if areAlike { return (index, index) }
    var rest = index
    var (i, j) = (0, 0)
    for axis in batch.indices.reversed() {
      let coordinate = rest % batch[axis]
      rest /= batch[axis]
      i += coordinate * steps.a[axis]
      j += coordinate * steps.b[axis]
    }
    return (i, j)
  }
}

/// `y = x · weightᵀ + bias` over the last axis: PyTorch's `torch.nn.functional.linear`.
///
/// - Parameters:
///   - input: `[…, inputs]`.
///   - weight: `[outputs, inputs]`.
///   - bias: `[outputs]`.
/// - Returns: `[…, outputs]`.
public func linear<Scalar: FloatingPointScalar>(
  _ input: Tensor<Scalar>, weight: Tensor<Scalar>, bias: Tensor<Scalar>? = nil
) throws -> Tensor<Scalar> {
  guard weight.rank == 2, let inputs = input.shape.last, inputs == weight.shape[1] else {
    throw TensorError.shape(
      operation: "linear", reason: "input \(input.shape) does not fit weight \(weight.shape), [outputs, inputs]")
  }
  let outputs = weight.shape[0]
  if let bias, bias.shape != [outputs] {
    throw TensorError.shape(operation: "linear", reason: "bias has shape \(bias.shape), expected [\(outputs)]")
  }
  let rows = try Shape.elementCount(Array(input.shape.dropLast()), operation: "linear")
  let (x, w, b) = (try input.rowMajor, try weight.rowMajor, try bias?.rowMajor)
  let kernels = Scalar.kernels
  return try Tensor.filled(Array(input.shape.dropLast()) + [outputs]) { y in
    try withExtendedLifetime((x.storage, w.storage, b?.storage)) {
      try gemm(
        m: rows, n: outputs, k: inputs, MatrixOperand(x.pointer, leading: inputs),
        MatrixOperand(w.pointer, leading: inputs, isTransposed: true), into: MatrixResult(base: y, leading: outputs))
      if let b { kernels.addToRows(b.pointer, y, rows: rows, count: outputs, rowStep: outputs) }
    }
  }
}
