import ApusKernelInterface

extension Float32Kernels {
  package static func elmanStep(
    _ x: UnsafePointer<Float>, _ h: UnsafePointer<Float>,
    state: UnsafeMutablePointer<Float>, rows: Int, blocks: Int, isRectified: Bool
  ) {
    let width = blocks &* Lanes.scalarCount
    for block in 0..<blocks {
      for row in 0..<rows {
        let at = row &* width &+ block &* Lanes.scalarCount
        let sum = gate(x + at, h + at)
        let result = isRectified ? greater(sum, all(0)) : hyperbolicTangent(sum)
        store(result, state + (block &* rows &+ row) &* Lanes.scalarCount)
      }
    }
  }

  package static func lstmStep(
    _ x: UnsafePointer<Float>, _ h: UnsafePointer<Float>,
    state: UnsafeMutablePointer<Float>, cells: UnsafeMutablePointer<Float>, rows: Int, blocks: Int
  ) {
    let width = blocks &* Lanes.scalarCount
    for block in 0..<blocks {
      for row in 0..<rows {
        let at = row &* 4 &* width &+ block &* Lanes.scalarCount
        let place = (block &* rows &+ row) &* Lanes.scalarCount
        let x = x + at
        let h = h + at
        let input = logistic(gate(x, h))
        let forget = logistic(gate(x + width, h + width))
        let candidate = hyperbolicTangent(gate(x + 2 &* width, h + 2 &* width))
        let cell = multiplyAdd(forget * load(cells + place), input, candidate)
        store(cell, cells + place)
        let output = logistic(gate(x + 3 &* width, h + 3 &* width))
        store(output * hyperbolicTangent(cell), state + place)
      }
    }
  }

  package static func gruStep(
    _ x: UnsafePointer<Float>, _ h: UnsafePointer<Float>,
    state: UnsafeMutablePointer<Float>, rows: Int, blocks: Int
  ) {
    let width = blocks &* Lanes.scalarCount
    for block in 0..<blocks {
      for row in 0..<rows {
        let at = row &* 3 &* width &+ block &* Lanes.scalarCount
        let place = state + (block &* rows &+ row) &* Lanes.scalarCount
        let x = x + at
        let h = h + at
        let reset = logistic(gate(x, h))
        let update = logistic(gate(x + width, h + width))
        let fromInput: Lanes = load(x + 2 &* width)
        let fromState: Lanes = load(h + 2 &* width)
        let new = hyperbolicTangent(multiplyAdd(fromInput, reset, fromState))
        let last: Lanes = load(place)
        store(multiplyAdd(new, update, last - new), place)
      }
    }
  }

  package static func unpackRows(
    _ panel: UnsafePointer<Float>, rows: Int, count: Int, _ y: UnsafeMutablePointer<Float>, rowStep: Int
  ) {
    var panel = panel
    var column = 0
    while column < count {
      for row in 0..<rows {
        let values: Lanes = load(panel)
        store(values, y + (row &* rowStep &+ column), upTo: count &- column)
        panel += Lanes.scalarCount
      }
      column &+= Lanes.scalarCount
    }
  }
}

/// What input and state contribute together.
@inline(__always)
private func gate(_ x: UnsafePointer<Float>, _ h: UnsafePointer<Float>) -> Lanes {
  let fromInput: Lanes = load(x)
  let fromState: Lanes = load(h)
  return fromInput + fromState
}
