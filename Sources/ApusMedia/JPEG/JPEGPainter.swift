import Apus
import ApusKernelInterface

/// What the channels of a file are.
enum JPEGColor {
  case gray, rgb, ycc
  /// Four inks; the numbers say how much light is left.
  case cmyk
  /// The same, the first three as luminance and differences of colour, and upside down.
  case ycck

  var model: ColorModel { self == .gray ? .gray : .rgb }
}

/// Turns coefficients into pixels, some rows of units at a time, while the next ones are being read.
///
/// Three things happen at once, each a group of rows behind the one before: coefficients are read, blocks are
/// transformed, and pixels are coloured. So all data are in a cache still when they are needed next, and several
/// threads have something to do though a file can only be read from its beginning.
final class JPEGPainter: @unchecked Sendable {
  private let frame: JPEGFrame
  private let color: JPEGColor
  private let kernels: any JPEGKernels.Type
  private let output: UnsafeMutablePointer<UInt8>
  /// Rows of units in a group.
  private let groupRows: Int
  private let planes: [JPEGPlane]
  private let steps: UnsafeMutablePointer<Int16>
  /// Rows of the picture that wait for the next group, since they need samples of it.
  private let delay: Int
  private let scratch: UnsafeMutablePointer<UInt8>
  private let scratchStride: Int

  /// Coefficients of a group are at most so many bytes, unless one row of units has more.
  private static let groupBytes = 96 << 10

  /// - Parameter output: Room for all pixels.
  init(_ frame: JPEGFrame, _ color: JPEGColor, _ output: UnsafeMutablePointer<UInt8>) {
    (self.frame, self.color, self.output) = (frame, color, output)
    LargePages.advise(
      UnsafeMutableRawPointer(output), byteCount: frame.width * frame.height * color.model.channels,
      ifAtLeast: LargePages.surelyInside)
    kernels = Execution.current.pixelKernels
    let rowBytes = frame.blockCount / frame.unitsDown * 128
    groupRows = max(1, min(frame.unitsDown, Self.groupBytes / rowBytes))
    let groupRows = groupRows
    planes = frame.components.map { JPEGPlane($0, frame, rowCount: 3 * groupRows * $0.down * 8) }
    delay = planes.contains(where: \.needsNeighbours) ? frame.highest : 0
    steps = .allocate(capacity: 64 * frame.components.count)
    for (index, component) in frame.components.enumerated() {
      for place in 0..<64 { steps[64 * index + place] = component.steps?[place] ?? 1 }
    }
    scratchStride = frame.unitsAcross * frame.widest * 8 + 2 * jpegMargin
    scratch = .allocate(capacity: scratchStride * 4 * groupRows)
    scratch.initialize(repeating: 0, count: scratchStride * 4 * groupRows)
  }

  deinit {
    for plane in planes { plane.deallocate() }
    steps.deallocate()
    scratch.deallocate()
  }

  private var groupCount: Int { frame.unitsDown.dividedRoundingUp(by: groupRows) }
  private func rows(ofGroup group: Int) -> Range<Int> {
    group * groupRows..<min((group + 1) * groupRows, frame.unitsDown)
  }

  /// Paints coefficients that are all there.
  func paint(_ coefficients: JPEGCoefficients) {
    for step in 0..<groupCount + 1 {
      let tasks = Tasks(self, transformed: step, colored: step - 1, isWhole: true)
      parallel(tasks.count) { index in self.perform(tasks, index, coefficients) }
    }
  }

  /// Reads all coefficients of a file that has but one scan, and paints them.
  /// - Returns: whether the coefficients are sound.
  func paint(_ scan: inout JPEGEntropyDecoder, _ slots: [JPEGEntropyDecoder.Slot]) throws(ImageError) -> Bool {
    let memory = (
      try JPEGCoefficients(frame, unitRows: groupRows), try JPEGCoefficients(frame, unitRows: groupRows)
    )
    return withUnsafeMutablePointer(to: &scan) { scan in
      let reading = Reading(scan: scan, slots: slots)
      for step in 0..<groupCount + 2 {
        let tasks = Tasks(self, transformed: step - 1, colored: step - 2, isWhole: false)
        let (written, read) = step & 1 == 0 ? memory : (memory.1, memory.0)
        parallel(tasks.count + 1) { index in
          if index > 0 { return self.perform(tasks, index - 1, read) }
          guard step < self.groupCount else { return }
          reading.read(self.rows(ofGroup: step).count, self.frame, written)
        }
        if scan.pointee.failure != nil { return false }
      }
      return true
    }
  }

