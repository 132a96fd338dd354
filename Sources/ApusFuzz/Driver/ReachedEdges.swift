#if APUS_EDGES
  /// One byte for each edge of the program's flow, which the compiler makes the program count up: all of them lie in one
  /// place, which every part of the program names before it begins.
  nonisolated(unsafe) private var counters: (start: UnsafeMutablePointer<UInt8>?, count: Int) = (nil, 0)

  @_cdecl("__sanitizer_cov_8bit_counters_init")
  func setCounters(_ start: UnsafeMutablePointer<UInt8>, _ end: UnsafeMutablePointer<UInt8>) {
    counters = (start, end - start)
  }
#endif

/// How much of the program inputs have reached, and when something new was reached last: where the compiler was told to
/// count it, as `.ci/long` does; elsewhere nothing.
struct ReachedEdges {
  #if APUS_EDGES
    private var isReached = [Bool](repeating: false, count: counters.count)
  #endif
  private var count = 0
  /// The number of the input after which the last new edge was seen.
  private var last: UInt64 = 0

  /// Looks after every so many inputs: looking takes as long as some inputs do.
  static let interval: UInt64 = 1024

  /// A counter that is at 0 again just now is seen the next time.
  mutating func look(after input: UInt64) {
    #if APUS_EDGES
      let counters = UnsafeBufferPointer(start: counters.start, count: counters.count)
      for index in counters.indices where counters[index] != 0 && !isReached[index] {
        isReached[index] = true
        count += 1
        last = input
      }
    #endif
  }

  /// `; 3,000 edges, the last new one among the first 50,000 inputs`, or nothing where nothing is counted.
  var summary: String {
    count == 0 ? "" : "; \(count) edges, the last new one among the first \(last) inputs"
  }
}
