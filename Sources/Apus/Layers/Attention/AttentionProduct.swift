import ApusKernelInterface

/// Matrices of equally many rows, one for each head of each sample, wherever they lie: in tensors of their own, or side
/// by side in the rows of one.
struct AttentionOperand<Scalar: FloatingPointScalar>: Sendable {
  /// Row-major.
  let tensor: Tensor<Scalar>
  /// Where each matrix begins.
  let offsets: [Int]
  /// Elements from one row to the next.
  let rowStep: Int
}

/// A mask, and where it begins for each head of each sample.
struct PlacedMask<Scalar: FloatingPointScalar>: Sendable {
  let mask: AttentionMask<Scalar>
  let offsets: [Int]
  /// Elements from one query to the next, and from one key to the next; 0 where the mask repeats.
  let queryStep: Int
  let keyStep: Int
}

/// `softmax(query · scale · keyᵀ + mask) · value` for many heads, of which each is computed in one go: its scores never
/// leave the cache, and operands are read and results written where they lie.
struct AttentionProduct<Scalar: FloatingPointScalar>: Sendable {
  let queries: Int
  let keys: Int
  /// Features of a query and a key, and of a value.
  let features: Int
  let values: Int
  let scale: Scalar
  /// Scores `s` become `cap · tanh(s / cap)` before anything is masked.
  var softcap: Scalar?
  /// The keys in reach: none where all are, one for all heads, or one for each head of each sample.
  var spans: [KeySpan] = []
  let masks: [PlacedMask<Scalar>]
  /// For each head of each sample a score that takes part in the softmax and has no value; none, or as many as heads.
  var sinks: [Scalar] = []
  /// What a query gets that no key is left for: zeros, or NaN.
  var emptyRowsAreZero = false
  let query: AttentionOperand<Scalar>
  let key: AttentionOperand<Scalar>
  let value: AttentionOperand<Scalar>

  /// - Parameters:
  ///   - output: where results go; every element of every row is written.
  ///   - offsets: where each head's result begins in it, `rowStep` from one row to the next.
  func callAsFunction(into output: UnsafeMutablePointer<Scalar>, offsets: [Int], rowStep: Int) throws {
    guard queries > 0, values > 0, !offsets.isEmpty else { return }
    // More rows repay laying out keys and values; fewer keep their scores in the cache.
    let queriesPerTask = min(queries, 128)
    let blocks = (queries + queriesPerTask - 1) / queriesPerTask
    let room = AttentionRoom<Scalar>(self, queries: queriesPerTask)
    let output = Unchecked(output)
    let kernels = Scalar.kernels
    try parallelWithScratch(offsets.count * blocks, of: Scalar.self, count: room.count) { task, scratch in
      let index = task / blocks
      let first = task % blocks * queriesPerTask
      attend(
        kernels, index, first..<min(first + queriesPerTask, queries), room, scratch,
        into: output.value + offsets[index] + first * rowStep, rowStep: rowStep)
    }
    withExtendedLifetime((query, key, value, masks)) {}
  }

