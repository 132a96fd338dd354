import Apus
import ApusKernelInterface

/// Some rows of a component's samples, those that are needed at a time.
struct JPEGPlane {
  /// How samples become as many as the picture has.
  enum Upsampling {
    case none
    /// Three parts of the nearest sample and one of the next one, beside each other.
    case columns
    /// The same below each other.
    case rows
    case both
    /// The sample that covers the pixel.
    case repeating
  }

  /// The first sample of the first row.
  let base: UnsafeMutablePointer<UInt8>
  /// Bytes from row to row, with room for ``jpegMargin`` on both sides.
  let stride: Int
  /// Rows that there is memory for; row `r` is where `r` modulo this is.
  let rowCount: Int
  /// Samples that count.
  let width: Int
  let height: Int
  let upsampling: Upsampling
  let component: JPEGComponent

  /// - Parameter rowCount: Whole blocks of rows.
  init(_ component: JPEGComponent, _ frame: JPEGFrame, rowCount: Int) {
    let samples = (component.blocksAcross * 8).roundedUp(toMultipleOf: jpegMargin) + 2 * jpegMargin
    // Rows a page apart would all want the same places of the cache.
    stride = samples % 4096 == 0 ? samples + jpegMargin : samples
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: stride * rowCount)
    memory.initialize(repeating: 0, count: stride * rowCount)
    base = memory + jpegMargin
    self.rowCount = rowCount
    (width, height, self.component) = (component.width, component.height, component)
    // Very narrow pictures are not interpolated by any decoder.
    let isWide = component.width > 2
    upsampling =
      switch (frame.widest, component.across, frame.highest, component.down) {
      case let (a, b, c, d) where a == b && c == d: .none
      case let (a, b, c, d) where a == 2 * b && c == d: isWide ? .columns : .repeating
      case let (a, b, c, d) where a == b && c == 2 * d: .rows
      case let (a, b, c, d) where a == 2 * b && c == 2 * d: isWide ? .both : .repeating
      default: .repeating
      }
  }

  func deallocate() { (base - jpegMargin).deallocate() }

  /// Whether a row of the picture may need the row before and behind it.
  var needsNeighbours: Bool { upsampling == .rows || upsampling == .both }

  /// A row of samples; the first or last one for one outside.
  func row(_ index: Int) -> UnsafeMutablePointer<UInt8> {
    base + (max(0, min(height - 1, index)) % rowCount) * stride
  }

  /// The samples for a row of the picture, in `scratch` unless they are there already.
  func samples(
    _ y: Int, _ frame: JPEGFrame, scratch: UnsafeMutablePointer<UInt8>, _ kernels: any JPEGKernels.Type
  ) -> UnsafePointer<UInt8> {
    switch upsampling {
    case .none: return UnsafePointer(row(y))
    case .columns:
      kernels.upsampleColumns(row(y), scratch, count: width)
    case .rows:
      kernels.upsampleRows(
        near: row(y / 2), far: row(y / 2 + (y & 1 == 0 ? -1 : 1)), scratch, count: width, rounding: 1 + y & 1)
    case .both:
      kernels.upsampleColumns(near: row(y / 2), far: row(y / 2 + (y & 1 == 0 ? -1 : 1)), scratch, count: width)
    case .repeating:
      kernels.repeatColumns(
        row(y * component.down / frame.highest), scratch, count: frame.width, numerator: component.across,
        denominator: frame.widest)
    }
    return UnsafePointer(scratch)
  }

  /// Puts samples of blocks into the plane, `blocks` rows of blocks from row `start` of them on.
  func transform(
    _ coefficients: UnsafePointer<Int16>, steps: UnsafePointer<Int16>, blockRows: Range<Int>,
    _ kernels: any JPEGKernels.Type
  ) {
    let blocks = width.dividedRoundingUp(by: 8)
    for blockRow in blockRows where blockRow * 8 < height {
      let first = base + (blockRow * 8 % rowCount) * stride
      kernels.inverseDCT(
        coefficients + (blockRow - blockRows.lowerBound) * component.blocksAcross * 64, quantization: steps,
        blocks: blocks, first, stride: stride)
      guard upsampling == .columns || upsampling == .both else { continue }
      for line in 0..<8 {
        let row = first + line * stride
        row[-1] = row[0]
        row[width] = row[width - 1]
      }
    }
  }
}
