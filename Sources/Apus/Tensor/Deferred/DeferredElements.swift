import ApusBase
import Synchronization

/// The number of elements from which on it pays to put off making them.
package let leastDeferredCount = 1 << 14

/// What makes the elements of a tensor when they are needed, of something that is stored in less room.
package protocol DeferredSource<Scalar>: Sendable {
  associatedtype Scalar: TensorScalar

  /// Writes the elements of `range`, counted in row-major order, from `destination` on. May be called from several threads
  /// at once, for any part in any order.
  func write(_ range: Range<Int>, to destination: UnsafeMutablePointer<Scalar>)

  /// Adds what decides the elements to a key, without making them.
  func identify(_ key: inout PackedKey)
}

/// The elements of a tensor whose memory is not written yet.
///
/// Who looks at the memory has all of them made, once. Who lays them out in another way, or reads a few of them, asks for
/// these alone: weights that are stored in fewer bits are so widened on their way into the layout of the kernels, and never
/// stand anywhere else.
final class DeferredElements: Sendable {
  private let count: Int
  private let stride: Int
  private let writeRange: @Sendable (Range<Int>, UnsafeMutableRawPointer) -> Void
  let source: any DeferredSource
  /// Acquired by who then reads the memory, released by who has written it.
  private let settled = Atomic(false)
  private let turn = Locked(())

  init<Scalar>(_ source: some DeferredSource<Scalar>, count: Int) {
    self.count = count
    self.source = source
    stride = MemoryLayout<Scalar>.stride
    writeRange = { source.write($0, to: $1.assumingMemoryBound(to: Scalar.self)) }
  }

  /// Whether the memory has been written.
  var isSettled: Bool { settled.load(ordering: .acquiring) }

  /// Writes some elements elsewhere.
  func write<Scalar: TensorScalar>(_ range: Range<Int>, to destination: UnsafeMutablePointer<Scalar>) {
    writeRange(range, UnsafeMutableRawPointer(destination))
  }

  /// Writes all elements to `memory`, unless that has happened.
  func settle(_ memory: UnsafeMutableRawPointer) {
    if isSettled { return }
    turn.withLock { _ in
      guard !isSettled else { return }
      nonisolated(unsafe) let memory = memory
      // Not to be broken off: the memory outlives the run that is stopped.
      Execution.withoutStop {
        parallelRanges(count) { start, count in writeRange(start..<(start + count), memory + start * stride) }
      }
      settled.store(true, ordering: .releasing)
    }
  }
}

extension Tensor {
  /// A tensor whose elements `source` makes when they are needed. Its memory is taken now, and written then.
  /// - Throws: ``TensorError`` when memory is short.
  package init(deferring source: some DeferredSource<Scalar>, shape: [Int]) throws {
    let count = try Shape.elementCount(shape)
    let storage = try TensorStorage(
      byteCount: Shape.byteCount([count], of: Scalar.self), deferring: DeferredElements(source, count: count))
    self.init(shape: shape, count: count, storage: storage)
  }

  /// What makes the elements, as long as nobody has looked at them.
  package var deferredSource: (any DeferredSource)? { storage.deferred?.source }
}

extension Tensor {
  /// Writes the elements of `range`, counted in row-major order, to `destination`. Where elements are deferred, no others
  /// are made.
  ///
  /// The tensor is row-major.
  func write(_ range: Range<Int>, to destination: UnsafeMutablePointer<Scalar>) {
    withExtendedLifetime(storage) {
      if let deferred = storage.deferred {
        deferred.write(range, to: destination)
      } else {
        destination.update(from: pointer + range.lowerBound, count: range.count)
      }
    }
  }
}
