/// Makes samples of the bytes of a row.
struct PNGPixels {
  private let header: PNGHeader
  /// What the samples stand for.
  let color: ColorModel
  /// The colours of a palette as samples, one after the other, for every index that can be written; empty without one.
  private var colors: [UInt8] = []
  /// How many colours the palette really has.
  private var colorCount = 0
  /// The numbers of the pixel that is transparent.
  private var key: [UInt16]?

  init(header: PNGHeader, palette: UnsafeRawBufferPointer?, transparency: UnsafeRawBufferPointer?) {
    self.header = header
    switch header.kind {
    case .gray: color = transparency == nil ? .gray : .grayAlpha
    case .rgb, .palette: color = transparency == nil ? .rgb : .rgba
    case .grayAlpha: color = .grayAlpha
    case .rgba: color = .rgba
    }
    if header.kind == .palette, let palette {
      colorCount = palette.count / 3
      for index in 0..<256 {
        let isThere = index < colorCount
        for channel in 0..<3 { colors.append(isThere ? palette[3 * index + channel] : 0) }
        if let transparency { colors.append(index < transparency.count ? transparency[index] : 255) }
      }
    } else if let transparency {
      // Bits beyond the depth do not count.
      let mask = UInt16(truncatingIfNeeded: 1 << header.depth - 1)
      key = (0..<header.kind.channels).map {
        UInt16(bigEndian: transparency.loadUnaligned(fromByteOffset: 2 * $0, as: UInt16.self)) & mask
      }
    }
  }
}

// MARK: - Up to 8 bits

extension PNGPixels {
  /// - Parameters:
  ///   - row: the bytes of `width` pixels.
  ///   - output: room for as many pixels of ``color``.
  /// - Throws: ``ImageError`` for a colour that the palette does not have.
  func expand8(
    _ row: UnsafePointer<UInt8>, width: Int, into output: UnsafeMutablePointer<UInt8>
  ) throws(ImageError) {
    switch header.kind {
    case .palette: try expandPalette(row, width: width, into: output)
    case .gray where header.depth < 8: expandBits(row, width: width, into: output)
    case .gray, .rgb:
      if let key {
        expand(row, width: width, key: key, into: output) { $0[$1] }
      } else {
        output.update(from: row, count: width * color.channels)
      }
    case .grayAlpha, .rgba: output.update(from: row, count: width * color.channels)
    }
  }

  /// Number `index` of a row of numbers of less than a byte; the first one is in the highest bits.
  @inline(__always)
  private func number(_ row: UnsafePointer<UInt8>, _ index: Int) -> UInt8 {
    let bit = index * header.depth
    return row[bit >> 3] >> UInt8(8 - header.depth - bit & 7) & UInt8(truncatingIfNeeded: 1 << header.depth - 1)
  }

  private func expandBits(_ row: UnsafePointer<UInt8>, width: Int, into output: UnsafeMutablePointer<UInt8>) {
    let scale = UInt8(255 / (1 << header.depth - 1))
    for x in 0..<width {
      let value = number(row, x)
      guard let key else {
        output[x] = value * scale
        continue
      }
      output[2 * x] = value * scale
      output[2 * x + 1] = value == key[0] ? 0 : 255
    }
  }

  private func expandPalette(
    _ row: UnsafePointer<UInt8>, width: Int, into output: UnsafeMutablePointer<UInt8>
  ) throws(ImageError) {
    let channels = color.channels
    let highest = colors.withUnsafeBufferPointer { colors in
      var highest: UInt8 = 0
      for x in 0..<width {
        let index = header.depth == 8 ? row[x] : number(row, x)
        highest = max(highest, index)
        for channel in 0..<channels { output[x * channels + channel] = colors[Int(index) * channels + channel] }
      }
      return highest
    }
    guard highest < colorCount else {
      throw pngError("a pixel has colour \(highest) of a palette of \(colorCount), counted from 0")
    }
  }
}

// MARK: - 16 bits

extension PNGPixels {
  /// The same with 16 bits a number, which come high byte first.
  func expand16(_ row: UnsafePointer<UInt8>, width: Int, into output: UnsafeMutablePointer<UInt16>) {
    func load(_ row: UnsafePointer<UInt8>, _ index: Int) -> UInt16 {
      UInt16(row[2 * index]) << 8 | UInt16(row[2 * index + 1])
    }
    if let key {
      expand(row, width: width, key: key, into: output, load: load)
    } else {
      for index in 0..<width * color.channels { output[index] = load(row, index) }
    }
  }

  /// Pixels with an opacity added: none where all numbers are those of `key`.
  @inline(__always)
  private func expand<Sample: ImageSample & FixedWidthInteger>(
    _ row: UnsafePointer<UInt8>, width: Int, key: [UInt16], into output: UnsafeMutablePointer<Sample>,
    load: (UnsafePointer<UInt8>, Int) -> Sample
  ) {
    let channels = key.count
    for x in 0..<width {
      var isKey = true
      for channel in 0..<channels {
        let value = load(row, x * channels + channel)
        isKey = isKey && value == key[channel]
        output[x * (channels + 1) + channel] = value
      }
      output[x * (channels + 1) + channels] = isKey ? 0 : .full
    }
  }
}
