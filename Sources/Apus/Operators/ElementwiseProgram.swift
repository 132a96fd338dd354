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
    /// A tensor that is given when the program runs: of the shape that the result has, or a ``StretchedVector`` over it.
    case input(Int)
    /// A number, exact in the working type.
    case number(Double)
    /// The result of an earlier step.
    case step(Int)
  }

  package enum Step: Sendable {
    case unary(UnaryOperation, Operand)
    case binary(BinaryOperation, Operand, Operand)
    /// The numbers that an input of bytes stands for.
    case dequantize(Operand, QuantizedLevels)
    /// The numbers that those stand for to which other numbers are quantised.
    case requantize(Operand, QuantizedLevels)

    fileprivate var operands: [Operand] {
      switch self {
      case .unary(_, let operand), .dequantize(let operand, _), .requantize(let operand, _): [operand]
      case .binary(_, let a, let b): [a, b]
      }
    }

    /// Whether one of the operands is like that.
    fileprivate func reads(_ isLikeThat: (Operand) -> Bool) -> Bool {
      switch self {
      case .unary(_, let operand), .dequantize(let operand, _), .requantize(let operand, _): isLikeThat(operand)
      case .binary(_, let a, let b): isLikeThat(a) || isLikeThat(b)
      }
    }
  }

  private let steps: [Step]
  /// For each step the room that its result is put in; the last step's result goes to the output.
  private let rooms: [Int]
  private let roomCount: Int
  /// What the last step's numbers are quantised to.
  private let levels: QuantizedLevels?
  /// Whether inputs or the result are bytes.
  package let hasBytes: Bool
  /// Whether there are bytes between steps.
  private let requantizes: Bool

  /// - Parameter levels: what the last step's numbers are quantised to; nil where they stay numbers.
  /// - Returns: nil for no steps, or operands that no earlier step gives, or a step of numbers alone.
  package init?(_ steps: [Step], quantizingTo levels: QuantizedLevels? = nil) {
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
    self.levels = levels
    requantizes = steps.contains { if case .requantize = $0 { true } else { false } }
    hasBytes = levels != nil || requantizes || steps.contains { if case .dequantize = $0 { true } else { false } }
  }

  /// The elements that are taken through all steps at a time: a few such rooms fit in the first-level cache.
  private static var pieceCount: Int { 2048 }

  /// Runs the program. A channel-blocked input makes all of them so.
  ///
  /// The memory of one of the inputs becomes that of the result, where nothing else holds it; none is to be used again.
  ///
  /// - Parameter inputs: at least one, all of the same shape, but for those with several elements along one axis only,
  ///   which are stretched over it.
  /// - Throws: ``TensorError`` for inputs that ``canRun(_:)`` refuses, or when memory is short.
  package func callAsFunction<Scalar: FloatingPointScalar>(
    overwriting inputs: inout [Tensor<Scalar>]
  ) throws -> Tensor<Scalar> {
    let operands = inputs.map { (shape: $0.shape, layout: $0.layout) }
    guard let form = form(of: operands) else {
      throw TensorError.shape(
        operation: "elementwise", reason: "shapes \(operands.map(\.shape)) cannot be taken in one pass")
    }
    return try self(overwriting: &inputs, as: form)
  }

  /// The same of inputs whose result is known to have this form.
  @_specialize(where Scalar == Float)
  package func callAsFunction<Scalar: FloatingPointScalar>(
    overwriting inputs: inout [Tensor<Scalar>], as form: Form
  ) throws -> Tensor<Scalar> {
    let (shape, layout) = form
    var sources: [Source<Scalar>] = []
    sources.reserveCapacity(inputs.count)
    for index in inputs.indices {
      if inputs[index].shape == shape {
        if layout == .channelBlocked { inputs[index] = try inputs[index].channelBlocked }
        sources.append(.whole(Unchecked(inputs[index].pointer)))
      } else if let axis = StretchedVector<Scalar>.axis(of: inputs[index].shape, over: shape, layout: layout) {
        sources.append(.stretched(try StretchedVector(inputs[index], along: axis, of: shape, layout: layout)))
      }
    }
    // Only the last step writes to the result, and no step reads what it has written.
    let overwritten = inputs.indices.first { inputs[$0].shape == shape && inputs[$0].ownsMemory() }
    let result = try overwritten.map { inputs[$0] } ?? Tensor(uninitialized: shape, layout: layout)
    let count = result.storedCount
    try withExtendedLifetime((inputs, result)) {
      try fill(UnsafeMutableRawPointer(result.mutablePointer), sources, count: count)
    }
    return result
  }

  /// The same of numbers of sixteen bits, in float32; the result of each step is rounded to their type. Channel-blocked where
  /// all inputs of the result's shape are.
  package func callAsFunction<Half: TensorScalar>(rounding inputs: [Tensor<Half>]) throws -> Tensor<Half> {
    let (shape, layout) = Self.commonOfHalves(inputs)
    let inputs = try layout == .channelBlocked ? inputs : inputs.map { try $0.rowMajor }
    guard canRun(rounding: inputs) else {
      throw TensorError.shape(
        operation: "elementwise", reason: "shapes \(inputs.map(\.shape)) cannot be taken in one pass")
    }
    var sources: [Source<Float>] = []
    for input in inputs {
      if input.shape == shape {
        sources.append(.halves(Unchecked(UnsafeRawPointer(input.pointer).assumingMemoryBound(to: UInt16.self))))
      } else if let axis = StretchedVector<Float>.axis(of: input.shape, over: shape, layout: layout) {
        sources.append(.stretched(try StretchedVector(input.converted(), along: axis, of: shape, layout: layout)))
      }
    }
    return try withExtendedLifetime(inputs) {
      let result = try Tensor<Half>(uninitialized: shape, layout: layout)
      try fill(
        UnsafeMutableRawPointer(result.mutablePointer), sources, count: result.storedCount, rounding: Half.dataType)
      return result
    }
  }

  /// The same of inputs of which some are bytes, in float32; row-major. The result is bytes where the program quantises.
  ///
  /// Bytes are of the result's shape.
  package func callAsFunction(_ inputs: [AnyTensor]) throws -> AnyTensor {
    guard canRun(bytesOrFloats: inputs) else {
      throw TensorError.shape(
        operation: "elementwise", reason: "shapes \(inputs.map(\.shape)) cannot be taken in one pass")
    }
    let (shape, _) = Self.common(inputs.map { ($0.shape, .rowMajor) })
    let inputs = try inputs.map { input -> AnyTensor in
      switch input {
      case .float32(let tensor): .float32(try tensor.rowMajor)
      case .int8(let tensor): .int8(try tensor.rowMajor)
      case .uint8(let tensor): .uint8(try tensor.rowMajor)
      default:
        throw TensorError.argument(
          operation: "elementwise", reason: "\(input.dataType) is neither float32 nor of bytes")
      }
    }
    var sources: [Source<Float>] = []
    for input in inputs {
      switch input {
      case .int8(let tensor): sources.append(.bytes(Unchecked(tensor.bytes8)))
      case .uint8(let tensor): sources.append(.bytes(Unchecked(tensor.bytes8)))
      case .float32(let tensor) where tensor.shape != shape:
        guard let axis = StretchedVector<Float>.axis(of: tensor.shape, over: shape, layout: .rowMajor) else { continue }
        sources.append(.stretched(try StretchedVector(tensor, along: axis, of: shape, layout: .rowMajor)))
      case .float32(let tensor): sources.append(.whole(Unchecked(tensor.pointer)))
      default: break
      }
    }
    let count = try Shape.elementCount(shape)
    func filled<Result: TensorScalar>(_ type: Result.Type) throws -> Tensor<Result> {
      try Tensor<Result>.filled(shape) { y in
        if count >= leastLookUp, sources.count == 1, case .bytes(let x) = sources[0] {
          try lookUp(x.value, y, count: count)
        } else {
          try fill(UnsafeMutableRawPointer(y), sources, count: count)
        }
      }
    }
    return try withExtendedLifetime(inputs) {
      switch levels?.isSigned {
      case nil: .float32(try filled(Float.self))
      case true?: .int8(try filled(Int8.self))
      case false?: .uint8(try filled(UInt8.self))
      }
    }
  }

  /// What is computed of one input of bytes: for each of the 256 once.
  private func lookUp<Result>(_ x: UnsafePointer<UInt8>, _ y: UnsafeMutablePointer<Result>, count: Int) throws {
    let table = try TensorStorage(byteCount: 256 * MemoryLayout<Result>.stride)
    let bytes = try Tensor<UInt8>.everyByte
    try withExtendedLifetime(bytes) {
      try fill(table.base, [Source<Float>.bytes(Unchecked(bytes.bytes8))], count: 256)
    }
    Apus.lookUp(x, table: table.base, y, count: count)
  }

  /// The same of a single tensor in float32, whose elements are rounded before the first step.
  package func callAsFunction<Half: TensorScalar>(
    rounding input: Tensor<Float>, to type: Half.Type
  ) throws -> Tensor<Half> {
    guard Half.dataType.isComputedInFloat, !hasBytes, canRun([(input.shape, input.layout)]) else {
      throw TensorError.argument(operation: "elementwise", reason: "the program is not one of \(Half.dataType) numbers")
    }
    return try withExtendedLifetime(input) {
      let result = try Tensor<Half>(uninitialized: input.shape, layout: input.layout)
      try fill(
        UnsafeMutableRawPointer(result.mutablePointer), [Source<Float>.unrounded(Unchecked(input.pointer))],
        count: result.storedCount, rounding: Half.dataType)
      return result
    }
  }

  private func fill<Scalar: FloatingPointScalar>(
    _ y: UnsafeMutableRawPointer, _ sources: [Source<Scalar>], count: Int, rounding type: DataType? = nil
  ) throws {
    let pieces = (count + Self.pieceCount - 1) / Self.pieceCount
    let piecesPerTask = max(1, elementsPerPiece / Self.pieceCount / max(1, steps.count / 2))
    let kernels: Kernels<Scalar> = (
      Scalar.kernels, Execution.current.kernels.data, Execution.current.kernels.quantized
    )
    let y = Unchecked(y)
    let half = type?.storedType
    // The numbers that become others lie in a room of their own, and so do those that inputs of sixteen bits stand for.
    let isNumber = levels == nil && half == nil
    let rooms = roomCount + (isNumber ? 0 : 1) + (half == nil ? 0 : sources.count) + (requantizes ? 1 : 0)
    try parallelWithScratch(
      (pieces + piecesPerTask - 1) / piecesPerTask, of: Scalar.self, count: rooms * Self.pieceCount
    ) { task, scratch in
      for piece in task * piecesPerTask..<min((task + 1) * piecesPerTask, pieces) {
        let start = piece * Self.pieceCount
        let length = min(Self.pieceCount, count - start)
        let target =
          isNumber ? y.value.assumingMemoryBound(to: Scalar.self) + start : scratch + roomCount * Self.pieceCount
        run(
          kernels, sources, offset: start, into: target, count: length, scratch,
          bytes: UnsafeMutableRawPointer(scratch + (rooms - 1) * Self.pieceCount), rounding: half)
        if let levels {
          kernels.bytes.quantize(
            UnsafeRawPointer(target).assumingMemoryBound(to: Float.self), scale: levels.scale, range: levels.range,
            y.value + start, isWide: false, count: length)
        } else if let half {
          kernels.data.convert(target, .float32, y.value + 2 * start, half, count: length)
        }
      }
    }
  }

  /// The shape and the layout of a tensor.
  package typealias Form = (shape: [Int], layout: TensorLayout)

  /// Whether inputs of these shapes and layouts can be taken in one pass.
  package func canRun(_ inputs: [Form]) -> Bool { form(of: inputs) != nil }

  /// The form of the result of such inputs; nil where they cannot be taken in one pass: at least one has the result's shape,
  /// which is the largest, and no step is without such a one.
  package func form(of inputs: [Form]) -> Form? {
    guard !inputs.isEmpty else { return nil }
    let form = Self.common(inputs)
    let areWhole = inputs.map { $0.shape == form.shape }
    let canStretch = zip(inputs, areWhole).allSatisfy { input, isWhole in
      isWhole || StretchedVector<Float>.axis(of: input.shape, over: form.shape, layout: form.layout) != nil
    }
    let hasWhole = steps.allSatisfy { step in
      step.reads { isTensor($0) { areWhole.indices.contains($0) && areWhole[$0] } }
    }
    return canStretch && hasWhole ? form : nil
  }

  /// Whether these inputs of sixteen bits can be taken in one pass.
  package func canRun<Half: TensorScalar>(rounding inputs: [Tensor<Half>]) -> Bool {
    let (_, layout) = Self.commonOfHalves(inputs)
    return Half.dataType.isComputedInFloat && Half.dataType.byteCount == 2 && !hasBytes
      && canRun(inputs.map { ($0.shape, layout) })
  }

  /// The shape and the layout of the result of inputs of sixteen bits, which are not laid out anew for the others' sake.
  private static func commonOfHalves<Half: TensorScalar>(_ inputs: [Tensor<Half>]) -> ([Int], TensorLayout) {
    let (shape, _) = common(inputs.map { ($0.shape, .rowMajor) })
    let isBlocked = inputs.allSatisfy { $0.shape != shape || $0.layout == .channelBlocked }
    return (shape, isBlocked ? .channelBlocked : .rowMajor)
  }

  /// Whether these inputs can be taken in one pass: bytes where the program reads bytes, float32 elsewhere.
  package func canRun(bytesOrFloats inputs: [AnyTensor]) -> Bool {
    canRun(bytesOrFloats: inputs.map { ($0.shape, $0.dataType) })
  }

  private func canRun(bytesOrFloats inputs: [(shape: [Int], type: DataType)]) -> Bool {
    let operands = inputs.map { ($0.shape, TensorLayout.rowMajor) }
    guard canRun(operands) else { return false }
    let (shape, _) = Self.common(operands)
    var types = [DataType](repeating: .float32, count: inputs.count)
    for case .dequantize(.input(let index), let levels) in steps where types.indices.contains(index) {
      types[index] = levels.isSigned ? .int8 : .uint8
    }
    return zip(inputs, types).allSatisfy { $0.type == $1 && ($1 == .float32 || $0.shape == shape) }
  }

  /// The same program and its inputs where it can run with them. Where it cannot, axes of one element are added before the
  /// others, and what is made of inputs of fewer elements alone is computed first, as an input of the rest of the program.
  ///
  /// - Returns: nil where it cannot run even so.
  package func separating(_ inputs: [AnyTensor]) throws -> (program: ElementwiseProgram, inputs: [AnyTensor])? {
    guard !canRun(bytesOrFloats: inputs) else { return (self, inputs) }
    let (shape, _) = Self.common(inputs.map { ($0.shape, .rowMajor) })
    let given = try inputs.map { input -> AnyTensor in
      let added = [Int](repeating: 1, count: max(0, shape.count - input.shape.count))
      guard !added.isEmpty, added + input.shape == shape else { return input }
      return switch input {
      case .float32(let tensor): .float32(try tensor.reshaped(shape))
      case .int8(let tensor): .int8(try tensor.reshaped(shape))
      case .uint8(let tensor): .uint8(try tensor.reshaped(shape))
      default: input
      }
    }
    guard !canRun(bytesOrFloats: given) else { return (self, given) }
    var isWhole: [Bool] = []
    for step in steps {
      isWhole.append(
        step.reads { operand in
          if case .step(let source) = operand { return isWhole[source] }
          return isTensor(operand) { given.indices.contains($0) && given[$0].shape == shape }
        })
    }
    // Programs that come first, what they read, and the shapes of what they give.
    var first: [(program: ElementwiseProgram, inputs: [AnyTensor])] = []
    var operands: [(shape: [Int], type: DataType)] = given.map { ($0.shape, $0.dataType) }
    var results: [Int: Int] = [:]
    for (index, step) in steps.enumerated() where isWhole[index] {
      for case .step(let source) in step.operands where !isWhole[source] && results[source] == nil {
        guard let (program, read) = excerpt(sources(of: source), results: [:]),
          read.allSatisfy(given.indices.contains)
        else { return nil }
        results[source] = operands.count
        first.append((program, read.map { given[$0] }))
        operands.append((Self.common(read.map { (given[$0].shape, .rowMajor) }).0, .float32))
      }
    }
    guard let (program, read) = excerpt(isWhole, results: results, quantizingTo: levels),
      read.allSatisfy(operands.indices.contains), program.canRun(bytesOrFloats: read.map { operands[$0] }),
      first.allSatisfy({ $0.program.canRun(bytesOrFloats: $0.inputs) })
    else { return nil }
    let all = given + (try first.map { try $0.program($0.inputs) })
    return (program, read.map { all[$0] })
  }

  /// The steps that one needs, itself among them.
  private func sources(of step: Int) -> [Bool] {
    var isNeeded = [Bool](repeating: false, count: steps.count)
    isNeeded[step] = true
    for index in (0...step).reversed() where isNeeded[index] {
      for case .step(let source) in steps[index].operands { isNeeded[source] = true }
    }
    return isNeeded
  }

  /// Some of the steps as a program, and the inputs that it reads; `results` says which inputs are what other steps give.
  private func excerpt(
    _ isTaken: [Bool], results: [Int: Int], quantizingTo levels: QuantizedLevels? = nil
  ) -> (program: ElementwiseProgram, inputs: [Int])? {
    var taken: [Step] = []
    var places: [Int: Int] = [:]
    var inputs: [Int] = []
    func input(_ index: Int) -> Operand {
      if !inputs.contains(index) { inputs.append(index) }
      return .input(inputs.firstIndex(of: index) ?? 0)
    }
    func operand(_ old: Operand) -> Operand {
      switch old {
      case .input(let index): input(index)
      case .number: old
      case .step(let source): results[source].map(input) ?? .step(places[source] ?? -1)
      }
    }
    for (index, step) in steps.enumerated() where isTaken[index] {
      places[index] = taken.count
      switch step {
      case .unary(let operation, let x): taken.append(.unary(operation, operand(x)))
      case .binary(let operation, let a, let b): taken.append(.binary(operation, operand(a), operand(b)))
      case .dequantize(let x, let levels): taken.append(.dequantize(operand(x), levels))
      case .requantize(let x, let levels): taken.append(.requantize(operand(x), levels))
      }
    }
    return ElementwiseProgram(taken, quantizingTo: levels).map { ($0, inputs) }
  }

  /// The shape and the layout of the result.
  private static func common(_ inputs: [Form]) -> Form {
    var (shape, size) = ([Int](), -1)
    for input in inputs {
      let own = input.shape.reduce(1, *)
      if own > size || own == size && input.shape.count > shape.count { (shape, size) = (input.shape, own) }
    }
    let isBlocked = inputs.contains { $0.shape == shape && $0.layout == .channelBlocked }
    return (shape, isBlocked ? .channelBlocked : .rowMajor)
  }

  /// An input while the program runs.
  private enum Source<Scalar: FloatingPointScalar>: Sendable {
    case whole(Unchecked<UnsafePointer<Scalar>>)
    case stretched(StretchedVector<Scalar>)
    case bytes(Unchecked<UnsafePointer<UInt8>>)
    /// Numbers of sixteen bits, and those that are to be rounded to such.
    case halves(Unchecked<UnsafePointer<UInt16>>)
    case unrounded(Unchecked<UnsafePointer<Float>>)
  }

  /// Whether an operand has the result's shape.
  private func isTensor(_ operand: Operand, _ isWhole: (_ input: Int) -> Bool) -> Bool {
    switch operand {
    case .input(let index): isWhole(index)
    case .step: true
    case .number: false
    }
  }

  /// What an operand is for a piece of the elements.
  private enum Piece<Scalar: FloatingPointScalar> {
    case elements(UnsafePointer<Scalar>)
    case vector(StretchedVector<Scalar>)
    case number(Scalar)
    case bytes(UnsafePointer<UInt8>)
  }

  private typealias Kernels<Scalar: FloatingPointScalar> = (
    numbers: any FloatingKernels<Scalar>.Type, data: any DataKernels.Type, bytes: any QuantizedKernels.Type
  )

  /// - Parameters:
  ///   - bytes: the last room, of bytes if there is a step that requantises.
  ///   - half: of sixteen bits: what inputs are widened from, and what the results of all steps but the last are rounded to.
  private func run<Scalar: FloatingPointScalar>(
    _ kernels: Kernels<Scalar>, _ sources: [Source<Scalar>], offset: Int, into y: UnsafeMutablePointer<Scalar>,
    count: Int, _ scratch: UnsafeMutablePointer<Scalar>, bytes: UnsafeMutableRawPointer, rounding half: StoredType?
  ) {
    func wideRoom(_ input: Int) -> UnsafeMutablePointer<Scalar> { scratch + (roomCount + 1 + input) * Self.pieceCount }
    if let half {
      for (input, source) in sources.enumerated() {
        let room = UnsafeMutableRawPointer(wideRoom(input)).assumingMemoryBound(to: Float.self)
        switch source {
        case .halves(let pointer): kernels.data.convert(pointer.value + offset, half, room, .float32, count: count)
        case .unrounded(let pointer): kernels.data.round(pointer.value + offset, to: half, room, count: count)
        default: break
        }
      }
    }
    func piece(_ operand: Operand) -> Piece<Scalar> {
      switch operand {
      case .input(let number):
        switch sources[number] {
        case .whole(let pointer): .elements(pointer.value + offset)
        case .stretched(let vector): .vector(vector)
        case .bytes(let pointer): .bytes(pointer.value + offset)
        case .halves, .unrounded: .elements(UnsafePointer(wideRoom(number)))
        }
      case .step(let source): .elements(UnsafePointer(scratch + rooms[source] * Self.pieceCount))
      case .number(let number): .number(Scalar(number))
      }
    }
    for (index, step) in steps.enumerated() {
      let target = index == steps.count - 1 ? y : scratch + rooms[index] * Self.pieceCount
      switch step {
      case .unary(let operation, let operand):
        if case .elements(let x) = piece(operand) { kernels.numbers.unary(operation, x, target, count: count) }
      case .dequantize(let operand, let levels):
        // Only programs of float32 read bytes.
        guard case .bytes(let x) = piece(operand), Scalar.self == Float.self else { break }
        kernels.bytes.dequantize(
          x, levels.isSigned ? .int8 : .uint8, scale: levels.scale, zeroPoint: levels.zeroPoint,
          UnsafeMutableRawPointer(target).assumingMemoryBound(to: Float.self), count: count)
      case .requantize(let operand, let levels):
        guard case .elements(let x) = piece(operand), Scalar.self == Float.self else { break }
        kernels.bytes.quantize(
          UnsafeRawPointer(x).assumingMemoryBound(to: Float.self), scale: levels.scale, range: levels.range, bytes,
          isWide: false, count: count)
        kernels.bytes.dequantize(
          bytes, levels.isSigned ? .int8 : .uint8, scale: levels.scale, zeroPoint: levels.zeroPoint,
          UnsafeMutableRawPointer(target).assumingMemoryBound(to: Float.self), count: count)
      case .binary(let operation, let a, let b):
        switch (piece(a), piece(b)) {
        case (.elements(let a), .elements(let b)): kernels.numbers.binary(operation, a, b, target, count: count)
        case (.elements(let a), .number(let b)): kernels.numbers.binary(operation, a, scalar: b, target, count: count)
        case (.number(let a), .elements(let b)): kernels.numbers.binary(operation, scalar: a, b, target, count: count)
        case (.elements(let a), .vector(let b)):
          b.combine(operation, a, isFirst: false, target, from: offset, count: count)
        case (.vector(let a), .elements(let b)):
          a.combine(operation, b, isFirst: true, target, from: offset, count: count)
        default: break
        }
      }
      if let half, index < steps.count - 1 {
        let numbers = UnsafeMutableRawPointer(target).assumingMemoryBound(to: Float.self)
        kernels.data.round(numbers, to: half, numbers, count: count)
      }
    }
  }
}
