import Apus

// Functions of single elements over whole tensors, for what no kernel of Apus computes. A function is a type, not a
// closure: each gets loops of its own, with the function inside. Called on a concrete type everywhere.

/// A function of one element.
protocol UnaryFunction<Input, Output>: Sendable {
  associatedtype Input: TensorScalar
  associatedtype Output: TensorScalar
  func callAsFunction(_ x: Input) -> Output
}

/// A function of two elements.
protocol BinaryFunction<Input, Output>: Sendable {
  associatedtype Input: TensorScalar
  associatedtype Output: TensorScalar
  func callAsFunction(_ a: Input, _ b: Input) -> Output
}

/// `function` of every element.
func mapElements<Function: UnaryFunction>(
  _ function: Function, _ x: Tensor<Function.Input>
) throws -> Tensor<Function.Output> {
  let x = try x.rowMajor
  return try withExtendedLifetime(x) {
    nonisolated(unsafe) let source = x.pointer
    return try Tensor<Function.Output>.filled(x.shape) { destination in
      nonisolated(unsafe) let y = destination
      parallelRanges(x.count) { start, count in
        for i in start..<(start + count) { y[i] = function(source[i]) }
      }
    }
  }
}

/// `function` of every two elements at the same place, with broadcasting.
///
/// - Parameter operation: the operator's name, for messages.
/// - Throws: ``TensorError/shape(operation:reason:)`` with both shapes when they cannot be broadcast together.
func zipElements<Function: BinaryFunction>(
  _ function: Function, _ a: Tensor<Function.Input>, _ b: Tensor<Function.Input>, operation: String
) throws -> Tensor<Function.Output> {
  let (a, b) = (try a.rowMajor, try b.rowMajor)
  return try withExtendedLifetime((a, b)) {
    nonisolated(unsafe) let first = a.pointer
    nonisolated(unsafe) let second = b.pointer
    if a.shape == b.shape || (b.count == 1 && b.rank <= a.rank) || (a.count == 1 && a.rank <= b.rank) {
      let (aStep, bStep) = a.shape == b.shape ? (1, 1) : b.count == 1 && b.rank <= a.rank ? (1, 0) : (0, 1)
      return try Tensor<Function.Output>.filled(aStep == 1 ? a.shape : b.shape) { destination in
        nonisolated(unsafe) let y = destination
        parallelRanges(aStep == 1 ? a.count : b.count) { start, count in
          combineRow(
            function, first + start * aStep, aStep, second + start * bStep, bStep, y + start, count)
        }
      }
    }
    let walk = try BroadcastWalk([a.shape, b.shape], operation: operation)
    let (aStep, bStep) = (walk.step(of: 0), walk.step(of: 1))
    return try Tensor<Function.Output>.filled(walk.shape) { destination in
      nonisolated(unsafe) let y = destination
      walk.forRowsInParallel { position, count, offsets in
        combineRow(function, first + offsets[0], aStep, second + offsets[1], bStep, y + position, count)
      }
    }
  }
}

/// `y[i] = function(a[i * aStep], b[i * bStep])` with steps of 0 or 1, each combination a loop of its own.
@inline(__always)
private func combineRow<Function: BinaryFunction>(
  _ function: Function, _ a: UnsafePointer<Function.Input>, _ aStep: Int, _ b: UnsafePointer<Function.Input>,
  _ bStep: Int, _ y: UnsafeMutablePointer<Function.Output>, _ count: Int
) {
  if aStep == 0 {
    let value = a[0]
    for i in 0..<count { y[i] = function(value, b[i &* bStep]) }
  } else if bStep == 0 {
    let value = b[0]
    for i in 0..<count { y[i] = function(a[i], value) }
  } else {
    // Optimised for size, the compiler makes no vectors of a loop; of what stands side by side it does.
    var i = 0
    while i &+ 8 <= count {
      let (a, b, y) = (a + i, b + i, y + i)
      let (r0, r1, r2, r3) = (function(a[0], b[0]), function(a[1], b[1]), function(a[2], b[2]), function(a[3], b[3]))
      let (r4, r5, r6, r7) = (function(a[4], b[4]), function(a[5], b[5]), function(a[6], b[6]), function(a[7], b[7]))
      (y[0], y[1], y[2], y[3]) = (r0, r1, r2, r3)
      (y[4], y[5], y[6], y[7]) = (r4, r5, r6, r7)
      i &+= 8
    }
    while i < count {
      y[i] = function(a[i], b[i])
      i &+= 1
    }
  }
}
