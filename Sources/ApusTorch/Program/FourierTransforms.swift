import Apus
import ApusGraph

// Fourier transforms, and those of windows that go along a signal.

extension ProgramBuilder {
  /// By their names in ATen.
  static let fourierTransforms: [String: Lowering] = {
    var result: [String: Lowering] = [:]
    result["_fft_r2c"] = { call in
      [try call.transformed(call.plainTransform(isInverse: false, isHalf: call.bool("onesided")))]
    }
    result["_fft_c2c"] = { call in
      [try call.transformed(call.plainTransform(isInverse: !call.bool("forward", default: true), isHalf: false))]
    }
    result["_fft_c2r"] = { call in
      var transform = try call.plainTransform(isInverse: true, isHalf: true)
      if let last = transform.lengths.indices.last { transform.lengths[last] = try call.extent("last_dim_size") }
      return [try call.transformed(transform)]
    }
    for (name, isInverse, isHalf) in [
      ("fft_fft", false, false), ("fft_ifft", true, false), ("fft_rfft", false, true), ("fft_irfft", true, true),
    ] {
      result[name] = { call in
        [try call.transformed(call.namedTransform([-1], lengths: "n", isInverse: isInverse, isHalf: isHalf))]
      }
      result["\(name)2"] = { call in
        [
          try call.transformed(
            call.namedTransform([-2, -1], lengths: "s", isInverse: isInverse, isHalf: isHalf))
        ]
      }
      result["\(name)n"] = { call in
        [try call.transformed(call.namedTransform(nil, lengths: "s", isInverse: isInverse, isHalf: isHalf))]
      }
    }
    result["stft"] = { call in [try call.transformOfWindows()] }
    result["istft"] = { call in [try call.signalOfWindows()] }
    return result
  }()
}

/// What a transform is of.
private struct Transform {
  var axes: [Int]
  /// How many elements of each axis, nil for all there are.
  var lengths: [GraphExtent?]
  var isInverse: Bool
  /// Whether one end is real, so that half the spectrum along the last axis says all.
  var isHalf: Bool
  /// The sum is divided by so many times the root of how many terms it has.
  var roots: Int
}

extension Call {
  /// How many axes the first argument has, that of pairs not counted.
  private var rank: Int {
    get throws { try emitter.rank(x) - (isFirstComplex ? 1 : 0) }
  }

  private var isFirstComplex: Bool { node.inputs.first.map { isComplex($0.name) } ?? false }

  private func counted(_ axes: [Int]) throws -> [Int] {
    let rank = try rank
    return try axes.map { try emitter.axis($0, rank: rank) }
  }

  /// The transform of core ATen's arguments.
  fileprivate func plainTransform(isInverse: Bool, isHalf: Bool) throws -> Transform {
    let axes = try counted(ints("dim"))
    return Transform(
      axes: axes, lengths: axes.map { _ in nil }, isInverse: isInverse, isHalf: isHalf,
      roots: try int("normalization", default: 0))
  }

  /// The transform of the arguments of `torch.fft`, along all axes unless others are usual.
  fileprivate func namedTransform(
    _ usual: [Int]?, lengths name: String, isInverse: Bool, isHalf: Bool
  ) throws -> Transform {
    let given = try optionalExtents(name)
    let rank = try rank
    let axes = try counted(
      optionalInts("dim") ?? usual ?? Array((rank - (given?.count ?? rank))..<rank))
    guard given == nil || given?.count == axes.count else {
      throw OperatorError("\(axes.count) axes need as many lengths")
    }
    let lengths = (given ?? axes.map { _ in .known(-1) }).map { length -> GraphExtent? in
      if case .known(-1) = length { nil } else { length }
    }
    let roots =
      switch try string("norm", default: "backward") {
      case "backward": isInverse ? 2 : 0
      case "ortho": 1
      case "forward": isInverse ? 0 : 2
      case let other: throw OperatorError("the norm '\(other)' is not known")
      }
    return Transform(axes: axes, lengths: lengths, isInverse: isInverse, isHalf: isHalf, roots: roots)
  }

