import ApusKernelInterface

#if hasFeature(BuiltinModule)
  import Builtin
#endif

// Products with weights of four and eight bits that are quantised in blocks. Each weight becomes a number by itself, in a
// register: what is multiplied and the order of sums are those of a matrix that was widened beforehand.

extension Float32Kernels {
  package static func widenRows(
    _ columns: BlockQuantizedColumns, rows: Range<Int>, _ y: UnsafeMutablePointer<Float>
  ) {
    for lane in stride(from: 0, to: vectorWidth, by: FloatCodes.Lanes.scalarCount) {
      widen(FloatCodes.self, columns, lane, rows, y + lane)
    }
  }

  package static func multiplyRow(
    _ x: UnsafePointer<Float>, depth: Int, columns: BlockQuantizedColumns, blocks: Int,
    addend: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>
  ) {
    #if APUS_FMA
      for block in 0..<blocks {
        let columns = columns.advanced(by: block, of: vectorWidth, Float.self)
        for lane in stride(from: 0, to: vectorWidth, by: FloatCodes.Lanes.scalarCount) {
          let place = block &* vectorWidth &+ lane
          let sum = rowTimesCodes(FloatCodes.self, x, depth, columns, lane)
          store(vectorSum(load(addend + place), sum), y + place)
        }
      }
    #else
      multiplyWidened(Float32Kernels.self, x, depth, blocks, addend, y) { block, rows, widened in
        widenRows(columns.advanced(by: block, of: vectorWidth, Float.self), rows: rows, widened)
      }
    #endif
  }
}

extension Float64Kernels {
  package static func widenRows(
    _ columns: BlockQuantizedColumns, rows: Range<Int>, _ y: UnsafeMutablePointer<Double>
  ) {
    let scales = columns.scales.assumingMemoryBound(to: Double.self)
    let (bits, perWord) = (columns.bits, 32 / columns.bits)
    let unused = Int32(truncatingIfNeeded: 32 &- bits)
    for row in rows {
      let shift = Int32(truncatingIfNeeded: row % perWord &* bits)
      for lane in 0..<vectorWidth {
        let word = columns.words[row / perWord &* vectorWidth &+ lane] &<< (unused &- shift)
        let place = row / columns.blockSize &* vectorWidth &+ lane
        var number = word &>> unused
        if let zeroPoints = columns.zeroPoints {
          number =
            Int32(bitPattern: UInt32(bitPattern: word) &>> UInt32(bitPattern: unused)) &- Int32(zeroPoints[place])
        }
        y[(row &- rows.lowerBound) &* vectorWidth &+ lane] = Double(number) * scales[place]
      }
    }
  }

  package static func multiplyRow(
    _ x: UnsafePointer<Double>, depth: Int, columns: BlockQuantizedColumns, blocks: Int,
    addend: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Double>
  ) {
    multiplyWidened(Float64Kernels.self, x, depth, blocks, addend, y) { block, rows, widened in
      widenRows(columns.advanced(by: block, of: vectorWidth, Double.self), rows: rows, widened)
    }
  }
}

/// A product with a single row where speed matters little: as many rows of the weight are widened at a time as are summed before
/// sums are added up.
///
/// - Parameter widen: writes some rows of a vector of columns; they begin and end at multiples of a vector.
@inline(__always)
func multiplyWidened<Kernels: FloatingKernels>(
  _: Kernels.Type, _ x: UnsafePointer<Kernels.Scalar>, _ depth: Int, _ blocks: Int,
  _ addend: UnsafePointer<Kernels.Scalar>, _ y: UnsafeMutablePointer<Kernels.Scalar>,
  widen: (_ block: Int, _ rows: Range<Int>, _ target: UnsafeMutablePointer<Kernels.Scalar>) -> Void
) where Kernels.Scalar: FloatingPoint {
  let vector = Kernels.vectorWidth
  withUnsafeTemporaryAllocation(of: Kernels.Scalar.self, capacity: 257 &* vector) { room in
    guard let widened = room.baseAddress else { return }
    let sum = widened + 256 &* vector
    for block in 0..<blocks {
      sum.initialize(repeating: 0, count: vector)
      for row in stride(from: 0, to: depth, by: 256) {
        let count = depth &- row < 256 ? depth &- row : 256
        widen(block, row..<(row &+ (count &+ vector &- 1) / vector &* vector), widened)
        Kernels.multiplyRow(x + row, depth: count, panel: widened, blockStep: 0, blocks: 1, addend: sum, sum)
      }
      for i in block &* vector..<(block &+ 1) &* vector { y[i] = addend[i] + sum[i &- block &* vector] }
    }
  }
}

