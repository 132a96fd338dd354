import Apus

/// Turns planes into the bits of a baseline scan.
struct JPEGEntropyEncoder {
  private struct Component {
    let plane: JPEGSourcePlanes.Plane
    /// Blocks of a unit.
    let across: Int
    let down: Int
    let steps: [Int]
    let first: JPEGHuffmanCode
    let others: JPEGHuffmanCode
    /// The first coefficient of the block before.
    var prediction = 0
  }

  private var components: [Component]
  private let unitsAcross: Int
  private let unitsDown: Int

  /// - Parameter tables: Quantization steps in the order of files: of luminance, and of colour.
  init(_ planes: JPEGSourcePlanes, _ tables: [[Int]], subsampling: JPEGEncoder.Subsampling) {
    let standard = JPEGHuffmanTable.standard
    components = planes.planes.indices.map { index in
      let isColor = index > 0
      return Component(
        plane: planes.plane(
          index, across: isColor ? subsampling.across : 1, down: isColor ? subsampling.down : 1),
        across: isColor ? 1 : subsampling.across, down: isColor ? 1 : subsampling.down,
        steps: tables[isColor ? 1 : 0],
        first: JPEGHuffmanCode(isColor ? standard.colorFirst : standard.luminanceFirst),
        others: JPEGHuffmanCode(isColor ? standard.colorOthers : standard.luminanceOthers))
    }
    unitsAcross = planes.width.dividedRoundingUp(by: 8 * subsampling.across)
    unitsDown = planes.height.dividedRoundingUp(by: 8 * subsampling.down)
  }

  mutating func encode(into file: inout JPEGWriter) {
    var block = [Int](repeating: 0, count: 64)
    for unitRow in 0..<unitsDown {
      for unit in 0..<unitsAcross {
        for index in components.indices {
          for row in 0..<components[index].down {
            for column in 0..<components[index].across {
              let (x, y) = (unit * components[index].across + column, unitRow * components[index].down + row)
              if x * 8 < components[index].plane.width, y * 8 < components[index].plane.height {
                Self.transform(components[index].plane, x, y, &block)
                Self.quantize(&block, components[index].steps)
              } else {
                // A block outside the picture is of one colour, that of the one before.
                for place in 1..<64 { block[place] = 0 }
                block[0] = components[index].prediction
              }
              encode(block, index, into: &file)
            }
          }
        }
      }
    }
    file.finishScan()
  }

  /// Appends a block of quantized coefficients.
  private mutating func encode(_ block: [Int], _ index: Int, into file: inout JPEGWriter) {
    let difference = block[0] - components[index].prediction
    components[index].prediction = block[0]
    Self.append(difference, run: 0, components[index].first, into: &file)
    let others = components[index].others
    var run = 0
    for place in 1..<64 {
      let value = block[Int(JPEGOrder.natural[place])]
      guard value != 0 else {
        run += 1
        continue
      }
      while run > 15 {
        file.append(others.words[0xF0], count: others.lengths[0xF0])
        run -= 16
      }
      Self.append(value, run: run, others, into: &file)
      run = 0
    }
    if run > 0 { file.append(others.words[0], count: others.lengths[0]) }
  }

  /// The code word of a number's length and of the zeros before it, and the number.
  private static func append(_ value: Int, run: Int, _ code: JPEGHuffmanCode, into file: inout JPEGWriter) {
    let size = Int.bitWidth - value.magnitude.leadingZeroBitCount
    file.append(code.words[run << 4 | size], count: code.lengths[run << 4 | size])
    if size > 0 { file.append(value < 0 ? value - 1 : value, count: size) }
  }
}

// MARK: - Blocks

extension JPEGEntropyEncoder {
  /// The coefficients of a block, eight times as large as they are, row by row.
  private static func transform(_ plane: JPEGSourcePlanes.Plane, _ x: Int, _ y: Int, _ block: inout [Int]) {
    for row in 0..<8 {
      let start = min(y * 8 + row, plane.height - 1) * plane.stride
      for column in 0..<8 {
        block[row * 8 + column] = Int(plane.samples[start + min(x * 8 + column, plane.stride - 1)]) - 128
      }
    }
    for row in 0..<8 { transform(&block, from: row * 8, by: 1, shift: 11) }
    for column in 0..<8 { transform(&block, from: column, by: 8, shift: 15) }
  }

  /// The cosine transform of eight numbers with constants of 13 bits: the inverse one's, turned over.
  private static func transform(_ block: inout [Int], from start: Int, by step: Int, shift: Int) {
    func sum(_ a: Int, _ b: Int) -> Int { block[start + a * step] + block[start + b * step] }
    func difference(_ a: Int, _ b: Int) -> Int { block[start + a * step] - block[start + b * step] }
    let rounding = 1 << (shift - 1)
    let (even0, even1, even2, even3) = (sum(0, 7), sum(1, 6), sum(2, 5), sum(3, 4))
    let (odd0, odd1, odd2, odd3) = (difference(0, 7), difference(1, 6), difference(2, 5), difference(3, 4))
    let (outer, inner) = (even0 + even3, even1 + even2)
    let (outerTurned, innerTurned) = (even0 - even3, even1 - even2)
    block[start] = ((outer + inner) * 8192 + rounding) >> shift
    block[start + 4 * step] = ((outer - inner) * 8192 + rounding) >> shift
    block[start + 2 * step] = (outerTurned * 10_703 + innerTurned * 4433 + rounding) >> shift
    block[start + 6 * step] = (outerTurned * 4433 - innerTurned * 10_704 + rounding) >> shift
    block[start + step] = (odd0 * 11_363 + odd1 * 9633 + odd2 * 6437 + odd3 * 2260 + rounding) >> shift
    block[start + 3 * step] = (odd0 * 9633 - odd1 * 2259 - odd2 * 11_362 - odd3 * 6436 + rounding) >> shift
    block[start + 5 * step] = (odd0 * 6437 - odd1 * 11_362 + odd2 * 2261 + odd3 * 9633 + rounding) >> shift
    block[start + 7 * step] = (odd0 * 2260 - odd1 * 6436 + odd2 * 9633 - odd3 * 11_363 + rounding) >> shift
  }

  /// The nearest multiples of the steps, halves away from zero, no greater than there are code words for.
  private static func quantize(_ block: inout [Int], _ steps: [Int]) {
    for place in 0..<64 {
      let natural = Int(JPEGOrder.natural[place])
      let step = steps[place] * 8
      let count = min((abs(block[natural]) + step / 2) / step, 1023)
      block[natural] = block[natural] < 0 ? -count : count
    }
  }
}

/// The code words of symbols.
struct JPEGHuffmanCode {
  /// For each symbol; of length zero for a symbol without a code.
  let words: [Int]
  let lengths: [Int]

  init(_ table: JPEGHuffmanTable) {
    var words = [Int](repeating: 0, count: 256)
    var lengths = words
    var (word, place) = (0, 0)
    for length in 1...16 {
      for _ in 0..<table.counts[length - 1] {
        let symbol = Int(table.symbols[place])
        (words[symbol], lengths[symbol]) = (word, length)
        word += 1
        place += 1
      }
      word <<= 1
    }
    (self.words, self.lengths) = (words, lengths)
  }
}
