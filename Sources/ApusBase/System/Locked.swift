import ApusPlatform

/// A value behind a POSIX mutex.
///
/// Like the standard library's `Mutex`, whose locking ThreadSanitizer does not see: it reports false races.
package final class Locked<Value>: @unchecked Sendable {
  @usableFromInline
  let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  @usableFromInline
  let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

  @inlinable
  package init(_ value: sending Value) {
    self.value.initialize(to: value)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  @inlinable
  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
    value.deinitialize(count: 1)
    value.deallocate()
  }

  @inlinable @inline(__always)
  package func withLock<Result>(_ body: (inout Value) throws -> sending Result) rethrows -> sending Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value.pointee)
  }
}