  /// The first argument, transformed: pairs, or real numbers where half a spectrum is transformed back.
  fileprivate func transformed(_ transform: Transform) throws -> Graph.ValueID {
    let e = emitter
    let (rank, givesSignal, type) = (try rank, transform.isInverse && transform.isHalf, try outputType)
    var x =
      try isFirstComplex
      ? x : transform.isInverse ? pairs(node.inputs.first?.name ?? "") : e.unsqueeze(e.cast(x, to: type), [rank])
    // The standard's inverse is divided by all terms.
    let roots = transform.isInverse ? transform.roots - 2 : transform.roots
    // Of what was written in between, no sizes are known where the program leaves any open.
    let argument = try self.x
    var terms = GraphExtent.known(1)
    // The real end comes first or last.
    let steps = Array(zip(transform.axes, transform.lengths))
    for (place, (axis, length)) in transform.isInverse ? Array(steps.enumerated()) : steps.enumerated().reversed() {
      let isHalf = transform.isHalf && place == steps.count - 1
      if roots != 0 {
        let count = try length ?? e.extent(argument, axis)
        terms = try e.product(terms, length == nil && givesSignal && isHalf ? e.whole(ofHalf: count) : count)
      }
      x = try e.node(
        "DFT", [x, length.map { try e.integer($0) }, e.integer(axis)],
        ["inverse": .flag(transform.isInverse), "onesided": .flag(isHalf)])
    }
    if givesSignal { x = try e.squeeze(x, [rank]) }
    guard roots != 0 else { return x }
    return try scaled(x, by: roots, of: terms, as: type)
  }

  /// Divided so many times by the root of how many terms there are.
  private func scaled(
    _ x: Graph.ValueID, by roots: Int, of terms: GraphExtent, as type: ElementType
  ) throws -> Graph.ValueID {
    let e = emitter
    switch terms {
    case .known(let terms):
      guard terms > 0 else { throw OperatorError("a transform of \(terms) terms") }
      let divisor = abs(roots) == 1 ? Double(terms).squareRoot() : Double(terms)
      return try e.node("Mul", [x, e.numbers(roots > 0 ? 1 / divisor : divisor, as: type)])
    case .value(let terms):
      let count = try e.cast(terms, to: .double)
      let divisor = try e.cast(abs(roots) == 1 ? e.node("Sqrt", [count]) : count, to: type)
      return try e.node(roots > 0 ? "Div" : "Mul", [x, divisor])
    }
  }

  /// What a window of `n_fft` elements is multiplied with: the window, in the middle of zeros.
  private func window(_ length: Int, as type: ElementType) throws -> Graph.ValueID {
    let e = emitter
    let width = try optionalInt("win_length") ?? length
    guard 1...(1 << 24) ~= length, 1...length ~= width else { throw OperatorError("a window of \(width) in \(length)") }
    let window = try optional("window", as: type) ?? e.expand(e.number(1, as: type), e.integers([width]))
    let before = (length - width) / 2
    return width == length ? window : try e.node("Pad", [window, e.integers([before, length - width - before])])
  }

  private func step(_ length: Int) throws -> Int {
    let step = try optionalInt("hop_length") ?? length / 4
    guard 1...(1 << 24) ~= step else { throw OperatorError("a hop of \(step)") }
    return step
  }

  /// Spectra of windows of a signal: [batch, bins, windows, 2].
  fileprivate func transformOfWindows() throws -> Graph.ValueID {
    let e = emitter
    let type = try outputType
    let isSingle = try e.rank(x) == 1
    let length = try int("n_fft")
    let signal = try e.unsqueeze(isSingle ? e.unsqueeze(x, [0]) : x, [2])
    let isHalf = try bool("onesided", default: true)
    let spectra = try e.node(
      "STFT", [signal, e.integer(step(length)), window(length, as: type), e.integer(length)],
      ["onesided": .flag(isHalf)])
    var y = try e.transpose(spectra, [0, 2, 1, 3])
    if try bool("normalized") { y = try e.node("Mul", [y, e.numbers(1 / Double(length).squareRoot(), as: type)]) }
    return isSingle ? try e.squeeze(y, [0]) : y
  }

