import Apus

/// The chunks of a PNG file that matter, in the order that the format demands.
struct PNGContents {
  let header: PNGHeader
  /// Red, green and blue of each colour.
  private(set) var palette: UnsafeRawBufferPointer?
  /// The chunk tRNS: the opacity of each colour of the palette, or the one colour that is transparent.
  private(set) var transparency: UnsafeRawBufferPointer?
  private(set) var exif: [UInt8]?
  /// The compressed pixels, in pieces.
  private var pieces: [UnsafeRawBufferPointer] = []
  private var state = State.beforePixels

  private enum State { case beforePixels, pixels, afterPixels }

  /// - Throws: ``ImageError``.
  init(_ bytes: UnsafeRawBufferPointer, limits: ImageLimits) throws(ImageError) {
    var chunks = try PNGChunks(bytes)
    let first = try chunks.next()
    guard first.name == "IHDR" else {
      throw pngError("the first chunk is \(first.name); IHDR was expected", at: first.offset)
    }
    header = try PNGHeader(first.contents, limits: limits)
    while true {
      let chunk = try chunks.next()
      if state == .pixels, chunk.name != "IDAT" { state = .afterPixels }
      if chunk.name == "IEND" { break }
      try add(chunk)
    }
    guard !pieces.isEmpty else { throw pngError("there is no chunk IDAT") }
    if header.kind == .palette, palette == nil { throw pngError("there is no palette (PLTE)") }
  }

  private mutating func add(_ chunk: PNGChunks.Chunk) throws(ImageError) {
    switch chunk.name {
    case "IHDR": throw pngError("a second chunk IHDR", at: chunk.offset)
    case "IDAT":
      guard state != .afterPixels else {
        throw pngError("the chunks IDAT do not follow each other", at: chunk.offset)
      }
      if header.kind == .palette, palette == nil { throw pngError("pixels before the palette", at: chunk.offset) }
      state = .pixels
      pieces.append(chunk.contents)
    case "PLTE": try addPalette(chunk)
    case "tRNS": try addTransparency(chunk)
    case "eXIf": exif = exif ?? Array(chunk.contents)
    default:
      guard !chunk.isCritical else {
        throw ImageError(.unsupported("the chunk \(chunk.name)"), format: .png, offset: chunk.offset)
      }
    }
  }

  private mutating func addPalette(_ chunk: PNGChunks.Chunk) throws(ImageError) {
    guard state == .beforePixels, palette == nil else {
      throw pngError("a second palette, or one after the pixels", at: chunk.offset)
    }
    guard chunk.contents.count % 3 == 0, (1...256).contains(chunk.contents.count / 3) else {
      throw pngError("a palette of \(chunk.contents.count) bytes", at: chunk.offset)
    }
    // Of a picture that has no need of one, it is only a proposal for screens of few colours.
    palette = chunk.contents
  }

  private mutating func addTransparency(_ chunk: PNGChunks.Chunk) throws(ImageError) {
    guard state == .beforePixels, transparency == nil else {
      throw pngError("a second chunk tRNS, or one after the pixels", at: chunk.offset)
    }
    let isSound: Bool
    switch header.kind {
    case .gray: isSound = chunk.contents.count == 2
    case .rgb: isSound = chunk.contents.count == 6
    case .palette:
      guard let palette else { throw pngError("the chunk tRNS before the palette", at: chunk.offset) }
      isSound = (1...palette.count / 3).contains(chunk.contents.count)
    case .grayAlpha, .rgba: throw pngError("a chunk tRNS, and an alpha channel as well", at: chunk.offset)
    }
    guard isSound else { throw pngError("a chunk tRNS of \(chunk.contents.count) bytes", at: chunk.offset) }
    transparency = chunk.contents
  }
}

// MARK: - Pixels

extension PNGContents {
  /// No data grows more when it is decompressed: 258 bytes from two bits.
  private static let mostGrowth = 1032

  /// The rows with their filters, just as many bytes as there must be; to be deallocated by the caller.
  func inflated() throws(ImageError) -> UnsafeMutableRawBufferPointer {
    let count = header.filteredBytes
    let compressedCount = pieces.reduce(0) { $0 + $1.count }
    guard count / Self.mostGrowth <= compressedCount else { throw tooShort }
    if pieces.count == 1 { return try inflate(pieces[0], count: count) }
    let whole = UnsafeMutableRawBufferPointer.allocate(byteCount: compressedCount, alignment: 16)
    defer { whole.deallocate() }
    var offset = 0
    for piece in pieces {
      UnsafeMutableRawBufferPointer(rebasing: whole[offset...]).copyMemory(from: piece)
      offset += piece.count
    }
    return try inflate(UnsafeRawBufferPointer(whole), count: count)
  }

  private func inflate(
    _ compressed: UnsafeRawBufferPointer, count: Int
  ) throws(ImageError) -> UnsafeMutableRawBufferPointer {
    let rows = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    let produced: Int
    do throws(InflateError) {
      produced = try Inflate.zlib(compressed, into: rows).produced
    } catch {
      rows.deallocate()
      switch error.reason {
      case .truncated: throw ImageError(.truncated("the compressed pixels"), format: .png)
      case .outputTooLong:
        throw pngError("more pixels than the \(header.width) × \(header.height) that the chunk IHDR says")
      default: throw pngError("the compressed pixels are damaged: \(error)")
      }
    }
    guard produced == count else {
      rows.deallocate()
      throw tooShort
    }
    return rows
  }

  private var tooShort: ImageError {
    pngError("fewer pixels than the \(header.width) × \(header.height) that the chunk IHDR says")
  }
}