/// How codes of neighbouring columns become a vector of numbers.
private protocol CodeVector {
  associatedtype Lanes: SIMD where Lanes.Scalar: FloatingPoint
  associatedtype Words: SIMD where Words.Scalar == Int32
  static func numbers(_ codes: Words) -> Lanes
  static func numbers(_ bytes: UnsafePointer<UInt8>) -> Lanes
}

/// With eight accumulators, as many columns as there are registers for.
#if APUS_AVX512
  private enum FloatCodes: CodeVector {
    @inline(__always)
    static func numbers(_ codes: IntegerLanes) -> SIMD16<Float> { floats(codes) }

    @inline(__always)
    static func numbers(_ bytes: UnsafePointer<UInt8>) -> SIMD16<Float> { floats(widened(load(bytes))) }
  }
#else
  private enum FloatCodes: CodeVector {
    @inline(__always)
    static func numbers(_ codes: SIMD8<Int32>) -> SIMD8<Float> {
      #if hasFeature(BuiltinModule)
        var result = SIMD8<Float>(repeating: 0)
        result._storage._value = Builtin.sitofp_Vec8xInt32_Vec8xFPIEEE32(codes._storage._value)
        return result
      #else
        return SIMD8(codes)
      #endif
    }

    @inline(__always)
    static func numbers(_ bytes: UnsafePointer<UInt8>) -> SIMD8<Float> {
      SIMD8(SIMD8<Int32>(truncatingIfNeeded: load(bytes, as: SIMD8<UInt8>.self)))
    }
  }
#endif

/// The numbers that the codes at `offset` stand for, before a zero point is taken away.
///
/// - Parameter offset: of as many codes as a word holds, which ones.
@inline(__always)
private func numbers<Form: CodeVector>(
  _: Form.Type, _ words: Form.Words, _ offset: Int, bits: Int, isSigned: Bool
) -> Form.Lanes {
  let shift = Int32(truncatingIfNeeded: offset &* bits)
  #if APUS_AVX512 && APUS_X86_INTRINSICS
    if bits == 4, Form.Lanes.scalarCount == 16 {
      // An instruction that looks up one of sixteen floats by the lowest four bits.
      let places = words &>> Form.Words(repeating: shift)
      var result = fourBitCodes(isSigned: isSigned)
      result._storage._value = Builtin.int_x86_avx512_permvar_sf_512(
        result._storage._value, unsafeBitCast(places, to: IntegerLanes.self)._storage._value)
      return unsafeBitCast(result, to: Form.Lanes.self)
    }
  #endif
  if isSigned {
    let unused = Int32(truncatingIfNeeded: 32 &- bits)
    return Form.numbers((words &<< Form.Words(repeating: unused &- shift)) &>> Form.Words(repeating: unused))
  }
  return Form.numbers(
    (words &>> Form.Words(repeating: shift)) & Form.Words(repeating: Int32(truncatingIfNeeded: 1 &<< bits &- 1)))
}