  /// Some queries of one head.
  private func attend(
    _ kernels: any FloatingKernels<Scalar>.Type, _ index: Int, _ range: Range<Int>, _ room: AttentionRoom<Scalar>,
    _ scratch: UnsafeMutablePointer<Scalar>, into output: UnsafeMutablePointer<Scalar>, rowStep: Int
  ) {
    let vector = kernels.vectorWidth
    let rows = range.count
    let (right, scores) = (scratch + room.right, scratch + room.scores)
    let zeros = scratch + room.zeros
    zeros.initialize(repeating: 0, count: kernels.blocksPerTile * vector)

    let query = MatrixOperand(
      query.tensor.pointer + query.offsets[index] + range.lowerBound * query.rowStep, leading: query.rowStep)
    kernels.packColumns(
      key.tensor.pointer + key.offsets[index], rowStep: 1, columnStep: key.rowStep, depth: features,
      filledDepth: room.features, columns: keys, right, blockStep: room.features * vector)
    multiplyTiles(
      kernels,
      LeftRows(
        kernels, query, scale: scale, rows: rows, depth: features, columns: room.keys, room: scratch + room.left),
      RightColumns(panel: right, filledDepth: room.features), rows: rows, depth: features, columns: room.keys,
      zeros: zeros, into: scores, step: room.keys)
    if let softcap {
      kernels.binary(.divide, scores, scalar: softcap, scores, count: rows * room.keys)
      kernels.unary(.tanh, scores, scores, count: rows * room.keys)
      kernels.binary(.multiply, scores, scalar: softcap, scores, count: rows * room.keys)
    }

    for mask in masks { mask.apply(at: index, range, keys: keys, scores, step: room.keys) }
    if let span = spans.count > 1 ? spans[index] : spans.first {
      for query in range {
        let row = scores + (query - range.lowerBound) * room.keys
        let reach = span.keys(of: query, count: keys)
        row.update(repeating: -.infinity, count: reach.lowerBound)
        (row + reach.upperBound).update(repeating: -.infinity, count: keys - reach.upperBound)
      }
    }
    softmax(kernels, index, range, room, scores, scratch + room.greatest)

    let weights = LeftRows(
      kernels, MatrixOperand(scores, leading: room.keys), rows: rows, depth: keys, columns: values,
      room: scratch + room.left)
    let columns = RightColumns(
      kernels, MatrixOperand(value.tensor.pointer + value.offsets[index], leading: value.rowStep), rows: rows,
      depth: keys, filledDepth: room.keys, columns: values, room: right)
    if room.values == values {
      multiplyTiles(
        kernels, weights, columns, rows: rows, depth: keys, columns: values, zeros: zeros, into: output, step: rowStep)
    } else {
      let edge = scratch + room.edge
      multiplyTiles(
        kernels, weights, columns, rows: rows, depth: keys, columns: room.values, zeros: zeros, into: edge,
        step: room.values)
      for row in 0..<rows { (output + row * rowStep).update(from: edge + row * room.values, count: values) }
    }
  }

  /// Scores to probabilities: all rows in one go, or row by row where some may be left without a key, or have a sink.
  ///
  /// - Parameter greatest: room for a number of each row.
  private func softmax(
    _ kernels: any FloatingKernels<Scalar>.Type, _ index: Int, _ range: Range<Int>, _ room: AttentionRoom<Scalar>,
    _ scores: UnsafeMutablePointer<Scalar>, _ greatest: UnsafeMutablePointer<Scalar>
  ) {
    let rows = range.count
    guard keys > 0 else {
      if !sinks.isEmpty { scores.update(repeating: 0, count: rows * room.keys) }
      return
    }
    let mayBeEmpty = emptyRowsAreZero && !(masks.isEmpty && spans.isEmpty)
    if sinks.isEmpty {
      // What fills rows up to whole vectors takes no part.
      if room.keys > keys {
        let data = Execution.current.kernels.data
        withUnsafePointer(to: -Scalar.infinity) { nothing in
          for row in 0..<rows {
            data.fill(
              elementSize: MemoryLayout<Scalar>.stride, with: nothing, scores + row * room.keys + keys,
              count: room.keys - keys)
          }
        }
      }
      if mayBeEmpty { kernels.reduceRows(.maximum, scores, greatest, rows: rows, columns: room.keys) }
      if !mayBeEmpty || (0..<rows).allSatisfy({ greatest[$0] > -.infinity }) {
        kernels.softmaxRows(scores, scores, rows: rows, columns: room.keys, logarithm: false)
        return
      }
    }
    for query in range {
      let line = scores + (query - range.lowerBound) * room.keys
      if mayBeEmpty {
        var greatest: Scalar = 0
        kernels.reduceRows(.maximum, line, &greatest, rows: 1, columns: keys)
        if greatest.isNaN {
          // A score that is infinite or NaN is masked all the same.
          for mask in masks { mask.clear(at: index, query, keys: keys, line) }
          kernels.reduceRows(.maximum, line, &greatest, rows: 1, columns: keys)
        }
        if greatest == -.infinity {
          line.update(repeating: 0, count: room.keys)
          continue
        }
      }
      if sinks.isEmpty {
        // As wide as above, so that a row's bits do not depend on whether another one is left without a key.
        kernels.softmaxRows(line, line, rows: 1, columns: room.keys, logarithm: false)
      } else {
        line[keys] = sinks[index]
        kernels.softmaxRows(line, line, rows: 1, columns: keys + 1, logarithm: false)
        (line + keys).update(repeating: 0, count: room.keys - keys)
      }
    }
  }
}