  /// The signal that spectra of windows are of: each window is transformed back and put where it was, and the sum is
  /// divided by that of the squares of the windows.
  fileprivate func signalOfWindows() throws -> Graph.ValueID {
    let e = emitter
    let type = try outputType
    let isSingle = try e.rank(x) == 3
    guard try !bool("return_complex"), try bool("onesided", default: true) else {
      throw OperatorError("a complex signal of windows is not covered")
    }
    let (length, batched) = (try int("n_fft"), try isSingle ? e.unsqueeze(x, [0]) : x)
    let step = try step(length)
    let window = try e.reshape(window(length, as: type), [1, -1, 1])
    var spectra = batched
    if try bool("normalized") {
      spectra = try e.node("Mul", [spectra, e.numbers(Double(length).squareRoot(), as: type)])
    }
    // [batch, n_fft, windows].
    let pieces = try e.squeeze(
      e.node(
        "DFT", [spectra, e.integer(length), e.integer(1)], ["inverse": .flag(true), "onesided": .flag(true)]), [3])
    let windows = try e.extent(batched, 2)
    let whole: GraphExtent =
      switch windows {
      case .known(let count): .known(length + step * (min(count, 1 << 32) - 1))
      case .value(let count):
        .value(try e.node("Add", [e.node("Mul", [count, e.integers([step])]), e.integers([length - step])]))
      }
    func joined(_ pieces: Graph.ValueID) throws -> Graph.ValueID {
      try e.squeeze(
        e.node(
          "Col2Im", [pieces, e.list([.known(1), whole]), e.integers([1, length])], ["strides": .list([1, step])]),
        [1, 2])
    }
    let signal = try joined(e.node("Mul", [pieces, window]))
    let squares = try e.expand(e.node("Mul", [window, window]), e.list([.known(1), .known(length), windows]))
    let y = try e.node("Div", [signal, joined(squares)])
    let before = try bool("center", default: true) ? length / 2 : 0
    let end = try optionalInt("length").map { before + $0 } ?? (before > 0 ? -before : TorchSize.limit)
    var cut = try e.slice(y, from: [before], to: [end], axes: [1])
    // Zeros where the windows end before the length that is asked for.
    if has("length") {
      guard 0...(1 << 32) ~= end else { throw OperatorError("a signal of \(end - before) elements") }
      switch whole {
      case .known(let size):
        if size < end { cut = try e.node("Pad", [cut, e.integers([0, 0, 0, end - size])]) }
      case .value(let size):
        let missing = try e.node("Max", [e.node("Sub", [e.integers([end]), size]), e.integers([0])])
        cut = try e.node("Pad", [cut, e.node("Concat", [e.integers([0, 0, 0]), missing], ["axis": .int(0)])])
      }
    }
    return isSingle ? try e.squeeze(cut, [0]) : cut
  }
}

extension Emitter {
  /// An extent as INT64 without axes.
  fileprivate func integer(_ extent: GraphExtent) throws -> Graph.ValueID {
    switch extent {
    case .known(let size): try integer(size)
    case .value(let size): try squeeze(size, [0])
    }
  }

  /// How long a signal is that half a spectrum of so many bins says all of.
  fileprivate func whole(ofHalf bins: GraphExtent) throws -> GraphExtent {
    switch bins {
    case .known(let count): .known(2 * (count.bounded - 1))
    case .value(let count): .value(try node("Mul", [node("Sub", [count, integers([1])]), integers([2])]))
    }
  }
}