#if APUS_AVX512 && APUS_X86_INTRINSICS
  /// What each code of four bits stands for.
  @inline(__always)
  private func fourBitCodes(isSigned: Bool) -> Lanes {
    isSigned
      ? Lanes(0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1)
      : Lanes(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
  }
#endif

/// The columns of a vector of a right operand: 64 bytes of numbers.
@inline(__always)
private func operandWidth<L: SIMD>(_: L.Type) -> Int { 64 / MemoryLayout<L.Scalar>.size }

/// Some columns of an operand, one block after the other.
private struct CodeBlocks<Form: CodeVector> {
  typealias L = Form.Lanes

  private let columns: BlockQuantizedColumns
  private let lane: Int
  private var scale = L(repeating: 0)
  private var zeroPoint = L(repeating: 0)

  @inline(__always)
  init(_ columns: BlockQuantizedColumns, lane: Int) { (self.columns, self.lane) = (columns, lane) }

  /// Looks up what holds for all rows of the block that `row` is in, and tells where it ends.
  @inline(__always)
  mutating func open(row: Int) -> Int {
    // A power of two: a shift in place of a division.
    let block = row &>> columns.blockSize.trailingZeroBitCount
    let place = block &* operandWidth(L.self) &+ lane
    scale = load(columns.scales.assumingMemoryBound(to: L.Scalar.self) + place)
    if let zeroPoints = columns.zeroPoints { zeroPoint = Form.numbers(zeroPoints + place) }
    return (block &+ 1) &* columns.blockSize
  }

  /// The weights of row `row + offset`, where `row` is a multiple of eight.
  @inline(__always)
  func weights(_ row: Int, _ offset: Int, bits: Int, isSigned: Bool) -> L {
    let perWord = 32 / bits
    let word = (bits == 8 ? row &>> 2 : row &>> 3) &+ offset / perWord
    let words: Form.Words = load(columns.words + (word &* operandWidth(L.self) &+ lane))
    let numbers = numbers(Form.self, words, offset % perWord, bits: bits, isSigned: isSigned)
    return (isSigned ? numbers : numbers - zeroPoint) * scale
  }
}

// Both loops are there once for each kind of codes: transparent, for called from several places they would not be inlined.

@inline(__always)
private func widen<Form: CodeVector>(
  _: Form.Type, _ columns: BlockQuantizedColumns, _ lane: Int, _ rows: Range<Int>,
  _ y: UnsafeMutablePointer<Form.Lanes.Scalar>
) {
  switch (columns.bits, columns.zeroPoints == nil) {
  case (4, true): widen(Form.self, columns, lane, rows, bits: 4, isSigned: true, y)
  case (4, false): widen(Form.self, columns, lane, rows, bits: 4, isSigned: false, y)
  case (_, true): widen(Form.self, columns, lane, rows, bits: 8, isSigned: true, y)
  case (_, false): widen(Form.self, columns, lane, rows, bits: 8, isSigned: false, y)
  }
}

@inline(__always)
private func rowTimesCodes<Form: CodeVector>(
  _: Form.Type, _ x: UnsafePointer<Form.Lanes.Scalar>, _ depth: Int, _ columns: BlockQuantizedColumns, _ lane: Int
) -> Form.Lanes {
  switch (columns.bits, columns.zeroPoints == nil) {
  case (4, true): rowTimesCodes(Form.self, x, depth, columns, lane, bits: 4, isSigned: true)
  case (4, false): rowTimesCodes(Form.self, x, depth, columns, lane, bits: 4, isSigned: false)
  case (_, true): rowTimesCodes(Form.self, x, depth, columns, lane, bits: 8, isSigned: true)
  case (_, false): rowTimesCodes(Form.self, x, depth, columns, lane, bits: 8, isSigned: false)
  }
}

@_transparent
private func widen<Form: CodeVector>(
  _: Form.Type, _ columns: BlockQuantizedColumns, _ lane: Int, _ rows: Range<Int>, bits: Int, isSigned: Bool,
  _ y: UnsafeMutablePointer<Form.Lanes.Scalar>
) {
  let width = operandWidth(Form.Lanes.self)
  var blocks = CodeBlocks<Form>(columns, lane: lane)
  var row = rows.lowerBound
  var y = y
  while row < rows.upperBound {
    let blockEnd = blocks.open(row: row)
    let end = blockEnd < rows.upperBound ? blockEnd : rows.upperBound
    // Both are multiples of eight.
    while row < end {
      // Spelled out: a closure would be a call.
      store(blocks.weights(row, 0, bits: bits, isSigned: isSigned), y)
      store(blocks.weights(row, 1, bits: bits, isSigned: isSigned), y + width)
      store(blocks.weights(row, 2, bits: bits, isSigned: isSigned), y + 2 &* width)
      store(blocks.weights(row, 3, bits: bits, isSigned: isSigned), y + 3 &* width)
      store(blocks.weights(row, 4, bits: bits, isSigned: isSigned), y + 4 &* width)
      store(blocks.weights(row, 5, bits: bits, isSigned: isSigned), y + 5 &* width)
      store(blocks.weights(row, 6, bits: bits, isSigned: isSigned), y + 6 &* width)
      store(blocks.weights(row, 7, bits: bits, isSigned: isSigned), y + 7 &* width)
      row &+= 8
      y += 8 &* width
    }
  }
}

/// `Σ x[row] * weight[row]`, in the order of `multiplyRow(_:depth:panel:)`: over eight accumulators that are added up every
/// 256 rows.
@_transparent
private func rowTimesCodes<Form: CodeVector>(
  _: Form.Type, _ x: UnsafePointer<Form.Lanes.Scalar>, _ depth: Int, _ columns: BlockQuantizedColumns, _ lane: Int,
  bits: Int, isSigned: Bool
) -> Form.Lanes {
  typealias L = Form.Lanes
  let zero = L(repeating: 0)
  var blocks = CodeBlocks<Form>(columns, lane: lane)
  var total = zero
  var row = 0
  while row < depth {
    let flush = row &+ 256 < depth ? row &+ 256 : depth
    var s0 = zero, s1 = zero, s2 = zero, s3 = zero
    var s4 = zero, s5 = zero, s6 = zero, s7 = zero
    while row < flush {
      let blockEnd = blocks.open(row: row)
      let end = blockEnd < flush ? blockEnd : flush
      while row &+ 8 <= end {
        let x = x + row
        s0 = multiplyAdd(s0, L(repeating: x[0]), blocks.weights(row, 0, bits: bits, isSigned: isSigned))
        s1 = multiplyAdd(s1, L(repeating: x[1]), blocks.weights(row, 1, bits: bits, isSigned: isSigned))
        s2 = multiplyAdd(s2, L(repeating: x[2]), blocks.weights(row, 2, bits: bits, isSigned: isSigned))
        s3 = multiplyAdd(s3, L(repeating: x[3]), blocks.weights(row, 3, bits: bits, isSigned: isSigned))
        s4 = multiplyAdd(s4, L(repeating: x[4]), blocks.weights(row, 4, bits: bits, isSigned: isSigned))
        s5 = multiplyAdd(s5, L(repeating: x[5]), blocks.weights(row, 5, bits: bits, isSigned: isSigned))
        s6 = multiplyAdd(s6, L(repeating: x[6]), blocks.weights(row, 6, bits: bits, isSigned: isSigned))
        s7 = multiplyAdd(s7, L(repeating: x[7]), blocks.weights(row, 7, bits: bits, isSigned: isSigned))
        row &+= 8
      }
      // Of the last rows there may be fewer.
      let last = row
      while row < end {
        s0 = multiplyAdd(s0, L(repeating: x[row]), blocks.weights(last, row &- last, bits: bits, isSigned: isSigned))
        row &+= 1
      }
    }
    let even = vectorSum(vectorSum(s0, s4), vectorSum(s2, s6))
    let odd = vectorSum(vectorSum(s1, s5), vectorSum(s3, s7))
    total = vectorSum(total, vectorSum(even, odd))
  }
  return total
}
