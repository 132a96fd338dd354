import Apus

// Spectra. A complex number is a last axis of size 2, a real one of size 1. All is computed in double precision.

extension Operators {
  static let signals: [OperatorDefinition] = [
    OperatorDefinition("DFT", .plain(.dft), DFT),
    OperatorDefinition("STFT", .plain(.stft), STFT),
  ]

  /// The discrete Fourier transform along an axis (before opset 20 the attribute `axis`, 1 by default; then input 2, -2
  /// by default), of `dft_length` (input 1) elements: cut there, or filled up with zeros.
  ///
  /// `onesided`: of real signals the first half of the spectrum; inverse, a real signal from such a half.
  static func DFT(_ node: NodeDescription) throws -> PreparedOperator {
    let isInverse = try node.flag("inverse")
    let isOneSided = try node.flag("onesided")
    let attribute = node.opset < 20 ? try node.int("axis", default: 1) : nil
    return { arguments in
      let type = try arguments.floatingType(0)
      let x = try arguments.floating(0, as: Double.self)
      guard x.rank >= 2, let parts = x.shape.last, parts == 1 || parts == 2 else {
        throw OperatorError("input 0 has shape \(x.shape); […, 1] or […, 2] is needed")
      }
      let number = try attribute ?? (arguments.has(2) ? arguments.integer(2) : -2)
      let axis = try Shape.axis(number, in: x.shape, operation: "DFT")
      guard axis < x.rank - 1 else { throw OperatorError("axis \(number) is that of the parts of complex numbers") }
      if isOneSided, parts == (isInverse ? 1 : 2) {
        throw OperatorError(
          "input 0 has shape \(x.shape); half a spectrum is made of real signals, and signals of complex halves")
      }
      let size = x.shape[axis]
      let makesSignal = isInverse && isOneSided
      let length = try arguments.has(1) ? arguments.integer(1) : makesSignal ? 2 * (size - 1) : size
      let spectrum = try Spectrum(
        length: length, isInverse: isInverse, isOneSided: isOneSided, checking: arguments.context)
      let y = try spectrum.along(axis, of: x, checking: arguments.context)
      return [try GraphValue(rounding: y, to: type)]
    }
  }

  /// The Fourier transform of windows of the signal `[batch, length, 1 or 2]`, which follow each other by `frame_step`
  /// (input 1): `[batch, frames, bins, 2]`. The window (input 2) is all ones by default, and `frame_length` (input 3)
  /// is its length, or the signal's. PyTorch's exporters write real signals as `[batch, length]`.
  static func STFT(_ node: NodeDescription) throws -> PreparedOperator {
    let isOneSided = try node.flag("onesided", default: true)
    return { arguments in
      let type = try arguments.floatingType(0)
      var x = try arguments.floating(0, as: Double.self)
      if x.rank == 2 { x = try x.reshaped(x.shape + [1]) }
      let step = try arguments.integer(1)
      let window = try arguments.optionalFloating(2, as: Double.self)
      guard x.rank == 3, x.shape[2] == 1 || x.shape[2] == 2 else {
        throw OperatorError("input 0 has shape \(x.shape); [batch, length, 1] or [batch, length, 2] is needed")
      }
      let (batch, signal, parts) = (x.shape[0], x.shape[1], x.shape[2])
      let frame = try arguments.has(3) ? arguments.integer(3) : window?.count ?? signal
      if let window, window.shape != [frame] {
        throw OperatorError("the window has shape \(window.shape); [\(frame)] is needed")
      }
      guard step > 0, frame > 0, frame <= signal else {
        throw OperatorError("frames of \(frame) elements every \(step) do not fit a signal of \(signal)")
      }
      if isOneSided, parts == 2 { throw OperatorError("half a spectrum is made of real signals; input 0 is complex") }
      let frames = (signal - frame) / step + 1
      // A step of parts along each frame.
      let cut = try x.gathered(
        [batch, frames, frame, parts], strides: [signal * parts, step * parts, parts, 1])
      let windowed = try window.map { try cut * $0.reshaped([frame, 1]) } ?? cut
      let spectrum = try Spectrum(length: frame, isInverse: false, isOneSided: isOneSided, checking: arguments.context)
      let y = try spectrum.along(2, of: windowed, checking: arguments.context)
      return [try GraphValue(rounding: y, to: type)]
    }
  }
}

/// A transform of one length, and what of it is wanted.
private struct Spectrum {
  let transform: FourierTransform
  let isInverse: Bool
  let isOneSided: Bool

