/// A file while it is read.
struct JPEGFile {
  var reader: JPEGReader
  let limits: ImageLimits
  var orientation = ImageOrientation.upright

  var frame: JPEGFrame?
  /// Quantization steps in the order of coefficients in memory.
  var steps = [[Int16]?](repeating: nil, count: 4)
  var firstTables = [JPEGHuffmanTable?](repeating: nil, count: 4)
  var othersTables = [JPEGHuffmanTable?](repeating: nil, count: 4)
  var firstDecoders = [JPEGHuffmanDecoder?](repeating: nil, count: 4)
  var othersDecoders = [JPEGHuffmanDecoder?](repeating: nil, count: 4)
  var restartInterval = 0
  var isJFIF = false
  /// What an Adobe marker says about colours.
  var transform: Int?
  /// The coefficients of a file of several scans.
  var coefficients: JPEGCoefficients?
  /// Coefficients that scans may visit still.
  var visitsLeft = 0
  /// For each component and coefficient the bits that are to come, or 16 where nothing came yet.
  var missingBits: [[Int]] = []
  let copy: UnsafeMutablePointer<UInt8>

  init(_ bytes: UnsafeRawBufferPointer, limits: ImageLimits) {
    reader = JPEGReader(bytes)
    self.limits = limits
    copy = .allocate(capacity: bytes.count + JPEGBits.slack)
  }

  func deallocate() { copy.deallocate() }

  mutating func read() throws(ImageError) -> Image<UInt8> {
    guard reader.left >= 2 else { throw reader.error(.truncated("the marker of a JPEG file"), at: reader.left) }
    guard reader.bytes[0] == 0xFF, reader.bytes[1] == 0xD8 else {
      throw reader.error(.malformed("no JPEG file: it does not begin with the bytes FF D8"), at: 0)
    }
    reader.offset = 2
    while let marker = reader.marker() {
      switch marker {
      case 0xC0, 0xC1, 0xC2: try readFrame(isProgressive: marker == 0xC2)
      case 0xC4: try readHuffmanTables()
      case 0xDB: try readQuantizationTables()
      case 0xDD:
        var segment = try reader.segment("the restart interval")
        restartInterval = try segment.word("the restart interval")
      case 0xDA: if let image = try readScan() { return image }
      case 0xD9: return try finish(hasEnd: true)
      case 0xE0...0xEF: try readApplicationData(marker)
      // Markers without a segment.
      case 0x01, 0xD0...0xD7, 0xD8: break
      case 0xDC: throw reader.unsupported("a JPEG file that gives its height after its first scan")
      case 0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF: throw reader.unsupported(Self.processName(marker))
      default: _ = try reader.segment("a segment")
      }
    }
    return try finish(hasEnd: false)
  }

  private static func processName(_ marker: UInt8) -> String {
    switch marker {
    case 0xC3: "a lossless JPEG file"
    case 0xC5...0xC7: "a hierarchical JPEG file"
    default: "a JPEG file with arithmetic coding"
    }
  }

  private mutating func readFrame(isProgressive: Bool) throws(ImageError) {
    var segment = try reader.segment("the frame header")
    guard frame == nil else { throw segment.malformed("a second frame header") }
    let frame = try JPEGFrame(&segment, isProgressive: isProgressive, limits: limits)
    visitsLeft = frame.blockCount * 1024
    missingBits = [[Int]](repeating: [Int](repeating: 16, count: 64), count: frame.components.count)
    self.frame = frame
  }

  private mutating func readQuantizationTables() throws(ImageError) {
    let what = "a quantization table"
    var segment = try reader.segment(what)
    while segment.left > 0 {
      let head = try segment.byte(what)
      let (precision, place) = (head >> 4, head & 15)
      guard precision < 2, place < 4 else {
        throw segment.malformed("\(what) of precision \(precision) at place \(place); at most 1 and 3 are allowed")
      }
      var table = [Int16](repeating: 0, count: 64)
      for index in 0..<64 {
        let step = precision == 0 ? try segment.byte(what) : try segment.word(what)
        table[Int(JPEGOrder.memory[index])] = Int16(truncatingIfNeeded: step)
      }
      steps[place] = table
    }
  }

  private mutating func readHuffmanTables() throws(ImageError) {
    let what = "a Huffman table"
    var segment = try reader.segment(what)
    while segment.left > 0 {
      let head = try segment.byte(what)
      let (kind, place) = (head >> 4, head & 15)
      guard kind < 2, place < 4 else {
        throw segment.malformed("\(what) of class \(kind) at place \(place); at most 1 and 3 are allowed")
      }
      let table = try JPEGHuffmanTable(&segment)
      if kind == 0 {
        (firstTables[place], firstDecoders[place]) = (table, nil)
      } else {
        (othersTables[place], othersDecoders[place]) = (table, nil)
      }
    }
  }

  private mutating func readApplicationData(_ marker: UInt8) throws(ImageError) {
    var segment = try reader.segment("application data")
    switch marker {
    case 0xE0 where segment.left >= 14 && segment.starts(with: "JFIF\0"):
      isJFIF = true
    case 0xE1 where segment.starts(with: "Exif\0\0") && orientation == .upright:
      let data = UnsafeRawBufferPointer(rebasing: segment.bytes[segment.offset + 6..<segment.end])
      orientation = ImageOrientation(exif: data)
    case 0xEE where segment.left >= 12 && segment.starts(with: "Adobe"):
      segment.offset += 11
      transform = try segment.byte("application data")
    default: break
    }
  }
}
