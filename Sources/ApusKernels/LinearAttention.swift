import ApusKernelInterface

extension Float32Kernels {
  package static func attendLinearly(
    _ token: LinearToken<Float>, state: UnsafeMutablePointer<Float>, _ y: UnsafeMutablePointer<Float>
  ) {
    // Sixteen columns down all rows, which stay in the first-level cache between what is read and what is written.
    var first = 0
    while first &+ 16 <= token.values {
      attend(token, state, y, first, 16)
      first &+= 16
    }
    if first < token.values { attend(token, state, y, first, token.values &- first) }
  }
}

extension Float64Kernels {
  package static func attendLinearly(
    _ token: LinearToken<Double>, state: UnsafeMutablePointer<Double>, _ y: UnsafeMutablePointer<Double>
  ) {
    let (keys, values) = (token.keys, token.values)
    for column in 0..<values {
      var update = token.value[column]
      if let decay = token.decay {
        for row in 0..<keys { state[row &* values &+ column] *= decay[row &* token.decayStep] }
      }
      if let rate = token.rate {
        var said = 0.0
        for row in 0..<keys { said += state[row &* values &+ column] * token.key[row] }
        update = rate[0] * (update - said)
      }
      for row in 0..<keys { state[row &* values &+ column] += token.key[row] * update }
      for query in 0..<token.queries {
        var sum = 0.0
        for row in 0..<keys { sum += token.query[query &* keys &+ row] * state[row &* values &+ column] }
        y[query &* values &+ column] = sum * token.scale
      }
    }
  }
}

/// `width` columns from `first` on.
@inline(__always)
private func attend(
  _ token: LinearToken<Float>, _ state: UnsafeMutablePointer<Float>, _ y: UnsafeMutablePointer<Float>, _ first: Int,
  _ width: Int
) {
  let columns = state + first
  @inline(__always)
  func decayed(_ row: Int) -> Lanes {
    let entries = load(UnsafePointer(columns + row &* token.values), upTo: width)
    guard let decay = token.decay else { return entries }
    return entries * all(decay[row &* token.decayStep])
  }
  var update = load(token.value + first, upTo: width)
  if let rate = token.rate {
    // Four sums, which do not wait for each other.
    var (sum0, sum1, sum2, sum3) = (all(0), all(0), all(0), all(0))
    var row = 0
    while row &+ 4 <= token.keys {
      sum0 = multiplyAdd(sum0, decayed(row), all(token.key[row]))
      sum1 = multiplyAdd(sum1, decayed(row &+ 1), all(token.key[row &+ 1]))
      sum2 = multiplyAdd(sum2, decayed(row &+ 2), all(token.key[row &+ 2]))
      sum3 = multiplyAdd(sum3, decayed(row &+ 3), all(token.key[row &+ 3]))
      row &+= 4
    }
    while row < token.keys {
      sum0 = multiplyAdd(sum0, decayed(row), all(token.key[row]))
      row &+= 1
    }
    update = (update - ((sum0 + sum1) + (sum2 + sum3))) * all(rate[0])
  }
  for row in 0..<token.keys {
    store(multiplyAdd(decayed(row), all(token.key[row]), update), columns + row &* token.values, upTo: width)
  }
  for index in 0..<token.queries {
    let query = token.query + index &* token.keys
    var (sum0, sum1, sum2, sum3) = (all(0), all(0), all(0), all(0))
    var (row, entries) = (0, UnsafePointer(columns))
    while row &+ 4 <= token.keys {
      sum0 = multiplyAdd(sum0, load(entries, upTo: width), all(query[row]))
      sum1 = multiplyAdd(sum1, load(entries + token.values, upTo: width), all(query[row &+ 1]))
      sum2 = multiplyAdd(sum2, load(entries + 2 &* token.values, upTo: width), all(query[row &+ 2]))
      sum3 = multiplyAdd(sum3, load(entries + 3 &* token.values, upTo: width), all(query[row &+ 3]))
      entries += 4 &* token.values
      row &+= 4
    }
    while row < token.keys {
      sum0 = multiplyAdd(sum0, load(entries, upTo: width), all(query[row]))
      entries += token.values
      row &+= 1
    }
    store(
      ((sum0 + sum1) + (sum2 + sum3)) * all(token.scale), y + (index &* token.values &+ first), upTo: width)
  }
}
