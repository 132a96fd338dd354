import ApusPlatform
import Synchronization

/// Files that become shorter while they are mapped: noticed, where they would end the process.
///
/// A page that a mapped file no longer has raises `SIGBUS`. Once this watches, what is missing is replaced by zeros and the
/// file is remembered: whoever computes with it throws ``FileError/shrank(path:)`` when it is done, since what it has
/// computed is void. A fault at any other address goes to whoever handled `SIGBUS` before.
///
/// A handler of signals belongs to the process, so the library installs none by itself; the command does.
public enum ShrinkingFiles {
  /// Watches over files that are mapped from now on. Further calls do nothing.
  ///
  /// Somebody who installs a handler of `SIGBUS` later must hand on to this one what is not his.
  public static func watch() { MappedRanges.watch() }

  /// - Throws: ``FileError/shrank(path:)`` for a file that is still mapped and has become shorter.
  package static func check() throws(FileError) {
    if let path = MappedRanges.firstShort { throw FileError.shrank(path: path) }
  }
}

/// Where files are mapped.
///
/// The handler of a signal reads this: it may meet a thread anywhere, and so takes no lock, allocates nothing and counts
/// no references. Ranges are entered and taken out by threads that hold the lock.
enum MappedRanges {
  /// As many files can be watched at one time; what is more is read instead of mapped.
  static let capacity = 4096

  /// A mapping; none where it begins at 0.
  struct Range: ~Copyable {
    let start = Atomic<UInt>(0)
    let end = Atomic<UInt>(0)
    /// Whether a page of it was missing.
    let isShort = Atomic(false)
  }

  /// What the handler reads, for ever where it is.
  private struct Memory: @unchecked Sendable {
    let ranges = UnsafeMutablePointer<Range>.allocate(capacity: capacity)
    let former = UnsafeMutablePointer<sigaction>.allocate(capacity: 1)
    let pageSize = UInt(AlignedMemory.pageSize)

    init() {
      for index in 0..<capacity { (ranges + index).initialize(to: Range()) }
      former.initialize(to: sigaction())
    }
  }

  private struct Entries {
    var isWatching = false
    var names = [String?](repeating: nil, count: capacity)
    /// Numbers of free ranges.
    var free = Array((0..<capacity).reversed())
  }

  private static let memory = Memory()
  private static let entries = Locked(Entries())
  /// Ranges that were ever used lie below this.
  private static let used = Atomic(0)
  /// How often a page was missing.
  private static let faults = Atomic(0)

  /// Enters a mapping.
  /// - Returns: its number, to ``leave(_:)`` with; nil where nobody watches, and where there is no room (`isFull`).
  static func enter(_ start: UnsafeRawPointer, count: Int, name: String) -> (number: Int?, isFull: Bool) {
    entries.withLock { entries in
      guard entries.isWatching else { return (nil, false) }
      guard let number = entries.free.popLast() else { return (nil, true) }
      entries.names[number] = name
      let range = memory.ranges + number
      // Relaxed: it is looked at by whoever has seen the start, which is stored last.
      range.pointee.isShort.store(false, ordering: .relaxed)
      // Whoever still has the start of the mapping before, and sees this end, also sees that the other was taken out.
      range.pointee.end.store(UInt(bitPattern: start) + UInt(count), ordering: .releasing)
      range.pointee.start.store(UInt(bitPattern: start), ordering: .releasing)
      // Relaxed: written under the lock alone.
      if number >= used.load(ordering: .relaxed) { used.store(number + 1, ordering: .releasing) }
      return (number, false)
    }
  }

  /// Takes out a mapping that is about to go.
  static func leave(_ number: Int) {
    entries.withLock { entries in
      memory.ranges[number].start.store(0, ordering: .releasing)
      entries.names[number] = nil
      entries.free.append(number)
    }
  }

  /// Whether a page of a mapping was missing.
  static func isShort(_ number: Int) -> Bool { memory.ranges[number].isShort.load(ordering: .acquiring) }

