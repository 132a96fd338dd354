import ApusPlatform
import Synchronization

/// Runs `body` for every index below `count`, spread over at most as many threads as ``Execution/current`` allows.
///
/// Returns when every call has returned. Calls should take some microseconds each; the order in which they run is
/// undefined. Work is divided where shapes say, never by the number of threads, so results do not depend on it.
///
/// `body` sees the caller's ``Execution/current``, but no other task-local value. Where the threads are taken already —
/// inside another `parallel`, or while another task runs one — the calling thread does everything itself.
///
/// Once the ``StopSign`` of the current execution is raised, indexes that nobody has begun are left out.
package func parallel(_ count: Int, _ body: @Sendable (Int) -> Void) {
  guard count > 0 else { return }
  guard count > 1 else { return body(0) }
  let execution = Execution.current
  if execution.threads > 1, ThreadPool.shared.run(count, under: execution, body) { return }
  let stop = execution.stop
  for index in 0..<count {
    if let stop, stop.check() { return }
    body(index)
  }
}

/// The threads behind ``parallel(_:_:)``.
///
/// One job runs at a time. Its owner opens the door with a number of seats, works itself, shuts the door when no index
/// is left, and waits only for workers that are still inside: one that wakes too late finds the door shut and costs
/// nothing. A worker without work watches the door for some microseconds, so that the operators of a model follow each
/// other without a system call, and then sleeps.
///
/// Each thread begins with a share of its own, neighbouring indexes, the same part of every job, and then helps with
/// those of the others. So what an operator reads was mostly written by the same thread, and few of the counters that
/// hand out indexes are ever wanted by two: where the cores do not share a cache, each such meeting costs 0.2 µs.
///
/// Threads are started when first asked for and live as long as the process. A child made by `fork` has none and runs
/// everything on its calling thread; forking inside a job is not supported.
final class ThreadPool: Sendable {
  static let shared: ThreadPool = {
    let pool = ThreadPool()
    // A child has no workers, and the thread that held the pool may be gone: taken for ever, it runs everything inline.
    // Relaxed: no other thread is there yet.
    _ = pthread_atfork(nil, nil) { ThreadPool.shared.isTaken.store(true, ordering: .relaxed) }
    return pool
  }()

  /// The largest number of threads a job uses, its caller included.
  static let maximumThreads = 256

  private struct Job {
    let body: UnsafePointer<@Sendable (Int) -> Void>
    let count: Int
    let shares: Int
    let execution: Execution
    /// Where the owner ran when it opened the door.
    let core: Int
  }

  /// What the owner of the pool writes before it opens the door, and workers read after they entered.
  private struct Board: @unchecked Sendable {
    let job = UnsafeMutablePointer<Job?>.allocate(capacity: 1)
    let workers = UnsafeMutablePointer<Int>.allocate(capacity: 1)
  }

  private let isTaken = Atomic(false)
  private let board: Board
  private let shares = Shares()
  /// How many workers have begun.
  private let begun = Atomic(0)
  /// Free seats in the low half, workers inside in the upper, and whether the owner sleeps until they have left.
  private let door = Atomic<UInt64>(0)
  private let sleepers = Atomic(0)
  private let bed = WaitingRoom()
  private let exit = WaitingRoom()
  private let patience: UInt64

  private static let freeSeats: UInt64 = 0xFFFF_FFFF
  private static let oneInside: UInt64 = 1 << 32
  private static let ownerSleeps: UInt64 = 1 << 63

  init() {
    board = Board()
    board.job.initialize(to: nil)
    board.workers.initialize(to: 0)
    // On a single core the thread that is waited for cannot run during a spin.
    patience = ProcessorInformation.coreCount > 1 ? 200_000 : 0
  }

  /// Runs a job if the pool is free and can have workers; otherwise returns false without having called `body`.
  func run(_ count: Int, under execution: Execution, _ body: @Sendable (Int) -> Void) -> Bool {
    guard isTaken.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged else { return false }
    defer { isTaken.store(false, ordering: .releasing) }
    let seats = hire(min(execution.threads, count, Self.maximumThreads) - 1)
    guard seats > 0 else { return false }
    withoutActuallyEscaping(body) { body in
      withUnsafePointer(to: body) { pointer in
        let job = Job(
          body: pointer, count: count, shares: seats + 1, execution: execution, core: CorePlacement.currentCore)
        board.job.pointee = job
        shares.divide(count, into: job.shares)
        door.store(UInt64(seats), ordering: .sequentiallyConsistent)
        wake(seats)
        work(job, from: 0)
        door.bitwiseAnd(~Self.freeSeats, ordering: .acquiringAndReleasing)
        waitUntilEmpty()
      }
    }
    return true
  }

  /// Calls the body for one index after another until none is left, those of one share first.
  ///
  /// Not inlined, so that nothing of the closure is held when a worker says that it has left.
  @inline(never)
  private func work(_ job: Job, from own: Int) {
    let (body, stop) = (job.body.pointee, job.execution.stop)
    for step in 0..<job.shares {
      let share = (own + step) % job.shares
      let end = evenPart(share, of: job.shares, in: job.count).upperBound
      while let index = shares.next(share, before: end) {
        if let stop, stop.check() { return }
        body(index)
      }
    }
  }
}

/// The indexes of a job in neighbouring ranges, and how far each has come.
private struct Shares: @unchecked Sendable {
  /// A counter, and room up to the next: two lines of a cache, as processors fetch them in pairs.
  private static let step = 128 / MemoryLayout<Atomic<Int>>.stride
  private let counters = UnsafeMutablePointer<Atomic<Int>>.allocate(capacity: ThreadPool.maximumThreads * step)

