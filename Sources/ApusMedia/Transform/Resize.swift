import Apus
import ApusKernelInterface

extension Image<UInt8> {
  /// The picture, or the part of it in `box`, at another size. With a box, cutting and resizing are one step, and
  /// pixels beside the box have their part in those at its edges, as in Pillow.
  ///
  /// Colours count as much as they are opaque. Integers throughout: equal on every processor.
  /// - Throws: ``ImageError`` for sides that are not positive or too large for the memory, and a box that is empty or
  ///   not inside the picture.
  public func resized(width: Int, height: Int, filter: ResizeFilter, from box: PixelBox? = nil) throws -> Image {
    let box = try checked(box)
    try Self.checkMemory(width: width, height: height, color: color)
    if filter == .nearest { return try picked(width: width, height: height, from: box) }
    if filter == .bilinear, !color.hasAlpha {
      let sampling = try BilinearSampling(self, from: box, width: width, height: height)
      return try Image(width: width, height: height, color: color) { samples in
        guard let base = samples.baseAddress else { return }
        sampling.write(self, to: base, rowStep: width * color.channels)
      }
    }
    let (across, down) = try axes(filter, box, width, height)
    return try ByteResampling(across: across, down: down)(self)
  }
}

extension Image<UInt16> {
  /// The picture, or the part of it in `box`, at another size: like ``Image<UInt8>``'s, computed in `Float`.
  /// - Throws: ``ImageError``.
  public func resized(width: Int, height: Int, filter: ResizeFilter, from box: PixelBox? = nil) throws -> Image {
    let box = try checked(box)
    try Self.checkMemory(width: width, height: height, color: color)
    if filter == .nearest { return try picked(width: width, height: height, from: box) }
    let (across, down) = try axes(filter, box, width, height)
    let wide = try Image<Float>(
      width: self.width, height: self.height, color: color, samples: samples.map { Float($0) })
    let result = try FloatResampling(across: across, down: down)(wide, full: 65_535)
    return try Image(
      width: width, height: height, color: color,
      samples: result.samples.map { UInt16(max(0, min(65_535, $0.rounded(.toNearestOrAwayFromZero)))) })
  }
}

extension Image<Float> {
  /// The picture, or the part of it in `box`, at another size: like ``Image<UInt8>``'s. Filters with negative weights
  /// may give less than 0 and more than 1.
  /// - Throws: ``ImageError``.
  public func resized(width: Int, height: Int, filter: ResizeFilter, from box: PixelBox? = nil) throws -> Image {
    let box = try checked(box)
    try Self.checkMemory(width: width, height: height, color: color)
    if filter == .nearest { return try picked(width: width, height: height, from: box) }
    let (across, down) = try axes(filter, box, width, height)
    return try FloatResampling(across: across, down: down)(self, full: 1)
  }
}

extension Image {
  private func axes(
    _ filter: ResizeFilter, _ box: PixelBox, _ width: Int, _ height: Int
  ) throws(ImageError) -> (across: ResamplingAxis, down: ResamplingAxis) {
    (
      try ResamplingAxis(filter, from: box.x0, to: box.x1, count: width, limit: self.width),
      try ResamplingAxis(filter, from: box.y0, to: box.y1, count: height, limit: self.height)
    )
  }

  /// The pixels at the centres.
  private func picked(width: Int, height: Int, from box: PixelBox) throws -> Image {
    // Added up step by step as in Pillow, whose rounding decides where a centre is on an edge.
    func places(_ low: Double, _ high: Double, _ count: Int, _ limit: Int) -> [Int] {
      let step = (high - low) / Double(count)
      var position = low + step * 0.5
      return (0..<count).map { _ in
        defer { position += step }
        return min(Int(position), limit - 1)
      }
    }
    return try picked(
      rows: places(box.y0, box.y1, height, self.height), columns: places(box.x0, box.x1, width, self.width))
  }

  /// The pixels at these rows and columns, all of them inside.
  func picked(rows: [Int], columns: [Int]) throws -> Image {
    let kernels = Execution.current.pixelKernels
    let pixelSize = color.channels * MemoryLayout<Sample>.stride
    let (rowCount, outputCount) = (rowCount, columns.count * color.channels)
    return try Image(width: columns.count, height: rows.count, color: color) { buffer in
      nonisolated(unsafe) let y = buffer
      parallelRows(rows.count, width: outputCount) { first, count in
        samples.withUnsafeBufferPointer { x in
          columns.withUnsafeBufferPointer { columns in
            guard let x = x.baseAddress, let y = y.baseAddress else { return }
            for row in first..<first + count {
              kernels.pickColumns(
                x + rows[row] * rowCount, pixelSize: pixelSize, columns: columns, y + row * outputCount)
            }
          }
        }
      }
    }
  }

  /// The box, or all of the picture.
  /// - Throws: ``ImageError`` for one that is empty or not inside.
  func checked(_ box: PixelBox?) throws(ImageError) -> PixelBox {
    guard let box else { return PixelBox(width: width, height: height) }
    guard box.x0 >= 0, box.y0 >= 0, box.x0 < box.x1, box.y0 < box.y1, box.x1 <= Double(width), box.y1 <= Double(height)
    else {
      throw ImageError(
        .invalidArgument(
          "the box from (\(box.x0), \(box.y0)) to (\(box.x1), \(box.y1)) of a picture of \(width) × \(height) pixels"))
    }
    return box
  }
}
