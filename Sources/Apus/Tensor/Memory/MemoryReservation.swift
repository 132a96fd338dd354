import Synchronization

/// Bytes that count as a tensor's do, for memory that is none: lists that an operator works with, and texts.
///
/// Reserved before the memory is taken, and given back when nobody holds the reservation any more.
package final class MemoryReservation: Sendable {
  private let account: MemoryAccount?
  // Relaxed: a count by itself. No memory is read because of what it says.
  private let bytes = Atomic(0)

  /// None yet; what ``grow(by:)`` adds counts for the current task.
  package init() { account = TaskMemory.current.account }

  /// Room for the elements of a tensor of this shape.
  /// - Throws: ``TensorError/memory(bytes:limit:shape:)``, ``TensorError/growth(bytes:limit:shape:)``.
  package convenience init<Element>(_ shape: [Int], of: Element.Type, operation: @autoclosure () -> String) throws {
    self.init()
    do {
      try grow(by: Shape.byteCount(shape, of: Element.self, operation: operation()))
    } catch let error as TensorError {
      throw error.asking(for: shape)
    }
  }

  deinit { giveBack(bytes.load(ordering: .relaxed)) }

  /// Adds bytes.
  /// - Throws: as ``init(_:of:operation:)`` does; nothing is added then.
  package func grow(by byteCount: Int) throws {
    try account?.take(byteCount)
    do {
      try BufferPool.shared.reserve(byteCount: byteCount)
    } catch {
      account?.give(byteCount)
      throw error
    }
    bytes.wrappingAdd(byteCount, ordering: .relaxed)
  }

  /// Gives back bytes that ``grow(by:)`` added.
  package func shrink(by byteCount: Int) {
    bytes.wrappingSubtract(byteCount, ordering: .relaxed)
    giveBack(byteCount)
  }

  private func giveBack(_ byteCount: Int) {
    account?.give(byteCount)
    BufferPool.shared.endReservation(byteCount: byteCount)
  }
}

/// A list of unknown length whose memory counts as a tensor's does.
package struct CountedList<Element> {
  /// What was appended.
  package private(set) var elements: [Element] = []
  private var room = 0
  private let memory = MemoryReservation()

  package init() {}

  /// Adds one at the end.
  /// - Throws: ``TensorError/memory(bytes:limit:shape:)``, ``TensorError/growth(bytes:limit:shape:)``.
  package mutating func append(_ element: Element) throws {
    if elements.count == room { try grow() }
    elements.append(element)
  }

  private mutating func grow() throws {
    let (former, size) = (room, MemoryLayout<Element>.stride)
    // Both are there while one is copied.
    try memory.grow(by: max(64, 2 * room) * size)
    room = max(64, 2 * room)
    elements.reserveCapacity(room)
    memory.shrink(by: former * size)
  }
}
