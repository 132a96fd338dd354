import ApusKernelInterface

extension BlockedKernels {
  package static func accumulateRows(
    _ x: UnsafePointer<Float>, rowStep: Int, rows: Int, weights: UnsafePointer<Float>, bias: UnsafePointer<Float>,
    _ y: UnsafeMutablePointer<Float>, width: Int, blocks: Int, walk: TileWalk
  ) {
    #if APUS_AVX2
      if rows > 1, joinsRows(width) {
        accumulateJoinedRows(x, rowStep, rows, weights, bias, y, width, walk)
        return
      }
    #endif
    #if APUS_AVX512 || APUS_AVX2
      if TermRows.serve(walk, width: width, blocks: blocks) {
        accumulateTerms(x, rowStep, rows, weights, bias, y, width, blocks, walk)
        return
      }
    #endif
    for row in 0..<rows {
      Float32Kernels.accumulateRow(
        x + row &* rowStep, weights: weights, addend: bias, addendStep: 0, addendBlockStep: Lanes.scalarCount,
        shift: nil, y + row &* width &* walk.outputStep, width: width, blocks: blocks, walk: walk)
    }
  }

  package static func isFasterAlone(width: Int, kernelRows count: Int, of all: Int) -> Bool {
    #if APUS_AVX2
      return !joinsRows(width) || tiles(width) &* Tile.positions &* count < width &* all
    #else
      return true
    #endif
  }

  #if APUS_AVX512 || APUS_AVX2
    /// Rows of sums of few terms, whole tiles of them first.
    private static func accumulateTerms(
      _ x: UnsafePointer<Float>, _ rowStep: Int, _ rows: Int, _ weights: UnsafePointer<Float>,
      _ bias: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, _ width: Int, _ blocks: Int, _ walk: TileWalk
    ) {
      TermRows.withTerms(walk) { terms in
        for row in 0..<rows {
          let (line, out) = (x + row &* rowStep, y + row &* width &* walk.outputStep)
          let done = TermRows.accumulate(
            line, terms: terms, weights: weights, addend: bias, out, width: width, blocks: blocks, walk: walk)
          guard done < width else { continue }
          Float32Kernels.accumulateRow(
            line + done &* walk.positionStep, weights: weights, addend: bias, addendStep: 0,
            addendBlockStep: Lanes.scalarCount, shift: nil, out + done &* walk.outputStep, width: width &- done,
            blocks: blocks, walk: walk)
        }
      }
    }
  #endif

  #if APUS_AVX2
    private static func tiles(_ width: Int) -> Int { (width &+ Tile.positions &- 1) / Tile.positions }

    /// Rows of 7 or 14 leave tiles of 3 to 5 positions, which take nearly as long as those of 6.
    private static func joinsRows(_ width: Int) -> Bool { 2 &* width < 11 &* tiles(width) }

    /// All rows as if they were a single one: tiles run on from one to the next.
    private static func accumulateJoinedRows(
      _ x: UnsafePointer<Float>, _ rowStep: Int, _ rows: Int, _ weights: UnsafePointer<Float>,
      _ bias: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, _ width: Int, _ walk: TileWalk
    ) {
      let addend = (base: bias, step: 0, blockStep: Lanes.scalarCount)
      let count = rows &* width
      let tiles = (count &+ Tile.positions &- 1) / Tile.positions
      let narrow = count / tiles
      let wideTiles = count % tiles
      withUnsafeTemporaryAllocation(of: Int.self, capacity: Tile.positions) { room in
        guard let places = room.baseAddress else { return }
        var line = x
        var column = 0
        var y = y
        for tile in 0..<tiles {
          let positions = tile < wideTiles ? narrow &+ 1 : narrow
          if column == width {
            column = 0
            line += rowStep
          }
          let first = line + column &* walk.positionStep
          if column &+ positions <= width {
            column &+= positions
            accumulateAnyTile(
              Lanes.self, maximum: Tile.positions, positions: positions, blocks: 1, walk: walk, addend: addend,
              x: first, w: weights, y: y)
          } else {
            for p in 0..<positions {
              if column == width {
                column = 0
                line += rowStep
              }
              places[p] = line + column &* walk.positionStep - first
              column &+= 1
            }
            accumulateScatteredTile(
              positions: positions, walk: walk, addend: addend, places: places, x: first, w: weights, y: y)
          }
          y += positions &* walk.outputStep
        }
      }
    }
  #endif

