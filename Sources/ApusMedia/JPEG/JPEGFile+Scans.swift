import Apus

// Scans of a file, and the picture that comes of them.

extension JPEGFile {
  /// Reads a scan; the picture, when the scan has all of it.
  mutating func readScan() throws(ImageError) -> Image<UInt8>? {
    let start = reader.offset
    var segment = try reader.segment("a scan header")
    guard var frame else { throw segment.malformed("a scan before the frame header") }
    let header = try JPEGScanHeader(&segment, frame)
    for member in header.members where frame.components[member.component].steps == nil {
      let table = frame.components[member.component].table
      guard let steps = steps[table] else {
        throw reader.error(.malformed("no quantization table \(table), which a scan needs"), at: start)
      }
      frame.components[member.component].steps = steps
    }
    self.frame = frame
    let (slots, tables) = try slots(header, frame, at: start)
    let data = try JPEGScanData(reader, copy: copy)
    defer { reader.offset = data.end }
    var decoder = JPEGEntropyDecoder(
      header, data, copy: copy, restartInterval: restartInterval, isProgressive: frame.isProgressive, tables: tables)
    for member in header.members {
      for place in header.coefficients {
        missingBits[member.component][place] = frame.isProgressive ? header.after : 0
      }
    }

    if !frame.isProgressive, header.members.count == frame.components.count, coefficients == nil {
      let file = self
      return try file.image(frame) { painter in
        guard try painter.paint(&decoder, slots) else { throw file.failure(decoder) }
      }
    }
    try count(header, frame, at: start)
    let coefficients =
      if let coefficients { coefficients } else { try JPEGCoefficients(frame, unitRows: frame.unitsDown) }
    self.coefficients = coefficients
    guard Self.read(&decoder, slots, frame, coefficients) else { throw failure(decoder) }
    return nil
  }

  /// Paints what the scans have brought together.
  func finish(hasEnd: Bool) throws(ImageError) -> Image<UInt8> {
    let end = reader.offset
    guard let frame, let coefficients else {
      guard hasEnd else { throw reader.error(.truncated("what comes before the pixels"), at: end) }
      throw reader.error(.malformed("a JPEG file without a picture"), at: end)
    }
    guard frame.components.allSatisfy({ $0.steps != nil }), missingBits.allSatisfy({ $0[0] < 16 }) else {
      guard hasEnd else { throw reader.error(.truncated("its scans"), at: end) }
      throw reader.error(.malformed("a JPEG file that has no scan of some component"), at: end)
    }
    guard hasEnd || missingBits.allSatisfy({ $0.allSatisfy { $0 == 0 } }) else {
      throw reader.error(.truncated("its scans"), at: end)
    }
    return try image(frame) { painter in painter.paint(coefficients) }
  }

  private func image(
    _ frame: JPEGFrame, _ body: (JPEGPainter) throws -> Void
  ) throws(ImageError) -> Image<UInt8> {
    let color = color(of: frame)
    do {
      return try Image(width: frame.width, height: frame.height, color: color.model) { samples in
        guard let output = samples.baseAddress else { return }
        try body(JPEGPainter(frame, color, output))
      }
    } catch let error as ImageError {
      throw error
    } catch {
      throw reader.malformed("\(error)")
    }
  }

  /// What the channels are: as JFIF says, as Adobe says, or as the components are called.
  private func color(of frame: JPEGFrame) -> JPEGColor {
    switch frame.components.count {
    case 1: .gray
    case 4: transform ?? 0 == 0 ? .cmyk : .ycck
    default:
      if isJFIF {
        .ycc
      } else if let transform {
        transform == 0 ? .rgb : .ycc
      } else {
        // The letters R, G and B.
        frame.components.map(\.identifier) == [82, 71, 66] ? .rgb : .ycc
      }
    }
  }

  /// Why a scan could not be read.
  private func failure(_ decoder: JPEGEntropyDecoder) -> ImageError {
    let offset = decoder.data.offset(of: decoder.place, in: reader.bytes)
    switch decoder.failure {
    case .ended where decoder.data.isCutShort: return reader.error(.truncated("the coefficients"), at: reader.end)
    case .ended: return reader.error(.malformed("a marker before all coefficients are there"), at: offset)
    case .unknownCode, nil:
      return reader.error(.malformed("bits that are not a word of the Huffman code"), at: offset)
    }
  }
}

// MARK: - Scans among others

