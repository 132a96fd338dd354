import ApusKernelInterface

/// A tensor with several elements along one axis only, stretched over a shape as broadcasting does: a value a channel, a
/// value a column.
struct StretchedVector<Scalar: FloatingPointScalar>: Sendable {
  private let values: Tensor<Scalar>
  private let repetition: Repetition

  /// Where in memory which value stands, counted from the first element of the shape.
  private enum Repetition {
    /// All values in a row, one row after another.
    case rows(columns: Int)
    /// Each value as often as `length` says before the next follows, and after the last the first.
    case runs(length: Int, count: Int)
    /// The same with the sixteen values of a channel block in each row of a run.
    case blocks(length: Int, count: Int)
  }

  /// The axis of `shape` that the values of a tensor of shape `own` stand along; nil where it is not to be stretched so.
  ///
  /// - Parameter layout: that of the tensors of shape `shape`.
  static func axis(of own: [Int], over shape: [Int], layout: TensorLayout) -> Int? {
    let added = shape.count - own.count
    guard added >= 0, let axis = own.firstIndex(where: { $0 != 1 }), own[(axis + 1)...].allSatisfy({ $0 == 1 }),
      own[axis] > 1, own[axis] == shape[axis + added], layout == .rowMajor || axis + added == 1
    else { return nil }
    return axis + added
  }

  /// - Parameter axis: what ``axis(of:over:layout:)`` says.
  init(_ tensor: Tensor<Scalar>, along axis: Int, of shape: [Int], layout: TensorLayout) throws {
    let length = shape[(axis + 1)...].reduce(1, *)
    let list = try tensor.rowMajor.reshaped([tensor.count])
    if layout == .channelBlocked {
      let blocks = TensorLayout.blocks(tensor.count)
      // What the last block is filled up with is read by nobody.
      values = try pad(list, [0, blocks * TensorLayout.block - tensor.count])
      repetition = .blocks(length: length * TensorLayout.block, count: blocks)
    } else {
      values = list
      repetition = length == 1 ? .rows(columns: list.count) : .runs(length: length, count: list.count)
    }
  }

  /// `y[i] = x[i] op` the value that belongs there, or the value first where `isFirst` says so; `y` may be `x`.
  ///
  /// - Parameter start: the place of the first of the `count` elements in the shape.
  func combine(
    _ operation: BinaryOperation, _ x: UnsafePointer<Scalar>, isFirst: Bool, _ y: UnsafeMutablePointer<Scalar>,
    from start: Int, count: Int
  ) {
    let kernels = Scalar.kernels
    let values = values.pointer
    func row(_ offset: Int, _ at: Int, _ columns: Int, rows: Int) {
      if isFirst {
        kernels.binary(operation, row: values + offset, x + at, y + at, rows: rows, columns: columns)
      } else {
        kernels.binary(operation, x + at, row: values + offset, y + at, rows: rows, columns: columns)
      }
    }
    switch repetition {
    case .rows(let columns):
      let phase = start % columns
      let head = phase == 0 ? 0 : min(columns - phase, count)
      if head > 0 { row(phase, 0, head, rows: 1) }
      let rows = (count - head) / columns
      row(0, head, columns, rows: rows)
      let done = head + rows * columns
      if done < count { row(0, done, count - done, rows: 1) }
    case .runs(let length, let number):
      forRuns(of: length, start, count) { run, at, count in
        let value = values[run % number]
        if isFirst {
          kernels.binary(operation, scalar: value, x + at, y + at, count: count)
        } else {
          kernels.binary(operation, x + at, scalar: value, y + at, count: count)
        }
      }
    case .blocks(let length, let number):
      forRuns(of: length, start, count) { run, at, count in
        let block = TensorLayout.block
        row(run % number * block, at, block, rows: count / block)
      }
    }
  }

  private func forRuns(
    of length: Int, _ start: Int, _ count: Int, _ body: (_ run: Int, _ at: Int, _ count: Int) -> Void
  ) {
    var position = start
    while position < start + count {
      let run = position / length
      let end = min((run + 1) * length, start + count)
      body(run, position - start, end - position)
      position = end
    }
  }
}
