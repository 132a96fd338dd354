import Apus

/// What a file says about its picture before the coefficients come.
struct JPEGFrame {
  let width: Int
  let height: Int
  let isProgressive: Bool
  var components: [JPEGComponent]
  /// The most samples of a component beside and below each other in a unit of the file.
  let widest: Int
  let highest: Int
  /// The units of a file: squares that hold some blocks of each component.
  let unitsAcross: Int
  let unitsDown: Int

  /// Reads a frame header.
  /// - Throws: ``ImageError``, `tooLarge` among others.
  init(_ reader: inout JPEGReader, isProgressive: Bool, limits: ImageLimits) throws(ImageError) {
    let what = "the frame header"
    let start = reader.offset
    let precision = try reader.byte(what)
    let (height, width) = (try reader.word(what), try reader.word(what))
    let count = try reader.byte(what)
    guard precision == 8 else { throw reader.unsupported("a JPEG file of \(precision) bits per sample") }
    guard height > 0 else { throw reader.unsupported("a JPEG file that gives its height after its first scan") }
    do {
      try limits.check(width: width, height: height, format: .jpeg)
    } catch {
      throw reader.error(error.reason, at: start)
    }
    guard [1, 3, 4].contains(count) else { throw reader.unsupported("a JPEG file of \(count) components") }
    var components: [JPEGComponent] = []
    for _ in 0..<count {
      let identifier = try reader.byte(what)
      let sampling = try reader.byte(what)
      let table = try reader.byte(what)
      let (across, down) = (sampling >> 4, sampling & 15)
      guard 1...4 ~= across, 1...4 ~= down else {
        throw reader.malformed("a component with the sampling factors \(across) and \(down); 1 to 4 are allowed")
      }
      guard table < 4 else { throw reader.malformed("quantization table \(table) of a component; 0 to 3 are allowed") }
      guard !components.contains(where: { $0.identifier == identifier }) else {
        throw reader.malformed("two components with the identifier \(identifier)")
      }
      components.append(JPEGComponent(identifier: identifier, across: across, down: down, table: table))
    }
    guard reader.left == 0 else { throw reader.malformed("\(what) is too long") }
    // The factors of a single component say nothing.
    if count == 1 { (components[0].across, components[0].down) = (1, 1) }
    let widest = components.reduce(1) { max($0, $1.across) }
    let highest = components.reduce(1) { max($0, $1.down) }
    unitsAcross = width.dividedRoundingUp(by: 8 * widest)
    unitsDown = height.dividedRoundingUp(by: 8 * highest)
    for index in components.indices {
      let component = components[index]
      components[index].width = (width * component.across).dividedRoundingUp(by: widest)
      components[index].height = (height * component.down).dividedRoundingUp(by: highest)
      components[index].blocksAcross = unitsAcross * component.across
      components[index].blocksDown = unitsDown * component.down
    }
    (self.width, self.height, self.isProgressive) = (width, height, isProgressive)
    (self.components, self.widest, self.highest) = (components, widest, highest)
  }

  /// All blocks, those beyond the edges too.
  var blockCount: Int { components.reduce(0) { $0 + $1.blockCount } }
}

/// One of the channels of a file.
struct JPEGComponent {
  let identifier: Int
  /// Blocks of a unit.
  var across: Int
  var down: Int
  /// The quantization table's place.
  let table: Int
  /// Samples that count.
  var width = 0
  var height = 0
  /// Blocks in whole units.
  var blocksAcross = 0
  var blocksDown = 0
  /// Its quantization steps, in the order of coefficients in memory; those that were in force at its first scan.
  var steps: [Int16]?

  init(identifier: Int, across: Int, down: Int, table: Int) {
    (self.identifier, self.across, self.down, self.table) = (identifier, across, down, table)
  }

  var blockCount: Int { blocksAcross * blocksDown }
}

/// The places of coefficients.
enum JPEGOrder {
  /// Row and column of each coefficient in the order of files, as `8 · row + column`.
  static let natural: [UInt8] = [
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21,
    28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61,
    54, 47, 55, 62, 63,
  ]

  /// Where each coefficient is in memory: the rows 0 and 4 of a block interleaved, and so 2 and 6, 1 and 3, 5 and 7.
  ///
  /// Places behind the last one are that of the last: a run of zeros that leaves the block ends there, whatever the
  /// file says.
  static let memory: [UInt8] = {
    let pairs: [UInt8] = [0, 32, 16, 33, 1, 48, 17, 49]
    let places = natural.map { place in pairs[Int(place >> 3)] + 2 * (place & 7) }
    return places + [UInt8](repeating: 63, count: 64)
  }()
}