  init(length: Int, isInverse: Bool, isOneSided: Bool, checking context: RunContext) throws {
    guard length > 0 else { throw OperatorError("a transform of length \(length) does not exist") }
    // Room for the convolution that a length may become.
    try Shape.checkMemory([length, 16], of: Double.self, operation: "DFT")
    transform = try FourierTransform(
      length: length, isInverse: isInverse, checking: context.checkCancellation)
    self.isInverse = isInverse
    self.isOneSided = isOneSided
  }

  /// - Parameter x: `[…, parts]`.
  func along(_ axis: Int, of x: Tensor<Double>, checking context: RunContext) throws -> Tensor<Double> {
    let x = try x.rowMajor
    let (length, size) = (transform.length, x.shape[axis])
    let parts = x.shape[x.rank - 1]
    let makesSignal = isInverse && isOneSided
    let bins = isOneSided && !isInverse ? length / 2 + 1 : length
    let resultParts = makesSignal ? 1 : 2
    var shape = x.shape
    shape[axis] = bins
    shape[x.rank - 1] = resultParts
    let count = try Shape.elementCount(shape)
    // Elements between one place along the axis and the next, in numbers.
    let inner = x.shape[(axis + 1)..<(x.rank - 1)].reduce(1, *)
    let outer = x.shape[..<axis].reduce(1, *)
    return try x.withUnsafeBufferPointer { source in
      try Tensor<Double>.filled(shape) { y in
        guard count > 0 else { return }
        var real = [Double](repeating: 0, count: length)
        var imaginary = real
        for line in 0..<(outer * inner) {
          try context.checkCancellation()
          let from = (line / inner * size * inner + line % inner) * parts
          for n in 0..<length {
            let place = from + n * inner * parts
            real[n] = n < size ? source[place] : 0
            imaginary[n] = n < size && parts == 2 ? source[place + 1] : 0
          }
          if makesSignal { mirror(&real, &imaginary) }
          try transform.transform(&real, &imaginary, checking: context.checkCancellation)
          let scale = isInverse ? 1 / Double(length) : 1
          let to = (line / inner * bins * inner + line % inner) * resultParts
          for n in 0..<bins {
            let place = to + n * inner * resultParts
            y[place] = real[n] * scale
            if resultParts == 2 { y[place + 1] = imaginary[n] * scale }
          }
        }
      }
    }
  }

  /// Makes half a spectrum a whole one, that of a real signal: what lies beyond the half is the conjugate of what lies
  /// before it.
  private func mirror(_ real: inout [Double], _ imaginary: inout [Double]) {
    let length = real.count
    imaginary[0] = 0
    if length.isMultiple(of: 2) { imaginary[length / 2] = 0 }
    for n in (length / 2 + 1)..<max(length, length / 2 + 1) {
      real[n] = real[length - n]
      imaginary[n] = -imaginary[length - n]
    }
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let dft = ShapeRule.rule { facts in
    let x = try facts.input(0)
    let number = try facts.opset < 20 ? facts.node.int("axis", default: 1) : facts.integer(2) ?? -2
    let axis = try Axes.resolve(number, rank: x.shape.count)
    let parts = x.shape.count - 1
    guard axis < parts else { throw ShapeFacts.Unknown() }
    let isOneSided = try facts.node.flag("onesided")
    let makesSignal = try isOneSided && facts.node.flag("inverse")
    let length =
      try facts.integer(1)
      ?? (makesSignal ? Extent.product(2, Extent.sum([x.shape[axis], -1])) : x.shape[axis])
    let bins = isOneSided && !makesSignal ? length / 2 + 1 : length
    guard length > 0 else { throw ShapeFacts.Unknown() }
    let shape = x.shape.replacing(axis, with: bins).replacing(parts, with: makesSignal ? 1 : 2)
    return [InferredType(x.elementType, shape)]
  }

  static let stft = ShapeRule.rule { facts in
    let x = try facts.input(0)
    guard 2...3 ~= x.shape.count, let step = try facts.integer(1) else { throw ShapeFacts.Unknown() }
    let (batch, signal) = (x.shape[0], x.shape[1])
    let window = try facts.has(2) ? Shape.elementCount(facts.shape(2)) : signal
    let frame = try facts.integer(3) ?? window
    guard step > 0, frame > 0, frame <= signal else { throw ShapeFacts.Unknown() }
    let bins = try facts.node.flag("onesided", default: true) ? frame / 2 + 1 : frame
    return [InferredType(x.elementType, [batch, (signal - frame) / step + 1, bins, 2])]
  }
}