  package static func padRows(
    _ x: UnsafePointer<Float>, height: Int, width: Int, top: Int, left: Int, _ y: UnsafeMutablePointer<Float>,
    rows: Int, columns: Int
  ) {
    for r in 0..<rows {
      let row = r &- top
      let out = y + r &* columns
      let (begin, end) = columnsInside(row >= 0 && row < height, width, left, columns)
      out.update(repeating: 0, count: begin)
      (out + begin).update(from: x + (row &* width &+ begin &- left), count: end &- begin)
      (out + end).update(repeating: 0, count: columns &- end)
    }
  }

  package static func stageBlock(
    _ x: UnsafePointer<Float>, channels: Int, channelStep: Int, height: Int, width: Int, top: Int, left: Int,
    _ y: UnsafeMutablePointer<Float>, rows: Int, columns: Int
  ) {
    let zero = Lanes(repeating: 0)
    var out = y
    for r in 0..<rows {
      let row = r &- top
      let (begin, end) = columnsInside(row >= 0 && row < height, width, left, columns)
      let from = x + (row &* width &+ begin &- left)
      for j in 0..<begin { store(zero, out + j &* 16) }
      if channels == 16 {
        interleaveSixteen(from, xStep: channelStep, count: end &- begin, out + begin &* 16)
      } else {
        for j in begin..<end { store(zero, out + j &* 16) }
        var channel = 0
        while channel &+ 4 <= channels {
          interleaveFour(
            from + channel &* channelStep, xStep: channelStep, count: end &- begin, out + (begin &* 16 &+ channel))
          channel &+= 4
        }
        for channel in channel..<channels {
          let source = from + channel &* channelStep
          for j in begin..<end { out[j &* 16 &+ channel] = source[j &- begin] }
        }
      }
      for j in end..<columns { store(zero, out + j &* 16) }
      out += columns &* 16
    }
  }

  /// The columns of a staged row that lie inside the map, if the row does.
  @inline(__always)
  private static func columnsInside(
    _ isInside: Bool, _ width: Int, _ left: Int, _ columns: Int
  ) -> (begin: Int, end: Int) {
    guard isInside, left < columns else { return (columns, columns) }
    return (left, left &+ width < columns ? left &+ width : columns)
  }

  package static func packConvolution(
    _ w: UnsafePointer<Float>, outputs: Int, inputs: Int, area: Int, _ y: UnsafeMutablePointer<Float>
  ) {
    var out = y
    var output = 0
    while output < outputs {
      var input = 0
      while input < inputs {
        let count = inputs &- input < 16 ? inputs &- input : 16
        let source = w + (output &* inputs &+ input) &* area
        if outputs &- output < 16 {
          packSome(source, outputs: outputs &- output, step: inputs &* area, inputs: count, area: area, out)
        } else {
          packSixteen(source, step: inputs &* area, inputs: count, area: area, out)
        }
        out += count &* area &* 16
        input &+= 16
      }
      output &+= 16
    }
  }

  /// The kernels of up to sixteen inputs and outputs, `step` from one output to the next.
  private static func packSome(
    _ w: UnsafePointer<Float>, outputs: Int, step: Int, inputs: Int, area: Int, _ y: UnsafeMutablePointer<Float>
  ) {
    var out = y
    for tap in 0..<area {
      for input in 0..<inputs {
        for lane in 0..<16 { out[lane] = lane < outputs ? w[lane &* step &+ input &* area &+ tap] : 0 }
        out += 16
      }
    }
  }

  /// The same of sixteen outputs: sixteen numbers of each are transposed, and every vector put where it belongs.
  private static func packSixteen(
    _ w: UnsafePointer<Float>, step: Int, inputs: Int, area: Int, _ y: UnsafeMutablePointer<Float>
  ) {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 256) { room in
      guard let vectors = room.baseAddress else { return }
      var (input, tap) = (0, 0)
      var first = 0
      while first < inputs &* area {
        let count = inputs &* area &- first < 16 ? inputs &* area &- first : 16
        interleaveSixteen(w + first, xStep: step, count: count, vectors)
        for index in 0..<count {
          store(load(vectors + index &* 16, as: Lanes.self), y + (tap &* inputs &+ input) &* 16)
          tap &+= 1
          if tap == area { (input, tap) = (input &+ 1, 0) }
        }
        first &+= 16
      }
    }
  }
}
