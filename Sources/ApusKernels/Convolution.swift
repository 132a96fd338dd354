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
          let first = line + column &* Lanes.scalarCount
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
              places[p] = line + column &* Lanes.scalarCount - first
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

  package static func stageBlock(
    _ x: UnsafePointer<Float>, channels: Int, channelStep: Int, positionStep: Int, height: Int, width: Int,
    top: Int, left: Int, _ y: UnsafeMutablePointer<Float>, rows: Int, phases: Int, phaseWidth: Int
  ) {
    let isVector = channels == 16 && channelStep == 1
    var out = y
    for r in 0..<rows {
      let row = r &- top
      let isInside = row >= 0 && row < height
      let line = isInside ? x + row &* width &* positionStep : x
      for phase in 0..<phases {
        // Columns of this phase that lie inside the map: 0 <= j * phases + phase - left < width.
        let offset = phase &- left
        var begin = offset >= 0 ? 0 : (phases &- 1 &- offset) / phases
        var end = width > offset ? (width &- 1 &- offset) / phases &+ 1 : 0
        if begin > phaseWidth || !isInside { begin = phaseWidth }
        if end > phaseWidth { end = phaseWidth }
        if end < begin { end = begin }
        let zero = Lanes(repeating: 0)
        for j in 0..<begin { store(zero, out + j &* 16) }
        if isVector {
          for j in begin..<end {
            store(load(line + (j &* phases &+ offset) &* positionStep, as: Lanes.self), out + j &* 16)
          }
        } else if channels == 16, positionStep == 1 {
          interleaveSixteen(
            line + (begin &* phases &+ offset), xStep: channelStep, step: phases, count: end &- begin, out + begin &* 16
          )
        } else {
          if channels < 16 { for j in begin..<end { store(zero, out + j &* 16) } }
          for channel in 0..<channels {
            let source = line + channel &* channelStep
            for j in begin..<end { out[j &* 16 &+ channel] = source[(j &* phases &+ offset) &* positionStep] }
          }
        }
        for j in end..<phaseWidth { store(zero, out + j &* 16) }
        out += phaseWidth &* 16
      }
    }
  }

  package static func stageThinRows(
    _ x: UnsafePointer<Float>, channels: Int, height: Int, width: Int, top: Int, left: Int,
    _ y: UnsafeMutablePointer<Float>, rows: Int, taps: Int, columnsPerTap: Int, columns: Int, positions: Int,
    stride: Int, line: UnsafeMutablePointer<Float>
  ) {
    let plane = height &* width
    let length = ((positions &- 1) &* stride &+ taps &* columnsPerTap) &* channels
    let room = length / channels &- left
    let copied = room < 0 ? 0 : room < width ? room : width
    let lastLanes = (columns &- (taps &- 1) &* columnsPerTap) &* channels
    let zero = Lanes(repeating: 0)
    // What is beside the map; the row itself is written anew each time.
    let before = left &* channels < length ? left &* channels : length
    for i in 0..<before { line[i] = 0 }
    for i in (before &+ copied &* channels)..<(length &+ 16) { line[i] = 0 }
    var out = y
    for r in 0..<rows {
      let row = r &- top
      guard row >= 0, row < height else {
        for i in 0..<(taps &* positions) { store(zero, out + i &* 16) }
        out += taps &* positions &* 16
        continue
      }
      interleave(x + row &* width, plane, channels, copied, line + left &* channels)
      for tap in 0..<taps {
        var from = line + tap &* columnsPerTap &* channels
        for _ in 0..<positions {
          store(load(from, as: Lanes.self), out)
          from += stride &* channels
          out += 16
        }
      }
      if lastLanes < columnsPerTap &* channels {
        var last = out - positions &* 16
        for _ in 0..<positions {
          for lane in lastLanes..<(columnsPerTap &* channels) { last[lane] = 0 }
          last += 16
        }
      }
    }
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
        interleaveSixteen(w + first, xStep: step, step: 1, count: count, vectors)
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

/// One row of each channel, side by side: `y[i * channels + c] = x[c * plane + i]`.
@inline(__always)
private func interleave(
  _ x: UnsafePointer<Float>, _ plane: Int, _ channels: Int, _ count: Int, _ y: UnsafeMutablePointer<Float>
) {
  if channels == 3 {
    // Pictures: spelled out, so that the optimiser makes vectors of it.
    let (red, green, blue) = (x, x + plane, x + 2 &* plane)
    for i in 0..<count {
      y[i &* 3] = red[i]
      y[i &* 3 &+ 1] = green[i]
      y[i &* 3 &+ 2] = blue[i]
    }
    return
  }
  for channel in 0..<channels {
    let source = x + channel &* plane
    for i in 0..<count { y[i &* channels &+ channel] = source[i] }
  }
}