  init() {
    for index in 0..<ThreadPool.maximumThreads * Self.step { (counters + index).initialize(to: Atomic(0)) }
  }

  // Relaxed, both: each index is given once, whatever the order. The door orders everything else: opened after the job was
  // written, entered before it is read, left after its results were written, and seen empty before they are read.

  func divide(_ count: Int, into shares: Int) {
    for share in 0..<shares {
      counters[share * Self.step].store(evenPart(share, of: shares, in: count).lowerBound, ordering: .relaxed)
    }
  }

  func next(_ share: Int, before end: Int) -> Int? {
    let index = counters[share * Self.step].wrappingAdd(1, ordering: .relaxed).oldValue
    return index < end ? index : nil
  }
}

// MARK: - The owner's side

extension ThreadPool {
  /// Starts threads until there are `wanted`, and returns how many of them there are.
  private func hire(_ wanted: Int) -> Int {
    while board.workers.pointee < wanted {
      guard startThread() else { break }
      board.workers.pointee += 1
    }
    return min(wanted, board.workers.pointee)
  }

  private func startThread() -> Bool {
    var attributes = pthread_attr_t()
    guard pthread_attr_init(&attributes) == 0 else { return false }
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    // The default is 8 MB with glibc, 512 kB on Darwin and 128 kB with musl; kernels keep tiles on the stack.
    pthread_attr_setstacksize(&attributes, 4 << 20)
    return withoutSignals {
      #if canImport(Darwin)
        var thread: pthread_t?
      #else
        var thread = pthread_t()
      #endif
      // A worker keeps its pool alive, and so for ever.
      let pool = Unmanaged.passRetained(self)
      let serve: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { pool in
        if let pool { Unmanaged<ThreadPool>.fromOpaque(pool).takeUnretainedValue().serve() }
        return nil
      }
      guard pthread_create(&thread, &attributes, serve, pool.toOpaque()) == 0 else {
        pool.release()
        return false
      }
      return true
    }
  }

  /// Wakes as many sleeping workers as there are seats beyond those who are awake anyway.
  private func wake(_ seats: Int) {
    // A worker counts itself as asleep before it looks at the door for the last time, and the door was opened before
    // this count is read: one of the two sees the other.
    let asleep = sleepers.load(ordering: .sequentiallyConsistent)
    let awake = board.workers.pointee - asleep
    let wanted = min(asleep, seats - awake)
    if wanted > 0 { bed.notify(wanted) }
  }

  private func waitUntilEmpty() {
    if watch({ door.load(ordering: .acquiring) == 0 }) { return }
    door.bitwiseOr(Self.ownerSleeps, ordering: .acquiringAndReleasing)
    exit.wait(while: { door.load(ordering: .acquiring) != Self.ownerSleeps })
    // Relaxed: a door without seats tells a worker nothing but to stay outside.
    door.store(0, ordering: .relaxed)
  }
}

// MARK: - The workers' side

extension ThreadPool {
  private func serve() -> Never {
    // Relaxed: a number for each, whatever the order.
    let number = begun.wrappingAdd(1, ordering: .relaxed).oldValue
    var lastMove: UInt64 = 0
    while true {
      while enter() {
        if let job = board.job.pointee {
          if job.core >= 0, job.core == CorePlacement.currentCore {
            let now = monotonicNanoseconds()
            // Where all other cores are taken, moving on and on would not help.
            if now &- lastMove > 1_000_000 {
              CorePlacement.leave(core: job.core)
              lastMove = now
            }
          }
          // The caller has the first share.
          let own = 1 + number % (job.shares - 1)
          Execution.$current.withValue(job.execution) { work(job, from: own) }
        }
        leave()
      }
      if !watch({ isOpen }) { sleep() }
    }
  }

  private var isOpen: Bool { door.load(ordering: .sequentiallyConsistent) & Self.freeSeats != 0 }

  private func enter() -> Bool {
    // Relaxed: a guess. It is the exchange that lets a worker in.
    var seen = door.load(ordering: .relaxed)
    while seen & Self.freeSeats != 0 {
      let (entered, now) = door.weakCompareExchange(
        expected: seen, desired: seen - 1 + Self.oneInside, ordering: .acquiring)
      if entered { return true }
      seen = now
    }
    return false
  }

  private func leave() {
    let left = door.wrappingSubtract(Self.oneInside, ordering: .acquiringAndReleasing).newValue
    // The owner goes to sleep only after shutting the door, so no thread can enter any more.
    if left == Self.ownerSleeps { exit.notify(1) }
  }

  private func sleep() {
    sleepers.wrappingAdd(1, ordering: .sequentiallyConsistent)
    bed.wait(while: { !isOpen })
    // Relaxed: an owner that still counts this worker as asleep wakes one more than it has to.
    sleepers.wrappingSubtract(1, ordering: .relaxed)
  }

  /// Polls `condition` for as long as a sleep and a wake-up would cost. True as soon as it holds.
  private func watch(_ condition: () -> Bool) -> Bool {
    let start = monotonicNanoseconds()
    repeat {
      for _ in 0..<64 where condition() { return true }
      // Swift has no `pause` instruction; the system call also lets another thread have the core.
      sched_yield()
    } while monotonicNanoseconds() &- start < patience
    return condition()
  }
}