  /// The reader's part, which one thread at a time does.
  private struct Reading: @unchecked Sendable {
    let scan: UnsafeMutablePointer<JPEGEntropyDecoder>
    let slots: [JPEGEntropyDecoder.Slot]

    func read(_ rows: Int, _ frame: JPEGFrame, _ coefficients: JPEGCoefficients) {
      var slots = slots
      slots.withUnsafeMutableBufferPointer { slots in
        for row in 0..<rows {
          coefficients.place(slots, row: row)
          guard scan.pointee.decode(units: frame.unitsAcross, slots) else { return }
        }
      }
    }
  }

  /// What is left to do with two groups; one that does not exist has no rows.
  private struct Tasks {
    let transformed: Range<Int>
    let colored: Range<Int>
    let isLast: Bool
    let components: Int
    /// Whether coefficients of the whole picture are there.
    let isWhole: Bool

    init(_ painter: JPEGPainter, transformed: Int, colored: Int, isWhole: Bool) {
      self.isWhole = isWhole
      let groups = 0..<painter.groupCount
      self.transformed = groups.contains(transformed) ? painter.rows(ofGroup: transformed) : 0..<0
      self.colored = groups.contains(colored) ? painter.rows(ofGroup: colored) : 0..<0
      isLast = colored == painter.groupCount - 1
      components = painter.planes.count
    }

    var count: Int { transformed.count * components + colored.count }
  }

  private func perform(_ tasks: Tasks, _ index: Int, _ coefficients: JPEGCoefficients) {
    let transforms = tasks.transformed.count * tasks.components
    guard index < transforms else {
      return color(unitRow: tasks.colored.lowerBound + index - transforms, tasks)
    }
    let (row, component) = (index / tasks.components, index % tasks.components)
    let unitRow = tasks.transformed.lowerBound + row
    let plane = planes[component]
    let down = plane.component.down
    plane.transform(
      coefficients.row(tasks.isWhole ? unitRow : row, component), steps: steps + 64 * component,
      blockRows: unitRow * down..<(unitRow + 1) * down, kernels)
  }

  private func color(unitRow: Int, _ tasks: Tasks) {
    let height = frame.highest * 8
    let start = max(0, unitRow * height - delay)
    let isEnd = tasks.isLast && unitRow == tasks.colored.upperBound - 1
    let end = isEnd ? frame.height : min(frame.height, (unitRow + 1) * height - delay)
    let lines = scratch + (unitRow - tasks.colored.lowerBound) * 4 * scratchStride
    for y in start..<max(start, end) { color(y, lines) }
  }

  private func color(_ y: Int, _ lines: UnsafeMutablePointer<UInt8>) {
    func samples(_ index: Int) -> UnsafePointer<UInt8> {
      planes[index].samples(y, frame, scratch: lines + index * scratchStride, kernels)
    }
    let width = frame.width
    let pixels = output + y * width * color.model.channels
    switch color {
    case .gray: pixels.update(from: samples(0), count: width)
    case .rgb: kernels.interleave(samples(0), samples(1), samples(2), pixels, count: width)
    case .ycc: kernels.rgbFromYCC(samples(0), samples(1), samples(2), pixels, count: width)
    case .cmyk:
      kernels.interleave(samples(0), samples(1), samples(2), pixels, count: width)
      kernels.darken(pixels, samples(3), count: width)
    case .ycck:
      kernels.rgbFromYCC(samples(0), samples(1), samples(2), pixels, count: width)
      kernels.invert(pixels, count: 3 * width)
      kernels.darken(pixels, samples(3), count: width)
    }
  }
}