  /// The name of a mapping that is still there and lacked a page.
  static var firstShort: String? {
    // As a rule there is nothing to look for.
    guard faults.load(ordering: .acquiring) > 0 else { return nil }
    return entries.withLock { entries in
      for (number, name) in entries.names.enumerated() where isShort(number) { if let name { return name } }
      return nil
    }
  }
}

// MARK: - The signal

extension MappedRanges {
  private typealias Handler =
    @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void

  static func watch() {
    entries.withLock { entries in
      guard !entries.isWatching else { return }
      entries.isWatching = true
      let handler: Handler = { signal, information, context in
        MappedRanges.handle(signal, information, context)
      }
      var action = sigaction()
      sigemptyset(&action.sa_mask)
      action.sa_flags = Int32(SA_SIGINFO)
      #if canImport(Glibc)
        action.__sigaction_handler.sa_sigaction = handler
      #elseif canImport(Musl)
        action.__sa_handler.sa_sigaction = handler
      #else
        action.__sigaction_u.__sa_sigaction = handler
      #endif
      sigaction(SIGBUS, &action, memory.former)
    }
  }

  /// Called by the system, in the thread that touched a page which is not there.
  private static func handle(
    _ signal: Int32, _ information: UnsafeMutablePointer<siginfo_t>?, _ context: UnsafeMutableRawPointer?
  ) {
    let error = errno
    if let information, replacePage(at: address(information)) {
      errno = error
      return
    }
    let former = memory.former
    #if canImport(Glibc)
      let (plain, informed) = (
        former.pointee.__sigaction_handler.sa_handler, former.pointee.__sigaction_handler.sa_sigaction
      )
    #elseif canImport(Musl)
      let (plain, informed) = (former.pointee.__sa_handler.sa_handler, former.pointee.__sa_handler.sa_sigaction)
    #else
      let (plain, informed) = (former.pointee.__sigaction_u.__sa_handler, former.pointee.__sigaction_u.__sa_sigaction)
    #endif
    switch Int(bitPattern: unsafeBitCast(plain, to: UnsafeRawPointer?.self)) {
    // Nobody: the instruction that faulted faults again, and the process ends with the signal.
    case 0, 1: sigaction(signal, former, nil)
    default:
      if former.pointee.sa_flags & Int32(SA_SIGINFO) != 0 {
        informed?(signal, information, context)
      } else {
        plain?(signal)
      }
    }
    errno = error
  }

  private static func address(_ information: UnsafeMutablePointer<siginfo_t>) -> UInt {
    #if canImport(Glibc)
      UInt(bitPattern: information.pointee._sifields._sigfault.si_addr)
    #elseif canImport(Musl)
      UInt(bitPattern: information.pointee.__si_fields.__sigfault.si_addr)
    #else
      UInt(bitPattern: information.pointee.si_addr)
    #endif
  }

  /// Puts zeros in the place of a page of a mapping of ours, and of those behind it, which the file does not have either;
  /// false for any other address.
  private static func replacePage(at address: UInt) -> Bool {
    for number in 0..<used.load(ordering: .acquiring) {
      let start = memory.ranges[number].start.load(ordering: .acquiring)
      let end = memory.ranges[number].end.load(ordering: .acquiring)
      // Nobody has taken the mapping out, and entered another one, in between.
      guard start != 0, start <= address, address < end,
        memory.ranges[number].start.load(ordering: .acquiring) == start
      else { continue }
      let page = address / memory.pageSize * memory.pageSize
      let flags = MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS
      guard mmap(UnsafeMutableRawPointer(bitPattern: page), Int(end - page), PROT_READ, flags, -1, 0) != MAP_FAILED
      else {
        return false
      }
      memory.ranges[number].isShort.store(true, ordering: .releasing)
      faults.wrappingAdd(1, ordering: .releasing)
      return true
    }
    return false
  }
}
