import ApusBase

/// Weights that were laid out for the kernels, kept in a file from one process to the next.
///
/// While one is current, what is laid out to be kept is looked for in its file, and what was not there is remembered for
/// ``save()``. The file is mapped, and what is found in it is used where it lies. Kernels do not check what they read, but
/// read nothing but numbers of packed weights: a block of the size that the layer asks for is safe whatever is in it, and
/// whether it is what was written its checksum says.
package final class PackedCache: Sendable {
  /// That of the session that is being prepared.
  @TaskLocal package static var current: PackedCache?

  /// Smaller blocks are not kept: laying them out takes no longer than looking for them.
  static let leastByteCount = 1024

  /// How often what was asked for was found.
  package struct Use: Sendable, Equatable {
    package var found = 0
    package var made = 0
  }

  /// Where the file is, or will be.
  package let path: String
  private let label: UInt64
  private let file: BlockFile?
  private let state = Locked(State())

  private typealias Made = (key: BlockFile.Key, storage: TensorStorage)

  private struct State {
    /// What was not in the file, in the order in which it was laid out.
    var made: [Made] = []
    /// Where in ``made`` something is.
    var places: [BlockFile.Key: Int] = [:]
    var found: Set<BlockFile.Key> = []
    var use = Use()
    /// How much of ``made`` was saved, or was to be.
    var savedCount = 0
    var failure: String?
  }

  /// - Parameters:
  ///   - path: the file. What is there and cannot be used is as good as not there.
  ///   - label: what it is for; files of another label are not used.
  package init(path: String, label: UInt64) {
    (self.path, self.label) = (path, label)
    file = try? BlockFile(path: path, label: label)
  }

  package var use: Use { state.withLock { $0.use } }

  /// Why the file could not be written; nil where it could, or was not to be.
  package var failure: String? { state.withLock { $0.failure } }

  /// - Throws: ``FileError/shrank(path:)`` when the file became shorter while it was mapped.
  package func checkIsWhole() throws(FileError) { try file?.file.checkIsWhole() }

  /// Memory of `byteCount` bytes that holds what `make` gives, or gave before.
  func storage(_ key: PackedKey, byteCount: Int, make: () throws -> TensorStorage) rethrows -> TensorStorage {
    let key = key.block
    if let file, let bytes = file.block(key, byteCount: byteCount), let base = bytes.baseAddress {
      state.withLock { state in
        state.use.found += 1
        state.found.insert(key)
      }
      return TensorStorage(borrowing: base, byteCount: byteCount, owner: file.file)
    }
    let known = state.withLock { state in state.places[key].map { state.made[$0].storage } }
    if let known, known.byteCount == byteCount { return known }
    let storage = try make()
    state.withLock { state in
      state.use.made += 1
      guard state.places[key] == nil else { return }
      state.places[key] = state.made.count
      state.made.append((key, storage))
    }
    return storage
  }
}

// MARK: - Saving

extension PackedCache {
  private typealias Block = (key: BlockFile.Key, bytes: UnsafeRawBufferPointer)

  /// Writes what was made since, with what there was before, unless there is nothing new. What cannot be written is said by
  /// ``failure``, and not tried again.
  package func save() {
    let (made, found) = state.withLock { state -> ([Made], Set<BlockFile.Key>) in
      guard state.savedCount < state.made.count else { return ([], []) }
      state.savedCount = state.made.count
      return (state.made, state.found)
    }
    guard !made.isEmpty else { return }
    do {
      try withExtendedLifetime((made, file)) {
        let own = made.map { ($0.key, UnsafeRawBufferPointer(start: $0.storage.base, count: $0.storage.byteCount)) }
        try makeFolder(at: parentFolder(of: path))
        try BlockFile.write(former(found, beside: own) + own, label: label, to: path)
      }
    } catch BlockFile.Refusal.foreign {
      fail("\(path): is something else, which is not written over")
    } catch {
      fail("\(error)")
    }
  }

  private func fail(_ text: String) { state.withLock { $0.failure = text } }

  /// What stays of the file that there was.
  ///
  /// Of what was not asked for there stays no more than of the rest: what is laid out for inputs of other sizes is kept, but
  /// not for ever what belongs to weights that are gone.
  private func former(_ found: Set<BlockFile.Key>, beside own: [Block]) -> [Block] {
    guard let file else { return [] }
    let replaced = Set(own.map(\.key))
    let blocks = file.keys.filter { !replaced.contains($0) }.compactMap { key -> Block? in
      file.block(key).map { (key, $0) }
    }
    func byteCount(_ blocks: [Block]) -> Int { blocks.reduce(0) { $0 + $1.bytes.count } }
    let used = blocks.filter { found.contains($0.key) }
    return byteCount(blocks) - byteCount(used) <= byteCount(used) + byteCount(own) ? blocks : used
  }
}
