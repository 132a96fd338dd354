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

  /// Looks after every so many inputs: looking takes as long as some inputs do. Long runs are so many times as long, for after the
  /// last input the driver reaches something new by itself, its end.
  static let interval: UInt64 = 1000

  /// A counter that is at 0 again just now is seen the next time.
  /// - Returns: the edges that are new.
  @discardableResult
  mutating func look(after input: UInt64) -> NewEdges {
    var new = NewEdges()
    #if APUS_EDGES
      let counters = UnsafeBufferPointer(start: counters.start, count: counters.count)
      for index in counters.indices where counters[index] != 0 && !isReached[index] {
        isReached[index] = true
        new.places.append(index)
      }
    #endif
    count += new.places.count
    if !new.places.isEmpty { last = input }
    return new
  }

  /// `; 3,000 edges, the last new one among the first 50,000 inputs`, or nothing where nothing is counted.
  var summary: String {
    count == 0 ? "" : "; \(count) edges, the last new one among the first \(last) inputs"
  }
}

/// Edges that some inputs reached first, to find out which: where those inputs are run again one by one.
struct NewEdges {
  fileprivate var places: [Int] = []

  var isEmpty: Bool { places.isEmpty }

  /// Forgets that they were reached.
  func reset() {
    #if APUS_EDGES
      for place in places { counters.start?[place] = 0 }
    #endif
  }

  /// Whether any has been reached since; these are left out from then on.
  mutating func areReached() -> Bool {
    #if APUS_EDGES
      let before = places.count
      places.removeAll { counters.start?[$0] != 0 }
      return places.count < before
    #else
      return false
    #endif
  }
}
