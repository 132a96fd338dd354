import ApusKernelInterface

extension BlockedKernels {
  public static func convolveDepthwiseRow(
    _ x: UnsafePointer<Float>, weights: UnsafePointer<Float>, bias: UnsafePointer<Float>,
    _ y: UnsafeMutablePointer<Float>, width: Int, walk: TileWalk
  ) {
    let step = DepthwiseTile.positions
    var position = 0
    while position &+ step <= width {
      depthwiseTile(positions: step, x + position &* 16, weights, bias, y + position &* 16, walk)
      position &+= step
    }
    while position < width {
      depthwiseTile(positions: 1, x + position &* 16, weights, bias, y + position &* 16, walk)
      position &+= 1
    }
  }

  public static func stageBlock(
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
            line + (begin &* phases &+ offset), xStep: channelStep, step: phases, count: end &- begin, out + begin &* 16)
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

  public static func packConvolution(
    _ w: UnsafePointer<Float>, outputs: Int, inputs: Int, area: Int, _ y: UnsafeMutablePointer<Float>
  ) {
    var out = y
    var output = 0
    while output < outputs {
      let outputLanes = outputs &- output < 16 ? outputs &- output : 16
      var input = 0
      while input < inputs {
        for tap in 0..<area {
          for i in input..<input &+ 16 {
            for lane in 0..<16 {
              let isInside = i < inputs && lane < outputLanes
              out[lane] = isInside ? w[((output &+ lane) &* inputs &+ i) &* area &+ tap] : 0
            }
            out += 16
          }
        }
        input &+= 16
      }
      output &+= 16
    }
  }
}

private enum DepthwiseTile {
  #if APUS_AVX512
    static let positions = 8
  #elseif APUS_AVX2
    static let positions = 4
  #else
    static let positions = 2
  #endif
}

@inline(__always)
private func depthwiseTile(
  positions: Int, _ x: UnsafePointer<Float>, _ weights: UnsafePointer<Float>, _ bias: UnsafePointer<Float>,
  _ y: UnsafeMutablePointer<Float>, _ walk: TileWalk
) {
  var sums = InlineArray<8, Lanes>(repeating: load(bias))
  var weight = weights
  var row = x
  for _ in 0..<walk.rowCount {
    for tap in 0..<walk.tapCount {
      let input = row + walk.tapOffsets[tap]
      let w: Lanes = load(weight)
      unrolled(positions) { p in
        sums[p] = multiplyAdd(sums[p], load(input + p &* 16, as: Lanes.self), w)
      }
      weight += 16
    }
    row += walk.rowStep
  }
  unrolled(positions) { p in store(sums[p], y + p &* 16) }
}