/// Where a task keeps what: offsets in its part of the scratch memory, and sizes filled up to whole vectors.
private struct AttentionRoom<Scalar: FloatingPointScalar>: Sendable {
  let features, keys, values: Int
  let left, right, scores, edge, greatest, zeros, count: Int

  init(_ product: AttentionProduct<Scalar>, queries: Int) {
    let vector = Scalar.kernels.vectorWidth
    func whole(_ count: Int) -> Int { (count + vector - 1) / vector * vector }
    (features, keys, values) = (
      whole(product.features), whole(product.keys + (product.sinks.isEmpty ? 0 : 1)), whole(product.values)
    )
    left = 0
    right = left + max(features, keys) * queries
    scores = right + max(features, values) * keys
    edge = scores + queries * keys
    greatest = edge + (values == product.values ? 0 : queries * values)
    zeros = greatest + whole(queries)
    count = zeros + 2 * vector
  }
}

extension PlacedMask {
  /// Sets the scores of one query that an additive mask of minus infinity excludes, whatever they are.
  fileprivate func clear(at index: Int, _ query: Int, keys: Int, _ row: UnsafeMutablePointer<Scalar>) {
    guard case .additive(let bias) = mask else { return }
    let start = bias.pointer + offsets[index] + query * queryStep
    for key in 0..<keys where start[key * keyStep] == -.infinity { row[key] = -.infinity }
  }

  /// Masks some queries' scores.
  fileprivate func apply(
    at index: Int, _ range: Range<Int>, keys: Int, _ scores: UnsafeMutablePointer<Scalar>, step: Int
  ) {
    guard keys > 0 else { return }
    let kernels = Scalar.kernels
    let start = offsets[index] + range.lowerBound * queryStep
    switch mask {
    case .additive(let bias):
      let bias = bias.pointer + start
      if keyStep == 1, queryStep == step, step == keys {
        kernels.binary(.add, scores, bias, scores, count: range.count * keys)
        return
      }
      for query in 0..<range.count {
        let row = scores + query * step
        if keyStep == 0 {
          kernels.binary(.add, row, scalar: bias[query * queryStep], row, count: keys)
        } else {
          kernels.binary(.add, row, bias + query * queryStep, row, count: keys)
        }
      }
    case .attending(let truth), .ignoring(let truth):
      let (truth, chosen) = (truth.pointer + start, mask.attends)
      for query in 0..<range.count {
        let row = scores + query * step
        if keyStep == 0 {
          if truth[query * queryStep] != chosen { row.update(repeating: -.infinity, count: keys) }
        } else {
          let mask = UnsafeRawPointer(truth + query * queryStep).assumingMemoryBound(to: UInt8.self)
          withUnsafePointer(to: -Scalar.infinity) { left in
            let (own, left) = ((x: UnsafeRawPointer(row), step: 1), (x: UnsafeRawPointer(left), step: 0))
            let (a, b) = chosen ? (own, left) : (left, own)
            Execution.current.kernels.data.select(
              elementSize: MemoryLayout<Scalar>.stride, mask, a.x, aStep: a.step, b.x, bStep: b.step, row, count: keys)
          }
        }
      }
    }
  }
}