extension JPEGFile {
  /// Counts the coefficients that a scan visits: those that a scan has at all, and so often as it has bits of them.
  private mutating func count(_ header: JPEGScanHeader, _ frame: JPEGFrame, at offset: Int) throws(ImageError) {
    let blocks = header.members.reduce(0) { $0 + frame.components[$1.component].blockCount }
    visitsLeft -= blocks * header.coefficients.count
    guard visitsLeft >= 0 else {
      throw reader.error(.malformed("more scans than the bits of all coefficients could need"), at: offset)
    }
  }

  private static func read(
    _ decoder: inout JPEGEntropyDecoder, _ slots: [JPEGEntropyDecoder.Slot], _ frame: JPEGFrame,
    _ coefficients: JPEGCoefficients
  ) -> Bool {
    let header = decoder.header
    var slots = slots
    return slots.withUnsafeMutableBufferPointer { slots in
      if header.members.count > 1 {
        for row in 0..<frame.unitsDown {
          coefficients.place(slots, row: row)
          guard decoder.decode(units: frame.unitsAcross, slots) else { return false }
        }
        return true
      }
      // A component alone has but the blocks in which the picture is.
      let component = frame.components[header.members[0].component]
      for row in 0..<component.height.dividedRoundingUp(by: 8) {
        coefficients.place(slots, row: row / component.down)
        slots[0].block += row % component.down * component.blocksAcross * 64
        guard decoder.decode(units: component.width.dividedRoundingUp(by: 8), slots) else { return false }
      }
      return true
    }
  }

  /// The blocks of a unit of a scan, and what owns their tables.
  private mutating func slots(
    _ header: JPEGScanHeader, _ frame: JPEGFrame, at offset: Int
  ) throws(ImageError) -> ([JPEGEntropyDecoder.Slot], [JPEGHuffmanDecoder]) {
    let isInterleaved = header.members.count > 1
    var slots: [JPEGEntropyDecoder.Slot] = []
    var owners: [JPEGHuffmanDecoder] = []
    // A block's place in memory is known when the scan's rows are read.
    let nowhere = UnsafeMutableRawPointer(copy).assumingMemoryBound(to: Int16.self)
    for (index, member) in header.members.enumerated() {
      let component = frame.components[member.component]
      // A progressive scan has coefficients of one kind only, and may lack the other table.
      var (first, others) = (JPEGHuffmanDecoder.none, JPEGHuffmanDecoder.none)
      if header.coefficients.lowerBound == 0, header.before == 0 {
        first = try firstDecoder(member.firstTable, at: offset)
      }
      if header.coefficients.upperBound > 0 {
        others = try othersDecoder(member.othersTable, isProgressive: frame.isProgressive, at: offset)
      }
      owners += [first, others]
      let (down, across) = isInterleaved ? (component.down, component.across) : (1, 1)
      for row in 0..<down {
        for column in 0..<across {
          slots.append(
            .init(
              firstTable: first.view, othersTable: others.view, member: index, component: member.component,
              offset: (row * component.blocksAcross + column) * 64, step: across * 64, block: nowhere))
        }
      }
    }
    guard !isInterleaved || slots.count <= 10 else {
      throw reader.error(.malformed("a scan of \(slots.count) blocks a unit; at most 10 are allowed"), at: offset)
    }
    return (slots, owners)
  }

  private mutating func firstDecoder(_ place: Int, at offset: Int) throws(ImageError) -> JPEGHuffmanDecoder {
    if let decoder = firstDecoders[place] { return decoder }
    guard let table = firstTables[place] ?? JPEGHuffmanTable.standardFirst(place) else {
      throw reader.error(.malformed("no Huffman table \(place) of first coefficients, which a scan needs"), at: offset)
    }
    let decoder = JPEGHuffmanDecoder(table, .first)
    firstDecoders[place] = decoder
    return decoder
  }

  private mutating func othersDecoder(
    _ place: Int, isProgressive: Bool, at offset: Int
  ) throws(ImageError) -> JPEGHuffmanDecoder {
    if let decoder = othersDecoders[place] { return decoder }
    guard let table = othersTables[place] ?? JPEGHuffmanTable.standardOthers(place) else {
      throw reader.error(.malformed("no Huffman table \(place) of other coefficients, which a scan needs"), at: offset)
    }
    let decoder = JPEGHuffmanDecoder(table, isProgressive ? .progressive : .others)
    othersDecoders[place] = decoder
    return decoder
  }
}
