import ApusPlatform

/// A place where threads sleep until a condition changes: a POSIX mutex and condition variable that live for ever.
struct WaitingRoom: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init() {
    mutex.initialize(to: pthread_mutex_t())
    condition.initialize(to: pthread_cond_t())
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  /// Sleeps as long as `holds` returns true. The thread that makes it false calls ``notify(_:)`` afterwards.
  func wait(while holds: () -> Bool) {
    pthread_mutex_lock(mutex)
    while holds() { pthread_cond_wait(condition, mutex) }
    pthread_mutex_unlock(mutex)
  }

  /// Wakes `count` sleepers, at least; the others look at their condition and sleep on.
  func notify(_ count: Int) {
    // With the mutex held no thread is between looking at the condition and sleeping.
    pthread_mutex_lock(mutex)
    if count == 1 { pthread_cond_signal(condition) } else { pthread_cond_broadcast(condition) }
    pthread_mutex_unlock(mutex)
  }
}

/// Time that never goes backwards, from an arbitrary start.
package func monotonicNanoseconds() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
}

/// Runs `body` with asynchronous signals blocked, so that a thread started in it inherits that: handlers run on the
/// application's threads. Faults stay deliverable, for the crash reporter.
func withoutSignals<Result>(_ body: () -> Result) -> Result {
  var blocked = sigset_t()
  var previous = sigset_t()
  sigfillset(&blocked)
  for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT] { sigdelset(&blocked, fault) }
  pthread_sigmask(SIG_SETMASK, &blocked, &previous)
  defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
  return body()
}
