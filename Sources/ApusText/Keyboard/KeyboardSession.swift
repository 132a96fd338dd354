import Apus

/// Suggestions while a user types.
///
/// Every keystroke is a new request; only the last one matters. Of requests that wait for each other all but the newest
/// end without running the network, and what one found is reused for the next.
///
/// ```swift
/// let session = KeyboardSession(suggester)
/// let found = try await session.suggestions(for: KeyboardRequest("see you tom"))
/// ```
public actor KeyboardSession {
  /// What finds the words; it can be used beside the session.
  public nonisolated let suggester: KeyboardSuggester
  /// The number of the newest request.
  private let newest = Locked<UInt64>(0)
  private var cache = KeyboardCache()
  private var learned: LearnedWords?
  private var day = 0.0

  /// A session without learned words; see ``adapt(to:day:)``.
  public init(_ suggester: KeyboardSuggester) { self.suggester = suggester }

  /// Words for what the user has typed.
  /// - Throws: `CancellationError` when a newer request has come, or the task is cancelled, before the result was
  ///   there; what ``KeyboardSuggester/suggestions(for:learned:day:)`` throws.
  public nonisolated func suggestions(for request: KeyboardRequest) async throws -> KeyboardSuggestions {
    try await suggestions(for: request, number: begin())
  }

  /// The number of a new request, which makes all others stale.
  nonisolated func begin() -> UInt64 {
    newest.withLock { number in
      number &+= 1
      return number
    }
  }

  /// From now on suggestions are adapted to what the user writes; `nil` ends that.
  public func adapt(to learned: LearnedWords?, day: Double) {
    (self.learned, self.day) = (learned, day)
  }

  /// How often the network has been run.
  public var runs: Int { cache.runs }

  func suggestions(for request: KeyboardRequest, number: UInt64) throws -> KeyboardSuggestions {
    try checkIsNewest(number)
    let found = try suggester.suggestions(for: request, learned: learned, day: day, cache: &cache)
    try checkIsNewest(number)
    return found
  }

  private nonisolated func checkIsNewest(_ number: UInt64) throws {
    try Task.checkCancellation()
    if newest.withLock({ $0 != number }) { throw CancellationError() }
  }
}
