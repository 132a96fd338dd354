import Apus
import ApusPlatform

/// Memory for the coefficients of some rows of units, or of the whole picture.
final class JPEGCoefficients: @unchecked Sendable {
  private let memory: UnsafeMutablePointer<Int16>
  /// Where each component begins, and how many coefficients it has in a row of units.
  private let starts: [Int]
  private let rowCounts: [Int]

  /// Those of some rows of units, or of all of them; all zero.
  /// - Throws: ``ImageError`` when there is no memory for them.
  init(_ frame: JPEGFrame, unitRows: Int) throws(ImageError) {
    (starts, rowCounts) = Self.layout(frame, unitRows: unitRows)
    // Memory that the system hands out is zero, and takes no room before it is written.
    guard let memory = calloc(rowCounts.reduce(0, +) * unitRows, 2) else {
      throw ImageError(
        .unsupported("\(frame.width) × \(frame.height) pixels, for whose coefficients there is no memory,"),
        format: .jpeg)
    }
    LargePages.advise(
      memory, byteCount: rowCounts.reduce(0, +) * unitRows * 2, ifAtLeast: LargePages.surelyInside)
    self.memory = memory.assumingMemoryBound(to: Int16.self)
  }

  deinit { free(memory) }

  private static func layout(_ frame: JPEGFrame, unitRows: Int) -> (starts: [Int], rowCounts: [Int]) {
    var (starts, rowCounts) = ([Int](), [Int]())
    var count = 0
    for component in frame.components {
      starts.append(count)
      rowCounts.append(component.blocksAcross * component.down * 64)
      count += component.blocksAcross * component.down * 64 * unitRows
    }
    return (starts, rowCounts)
  }

  /// A component's coefficients in a row of units.
  func row(_ row: Int, _ component: Int) -> UnsafeMutablePointer<Int16> {
    memory + starts[component] + row * rowCounts[component]
  }

  /// Has the slots of a scan of all components begin with the first unit of a row.
  func place(_ slots: UnsafeMutableBufferPointer<JPEGEntropyDecoder.Slot>, row: Int) {
    for index in 0..<slots.count {
      let start = self.row(row, slots[index].component)
      slots[index].block = start + slots[index].offset
    }
  }
}
