import Synchronization

/// The bytes that contents of files take in memory: files that were copied, and what was decompressed of archives.
///
/// Each may be within the limit, and all of them together not.
final class FileMemory: Sendable {
  static let shared = FileMemory()

  // Relaxed: a count by itself. No memory is read because of what it says.
  private let held = Atomic(0)

  /// The bytes that were taken and not given back.
  var byteCount: Int { held.load(ordering: .relaxed) }

  /// Counts bytes that are about to be allocated.
  /// - Throws: ``FileError/tooLarge(path:byteCount:limit:)``, ``FileError/noRoom(path:byteCount:others:limit:)``.
  func take(_ count: Int, limit: Int, path: String) throws(FileError) {
    guard count >= 0, count <= limit else { throw FileError.tooLarge(path: path, byteCount: count, limit: limit) }
    let others = held.wrappingAdd(count, ordering: .relaxed).oldValue
    guard others <= limit - count else {
      give(count)
      throw FileError.noRoom(path: path, byteCount: count, others: others, limit: limit)
    }
  }

  /// Takes back what ``take(_:limit:path:)`` gave.
  func give(_ count: Int) { held.wrappingSubtract(count, ordering: .relaxed) }
}
