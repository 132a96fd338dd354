import ApusPlatform

/// Keeps the input that is being run where it outlives the process, and reports when the process dies or hangs.
///
/// A Swift trap cannot be caught. So every input is first copied into a mapped file: that costs no more than the copy,
/// and the kernel keeps it whatever happens. A signal handler says where it is. A timer ends inputs that take too long
/// or too much memory. All that a handler reads is plain memory, set before the input is run; there is one witness a
/// process.
final class Witness {
  /// Where the input is kept. Removed when nothing was found.
  let path: String
  private let descriptor: Int32
  private let scratch: UnsafeMutableRawBufferPointer

  struct SetUpError: Error {
    let message: String
  }

  /// - Throws: ``SetUpError`` when the scratch file cannot be made.
  init(timeLimit: Double, memoryLimitMiB: Int) throws {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(folder)/apus-fuzz-XXXXXX".utf8CString)
    descriptor = mkstemp(&template)
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    let size = Mutator.sizeLimit
    guard descriptor >= 0, ftruncate(descriptor, off_t(size)) == 0,
      let address = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), address != MAP_FAILED
    else { throw SetUpError(message: "no scratch file can be made in \(folder)") }
    scratch = UnsafeMutableRawBufferPointer(start: address, count: size)
    crash.pointee.descriptor = descriptor
    crash.pointee.timeLimit = UInt64(timeLimit * 1e9)
    crash.pointee.memoryLimit = memoryLimitMiB << 20
    crash.pointee.setPath(path)
    installHandlers()
  }

  /// Keeps `input`, and starts the clock. Inputs beyond the mutator's limit are files of the user's, and not kept.
  func begin(_ input: [UInt8], iteration: UInt64) {
    crash.pointee.length = min(input.count, scratch.count)
    scratch.copyBytes(from: input.prefix(scratch.count))
    crash.pointee.iteration = iteration
    crash.pointee.begin = now()
  }

  func setTarget(_ target: any FuzzTarget, seed: UInt64) {
    crash.pointee.setTarget(target.name, seed: seed)
  }

  /// Stops the clock.
  /// - Returns: what was too much, if anything.
  func end() -> String? {
    let elapsed = now() &- crash.pointee.begin
    crash.pointee.begin = 0
    if elapsed > crash.pointee.timeLimit { return "it took \(Double(elapsed) / 1e9) s" }
    // In less than a millisecond no memory is taken that would matter; asking takes a microsecond or two.
    guard elapsed > 1_000_000 else { return nil }
    let used = residentBytes()
    if used > crash.pointee.memoryLimit { return "the process uses \(used >> 20) MiB" }
    return nil
  }

  /// Leaves the file with exactly the input in it.
  func keep() {
    _ = ftruncate(descriptor, off_t(crash.pointee.length))
  }

  func remove() {
    unlink(path)
  }
}

// MARK: - What a signal handler may read

/// Memory that is made once and never freed, so that a handler can use it at any moment. A pointer, for the properties
/// of an object are watched for overlapping accesses, which is what a handler's are.
nonisolated(unsafe) private let crash: UnsafeMutablePointer<CrashRecord> = {
  let pointer = UnsafeMutablePointer<CrashRecord>.allocate(capacity: 1)
  pointer.initialize(to: CrashRecord())
  return pointer
}()

private struct CrashRecord {
  var descriptor: Int32 = -1
  var length = 0
  var iteration: UInt64 = 0
  /// When the current input was begun, in nanoseconds; 0 between inputs.
  var begin: UInt64 = 0
  var timeLimit: UInt64 = .max
  var memoryLimit = Int.max
  /// `safetensors, seed 1`, and the path, as bytes: a handler cannot use `String`.
  let target = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 256)
  let path = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 4096)
  var targetLength = 0
  var pathLength = 0

  mutating func setTarget(_ name: String, seed: UInt64) {
    targetLength = Self.copy("\(name), seed \(seed)", to: target)
  }

  mutating func setPath(_ text: String) {
    pathLength = Self.copy(text, to: path)
  }

  private static func copy(_ text: String, to memory: UnsafeMutableBufferPointer<UInt8>) -> Int {
    let bytes = Array(text.utf8.prefix(memory.count))
    return memory.update(fromContentsOf: bytes)
  }
}

private func installHandlers() {
  // A stack of its own, for the handler must run when the stack has overflowed.
  let size = 1 << 16
  var stack = stack_t()
  stack.ss_sp = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
  stack.ss_size = size
  if stack.ss_sp != MAP_FAILED { sigaltstack(&stack, nil) }
  for signal in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT] {
    // The default comes back with the first signal, so raising it again ends the process as it would have ended.
    install(signal, flags: SA_ONSTACK | Int32(bitPattern: UInt32(SA_RESETHAND))) { signal in
      report("died")
      raise(signal)
    }
  }
  install(SIGALRM, flags: SA_ONSTACK | SA_RESTART) { _ in
    guard crash.pointee.begin != 0 else { return }
    if now() &- crash.pointee.begin > crash.pointee.timeLimit {
      report("takes too long")
      _exit(70)
    }
    if residentBytes() > crash.pointee.memoryLimit {
      report("uses too much memory")
      _exit(70)
    }
  }
  var timer = itimerval(
    it_interval: timeval(tv_sec: 0, tv_usec: 100_000), it_value: timeval(tv_sec: 0, tv_usec: 100_000))
  #if canImport(Glibc)
    setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, nil)
  #else
    setitimer(ITIMER_REAL, &timer, nil)
  #endif
}

private func install(_ signal: Int32, flags: Int32, handler: @escaping @convention(c) (Int32) -> Void) {
  var action = sigaction()
  #if canImport(Darwin)
    action.__sigaction_u.__sa_handler = handler
  #else
    action.__sigaction_handler.sa_handler = handler
  #endif
  action.sa_flags = flags
  sigaction(signal, &action, nil)
}

/// Says what happened, with nothing that allocates.
private func report(_ what: StaticString) {
  _ = ftruncate(crash.pointee.descriptor, off_t(crash.pointee.length))
  say("\napus-fuzz: ")
  _ = write(STDERR_FILENO, crash.pointee.target.baseAddress, crash.pointee.targetLength)
  say(", iteration ")
  sayNumber(crash.pointee.iteration)
  say(": ")
  say(what)
  say("; the input is in ")
  _ = write(STDERR_FILENO, crash.pointee.path.baseAddress, crash.pointee.pathLength)
  say("\n")
}

private func say(_ text: StaticString) {
  _ = write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
}

private func sayNumber(_ value: UInt64) {
  var divisor: UInt64 = 1
  while value / divisor >= 10 { divisor *= 10 }
  while divisor > 0 {
    var digit = UInt8(ascii: "0") + UInt8(value / divisor % 10)
    _ = write(STDERR_FILENO, &digit, 1)
    divisor /= 10
  }
}

private func now() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
}

/// The largest resident size so far.
private func residentBytes() -> Int {
  var usage = rusage()
  #if canImport(Glibc)
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
  #else
    getrusage(RUSAGE_SELF, &usage)
  #endif
  #if canImport(Darwin)
    return usage.ru_maxrss
  #else
    return Int(usage.ru_maxrss) << 10
  #endif
}
