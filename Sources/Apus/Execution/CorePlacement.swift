import ApusPlatform

/// Which core a thread runs on, and how to send it elsewhere.
///
/// Two threads that watch and yield to each other may stay on one core for seconds while another is idle: a scheduler
/// sees neither of them sleep, so it never has to choose a core for them. (Seen with Linux in small virtual machines,
/// where work on two threads then took longer than on one.) A worker that finds itself on its owner's core therefore
/// moves.
///
/// Linux only; elsewhere nothing happens.
enum CorePlacement {
  /// The core the calling thread runs on; -1 where the system does not say.
  static var currentCore: Int { system.map { Int($0.getCore()) } ?? -1 }

  /// Moves the calling thread to any other core it may run on. Afterwards it may run wherever it could before.
  static func leave(core: Int) {
    guard let system, core >= 0, core < 1024 else { return }
    // Bits of 1024 cores, as the system's cpu_set_t.
    var allowed = [UInt64](repeating: 0, count: 16)
    let size = allowed.count * MemoryLayout<UInt64>.size
    guard allowed.withUnsafeMutableBytes({ system.getAffinity(0, size, $0.baseAddress) }) == 0 else { return }
    var others = allowed
    others[core / 64] &= ~(1 << UInt64(core % 64))
    guard others.contains(where: { $0 != 0 }) else { return }
    _ = others.withUnsafeBytes { system.setAffinity(0, size, $0.baseAddress) }
    _ = allowed.withUnsafeBytes { system.setAffinity(0, size, $0.baseAddress) }
  }

  private struct System: Sendable {
    let getCore: @convention(c) () -> CInt
    let getAffinity: @convention(c) (CInt, Int, UnsafeMutableRawPointer?) -> CInt
    let setAffinity: @convention(c) (CInt, Int, UnsafeRawPointer?) -> CInt
  }

  /// Looked up by name: the C library declares these for programs only that ask for its extensions.
  private static let system: System? = {
    #if os(Linux)
      guard let getCore = dlsym(nil, "sched_getcpu"), let getAffinity = dlsym(nil, "sched_getaffinity"),
        let setAffinity = dlsym(nil, "sched_setaffinity")
      else { return nil }
      return System(
        getCore: unsafeBitCast(getCore, to: (@convention(c) () -> CInt).self),
        getAffinity: unsafeBitCast(
          getAffinity, to: (@convention(c) (CInt, Int, UnsafeMutableRawPointer?) -> CInt).self),
        setAffinity: unsafeBitCast(setAffinity, to: (@convention(c) (CInt, Int, UnsafeRawPointer?) -> CInt).self))
    #else
      return nil
    #endif
  }()
}
