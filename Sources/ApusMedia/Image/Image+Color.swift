extension Image where Sample == UInt8 {
  /// The picture without opacity, as it looks before `background`; itself, when it has none.
  ///
  /// A channel becomes (v · α + b · (255 − α)) / 255, to the nearest number. Behind a grey picture the background is
  /// grey too.
  public func flattened(on background: (red: UInt8, green: UInt8, blue: UInt8) = (255, 255, 255)) -> Image {
    let behind: [UInt8]
    switch color {
    case .gray, .rgb: return self
    case .grayAlpha: behind = [Self.gray(background.red, background.green, background.blue)]
    case .rgba: behind = [background.red, background.green, background.blue]
    }
    let channels = behind.count
    return remade(as: channels == 1 ? .gray : .rgb) { source, target in
      let opacity = UInt32(source[channels])
      for channel in 0..<channels {
        let sum = UInt32(source[channel]) * opacity + UInt32(behind[channel]) * (255 - opacity)
        target[channel] = UInt8(truncatingIfNeeded: (sum + 127) / 255)
      }
    }
  }

  /// The picture as RGB: grey three times. Opacity is dropped: see ``flattened(on:)``.
  public func rgb() -> Image { withColors() }

  /// The picture as grey. Opacity is dropped: see ``flattened(on:)``.
  public func gray() -> Image {
    switch color {
    case .gray: self
    case .grayAlpha: remade(as: .gray) { source, target in target[0] = source[0] }
    case .rgb, .rgba:
      remade(as: .gray) { source, target in target[0] = Self.gray(source[0], source[1], source[2]) }
    }
  }

  /// The luma of ITU-R 601, 0.299 R + 0.587 G + 0.114 B, in the fixed-point arithmetic of Pillow.
  @inline(__always)
  static func gray(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> UInt8 {
    UInt8(truncatingIfNeeded: (UInt32(red) * 19_595 + UInt32(green) * 38_470 + UInt32(blue) * 7_471 + 0x8000) >> 16)
  }
}

extension Image {
  /// ``rgb()`` of pictures with any number of bits.
  @inline(__always)
  func withColors() -> Image {
    switch color {
    case .rgb: self
    case .gray, .grayAlpha:
      remade(as: .rgb) { source, target in
        for channel in 0..<3 { target[channel] = source[0] }
      }
    case .rgba:
      remade(as: .rgb) { source, target in
        for channel in 0..<3 { target[channel] = source[channel] }
      }
    }
  }

  /// A picture of the same sides whose pixels `convert` makes, one of the other.
  @inline(__always)
  private func remade(
    as other: ColorModel, convert: (UnsafePointer<Sample>, UnsafeMutablePointer<Sample>) -> Void
  ) -> Image {
    let (from, to) = (color.channels, other.channels)
    let count = width * height
    return remade(as: other) { target in
      samples.withUnsafeBufferPointer { source in
        guard let source = source.baseAddress, let target = target.baseAddress else { return }
        for index in 0..<count { convert(source + index * from, target + index * to) }
      }
    }
  }
}
