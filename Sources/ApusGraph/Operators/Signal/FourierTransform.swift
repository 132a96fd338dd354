import ApusPlatform

/// The discrete Fourier transform of one length: X[k] = Σ x[n] exp(∓2πi kn / N), in double precision.
///
/// Lengths that are powers of two go through Cooley and Tukey's algorithm, all others through Bluestein's, which makes
/// a convolution of them whose length is one. The inverse is not divided by N.
struct FourierTransform: Sendable {
  let length: Int
  private let twiddles: PowerOfTwoTransform
  /// exp(∓πi n² / N), when the length is not a power of two.
  private let chirp: (real: [Double], imaginary: [Double])?
  /// The transform of the conjugate chirp, which every signal is multiplied with.
  private let filter: (real: [Double], imaginary: [Double])

  /// Numbers that are made or gone through between two looks whether anybody wants them.
  fileprivate static let numbersPerLook = 65_536

  /// - Parameters:
  ///   - length: from 1 to 2^40; memory for a few times as many numbers is needed.
  ///   - check: called again and again where that takes long; what it throws ends the work.
  init(length: Int, isInverse: Bool, checking check: () throws -> Void) throws {
    self.length = length
    if length & (length - 1) == 0 {
      twiddles = try PowerOfTwoTransform(length: length, isInverse: isInverse, checking: check)
      chirp = nil
      filter = ([], [])
      return
    }
    var size = 1
    while size < 2 * length - 1 { size *= 2 }
    twiddles = try PowerOfTwoTransform(length: size, isInverse: false, checking: check)
    let sign = isInverse ? 1.0 : -1.0
    var real = [Double](repeating: 0, count: length)
    var imaginary = real
    var square = 0
    for n in 0..<length {
      if n.isMultiple(of: Self.numbersPerLook) { try check() }
      // n² modulo 2N, so that the angle stays exact for large n.
      let angle = sign * Double.pi * Double(square) / Double(length)
      real[n] = cos(angle)
      imaginary[n] = sin(angle)
      square = (square + 2 * n + 1) % (2 * length)
    }
    var filterReal = [Double](repeating: 0, count: size)
    var filterImaginary = filterReal
    for n in 0..<length {
      filterReal[n] = real[n]
      filterImaginary[n] = -imaginary[n]
      if n > 0 {
        filterReal[size - n] = real[n]
        filterImaginary[size - n] = -imaginary[n]
      }
    }
    try twiddles.transform(&filterReal, &filterImaginary, checking: check)
    chirp = (real, imaginary)
    filter = (filterReal, filterImaginary)
  }

  /// Replaces `length` complex numbers by their transform, or by anything where `check` throws.
  func transform(
    _ real: inout [Double], _ imaginary: inout [Double], checking check: () throws -> Void
  ) throws {
    guard let chirp else { return try twiddles.transform(&real, &imaginary, checking: check) }
    let size = twiddles.length
    var a = [Double](repeating: 0, count: size)
    var b = a
    for n in 0..<length {
      a[n] = real[n] * chirp.real[n] - imaginary[n] * chirp.imaginary[n]
      b[n] = real[n] * chirp.imaginary[n] + imaginary[n] * chirp.real[n]
    }
    try twiddles.transform(&a, &b, checking: check)
    // The inverse transform is the transform of the conjugate, conjugated.
    for n in 0..<size {
      let product = a[n] * filter.real[n] - b[n] * filter.imaginary[n]
      b[n] = -(a[n] * filter.imaginary[n] + b[n] * filter.real[n])
      a[n] = product
    }
    try twiddles.transform(&a, &b, checking: check)
    let scale = 1 / Double(size)
    for n in 0..<length {
      let (x, y) = (a[n] * scale, -b[n] * scale)
      real[n] = x * chirp.real[n] - y * chirp.imaginary[n]
      imaginary[n] = x * chirp.imaginary[n] + y * chirp.real[n]
    }
  }
}

/// The transform of a length that is a power of two: numbers are put in the order of their bits reversed, then halves
/// are joined.
private struct PowerOfTwoTransform: Sendable {
  let length: Int
  private let cosines: [Double]
  private let sines: [Double]

  init(length: Int, isInverse: Bool, checking check: () throws -> Void) throws {
    self.length = length
    let sign = isInverse ? 1.0 : -1.0
    func numbers(_ function: (Double) -> Double) throws -> [Double] {
      try (0..<(length / 2)).map { n in
        if n.isMultiple(of: FourierTransform.numbersPerLook) { try check() }
        return function(2 * .pi * Double(n) / Double(length))
      }
    }
    cosines = try numbers { cos($0) }
    sines = try numbers { sign * sin($0) }
  }

  func transform(
    _ real: inout [Double], _ imaginary: inout [Double], checking check: () throws -> Void
  ) throws {
    var j = 0
    for i in 1..<max(length, 1) {
      var bit = length >> 1
      while j & bit != 0 {
        j ^= bit
        bit >>= 1
      }
      j ^= bit
      if i < j {
        real.swapAt(i, j)
        imaginary.swapAt(i, j)
      }
    }
    var half = 1
    while half < length {
      if length >= FourierTransform.numbersPerLook { try check() }
      let step = length / (2 * half)
      for start in stride(from: 0, to: length, by: 2 * half) {
        for i in 0..<half {
          let (c, s) = (cosines[i * step], sines[i * step])
          let (a, b) = (start + i, start + i + half)
          let x = real[b] * c - imaginary[b] * s
          let y = real[b] * s + imaginary[b] * c
          real[b] = real[a] - x
          imaginary[b] = imaginary[a] - y
          real[a] += x
          imaginary[a] += y
        }
      }
      half *= 2
    }
  }
}
