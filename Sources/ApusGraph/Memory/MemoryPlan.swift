import Apus

/// Places for the outputs of a plan's steps in one block of memory, for inputs of certain shapes.
///
/// Tensors that are alive at the same time lie side by side, others over each other. Places are given to the largest
/// first, each the lowest that fits ("greedy by size", Pisarchyk and Lee, 2020).
struct MemoryPlan: Sendable {
  /// The places of all outputs, in the order of the steps.
  let places: [MemoryArena.Place]
  /// Where in ``places`` those of a step end.
  private let ends: [Int]
  /// The size of the block.
  let byteCount: Int
  /// The bytes of all tensors that have a place, each counted by itself.
  let tensorByteCount: Int
  let tensorCount: Int
  /// What is certain to be asked for by itself, whatever is shared.
  let largest: LargestOutput?

  /// More tensors than that are not placed: the time to find places grows with their square.
  private static let tensorLimit = 4096

  init(_ buffers: [PlannedBuffer], stepCount: Int, largest: LargestOutput? = nil) {
    let wanted = buffers.filter { $0.isPlaceable }
    let order = wanted.indices.sorted {
      (wanted[$1].byteCount, wanted[$0].firstStep, $0) < (wanted[$0].byteCount, wanted[$1].firstStep, $1)
    }
    var places = [[MemoryArena.Place]](repeating: [], count: stepCount)
    // By offset.
    var placed: [(offset: Int, buffer: PlannedBuffer)] = []
    var (size, total) = (0, 0)
    for index in order.prefix(Self.tensorLimit) {
      let buffer = wanted[index]
      var offset = 0
      for other in placed where other.buffer.isAlive(with: buffer) {
        if other.offset - offset >= buffer.roundedByteCount { break }
        offset = max(offset, other.offset + other.buffer.roundedByteCount)
      }
      placed.insert((offset, buffer), at: placed.firstIndex { $0.offset > offset } ?? placed.count)
      places[buffer.firstStep] += buffer.sizes.map { MemoryArena.Place(offset: offset, byteCount: $0) }
      size = max(size, offset + buffer.roundedByteCount)
      total += buffer.byteCount
    }
    self.places = places.flatMap { $0 }
    ends = places.reduce(into: []) { $0.append(($0.last ?? 0) + $1.count) }
    self.largest = largest
    byteCount = size
    tensorByteCount = total
    tensorCount = placed.count
  }

  /// Which of ``places`` belong to a step.
  func places(of step: Int) -> Range<Int> { (step == 0 ? 0 : ends[step - 1])..<ends[step] }
}

/// Memory that a step takes and that is needed until the last step that reads what lies in it.
struct PlannedBuffer: Sendable {
  /// The sizes in bytes that it may turn out to have.
  let sizes: [Int]
  let firstStep: Int
  /// ``forever`` for what outlives the run.
  var lastStep: Int

  static let forever = Int.max

  /// What is smaller the pool gives just as fast.
  private static let smallest = 4096
  /// Sums of so many bytes never overflow.
  private static let largest = 1 << 44

  var byteCount: Int { sizes.max() ?? 0 }

  /// ``byteCount`` in whole cache lines.
  var roundedByteCount: Int {
    (byteCount + MemoryArena.alignment - 1) / MemoryArena.alignment * MemoryArena.alignment
  }

  var isPlaceable: Bool { lastStep != Self.forever && byteCount >= Self.smallest && byteCount <= Self.largest }

  func isAlive(with other: PlannedBuffer) -> Bool { firstStep <= other.lastStep && other.firstStep <= lastStep }
}
