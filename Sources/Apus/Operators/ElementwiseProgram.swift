import ApusKernelInterface

/// Several functions of single elements as one pass over memory.
///
///     x ──► divide by √2 ──► erf ──► add 1 ──► times x ──► times ½
///
/// The elements are taken a piece at a time through all steps, so that what lies between steps never leaves the cache.
/// Each step is the same kernel that runs when it stands alone: results are the same, bit for bit.
package struct ElementwiseProgram: Sendable {
  /// What a step computes with.
  package enum Operand: Sendable, Hashable {
    /// A tensor that is given when the program runs; all of them have one shape.
    case input(Int)
    /// A number, exact in the working type.
    case number(Double)
    /// The result of an earlier step.
    case step(Int)
  }

  package enum Step: Sendable {
    case unary(UnaryOperation, Operand)
    case binary(BinaryOperation, Operand, Operand)

    fileprivate var operands: [Operand] {
      switch self {
      case .unary(_, let operand): [operand]
      case .binary(_, let a, let b): [a, b]
      }
    }
  }

  private let steps: [Step]
  /// For each step the room that its result is put in; the last step's result goes to the output.
  private let rooms: [Int]
  private let roomCount: Int

  /// - Returns: nil for no steps, or operands that no earlier step gives, or a step of numbers alone.
  package init?(_ steps: [Step]) {
    guard !steps.isEmpty else { return nil }
    var lastUse = [Int](repeating: -1, count: steps.count)
    for (index, step) in steps.enumerated() {
      var hasTensor = false
      for operand in step.operands {
        switch operand {
        case .step(let source):
          guard source >= 0, source < index else { return nil }
          lastUse[source] = index
          hasTensor = true
        case .input: hasTensor = true
        case .number: break
        }
      }
      guard hasTensor else { return nil }
    }
    // A room is free again after the last step that reads it; kernels may write where they read.
    var free: [Int] = []
    var rooms = [Int](repeating: 0, count: steps.count)
    var roomCount = 0
    for (index, step) in steps.enumerated() {
      for case .step(let source) in Set(step.operands) where lastUse[source] == index { free.append(rooms[source]) }
      if let room = free.popLast() {
        rooms[index] = room
      } else {
        rooms[index] = roomCount
        roomCount += 1
      }
    }
    self.steps = steps
    self.rooms = rooms
    self.roomCount = roomCount
  }

  /// The elements that are taken through all steps at a time: a few such rooms fit in the first-level cache.
  private static var pieceCount: Int { 2048 }

  /// Runs the program. A channel-blocked input makes all of them so.
  ///
  /// - Parameter inputs: at least one, all of the same shape.
  /// - Throws: ``TensorError`` for shapes that differ, or when memory is short.
  package func callAsFunction<Scalar: FloatingPointScalar>(_ inputs: [Tensor<Scalar>]) throws -> Tensor<Scalar> {
    var inputs = inputs
    return try self(overwriting: &inputs)
  }

  /// The same with the memory of one of the inputs for the result, where nothing else holds it; none is to be used
  /// again.
  package func callAsFunction<Scalar: FloatingPointScalar>(
    overwriting inputs: inout [Tensor<Scalar>]
  ) throws -> Tensor<Scalar> {
    guard let shape = inputs.first?.shape, inputs.allSatisfy({ $0.shape == shape }) else {
      throw TensorError.shape(operation: "elementwise", reason: "shapes \(inputs.map(\.shape)) are not all the same")
    }
    if inputs.contains(where: { $0.layout == .channelBlocked }) { inputs = try inputs.map { try $0.channelBlocked } }
    let layout = inputs[0].layout
    let count = inputs[0].storedCount
    // Only the last step writes to the result, and no step reads what it has written.
    let result =
      try inputs.indices.first { inputs[$0].ownsMemory() }.map { inputs[$0] }
      ?? Tensor(uninitialized: shape, layout: layout)
    let sources = inputs.map { Unchecked($0.pointer) }
    let y = Unchecked(result.mutablePointer)
    let pieces = (count + Self.pieceCount - 1) / Self.pieceCount
    let piecesPerTask = max(1, elementsPerPiece / Self.pieceCount / max(1, steps.count / 2))
    let kernels = Scalar.kernels
    try withExtendedLifetime((inputs, result)) {
      try parallelWithScratch(
        (pieces + piecesPerTask - 1) / piecesPerTask, of: Scalar.self, count: roomCount * Self.pieceCount
      ) { task, scratch in
        for piece in task * piecesPerTask..<min((task + 1) * piecesPerTask, pieces) {
          let start = piece * Self.pieceCount
          run(
            kernels, sources, offset: start, into: y.value + start, count: min(Self.pieceCount, count - start), scratch)
        }
      }
    }
    return result
  }

  private func run<Scalar: FloatingPointScalar>(
    _ kernels: any FloatingKernels<Scalar>.Type, _ sources: [Unchecked<UnsafePointer<Scalar>>], offset: Int,
    into y: UnsafeMutablePointer<Scalar>, count: Int, _ scratch: UnsafeMutablePointer<Scalar>
  ) {
    for (index, step) in steps.enumerated() {
      let target = index == steps.count - 1 ? y : scratch + rooms[index] * Self.pieceCount
      func pointer(_ operand: Operand) -> UnsafePointer<Scalar>? {
        switch operand {
        case .input(let number): sources[number].value + offset
        case .step(let source): UnsafePointer(scratch + rooms[source] * Self.pieceCount)
        case .number: nil
        }
      }
      switch step {
      case .unary(let operation, let operand):
        if let x = pointer(operand) { kernels.unary(operation, x, target, count: count) }
      case .binary(let operation, let a, let b):
        switch (pointer(a), pointer(b), a, b) {
        case (let a?, let b?, _, _): kernels.binary(operation, a, b, target, count: count)
        case (let a?, nil, _, .number(let b)):
          kernels.binary(operation, a, scalar: Scalar(b), target, count: count)
        case (nil, let b?, .number(let a), _):
          kernels.binary(operation, scalar: Scalar(a), b, target, count: count)
        default: break
        }
      }
    }
  }
}
