import ApusPlatform

/// The words that a user writes, and which they write after one another: what suggestions are adapted to.
///
/// Days are counted by the caller from any beginning; nothing here reads a clock, and nothing is written anywhere.
public struct LearnedWords: Sendable, Hashable, Codable {
  /// The most words that are kept.
  public static let limit = 5000
  /// Words not written for so many days are forgotten, unless they were written often.
  public static let memory = 90.0

  private struct Entry: Sendable, Hashable, Codable {
    var count = 0
    var day = 0.0
    /// How often each word came after this one.
    var followers: [String: Int] = [:]
  }

  private var entries: [String: Entry] = [:]

  /// No words learned.
  public init() {}

  /// How many different words are kept, at most ``limit``.
  public var count: Int { entries.count }
  /// All words that are kept, in lowercase, in order.
  public var words: [String] { entries.keys.sorted() }

  /// - Parameter previous: the word before it, in the same sentence.
  public mutating func learn(_ word: String, after previous: String? = nil, day: Double) {
    let word = word.lowercased()
    guard !word.isEmpty, word.utf8.count <= 128, day.isFinite else { return }
    var entry = entries[word] ?? Entry()
    entry.count = min(entry.count, .max - 1) + 1
    entry.day = max(day, entry.count == 1 ? day : entry.day)
    entries[word] = entry
    if let previous = previous?.lowercased(), entries[previous] != nil {
      let count = entries[previous]?.followers[word] ?? 0
      entries[previous]?.followers[word] = min(count, .max - 1) + 1
    }
    if entries.count > Self.limit { prune(day: day) }
  }

  /// Forgets what was written less than three times and not for ``memory`` days, and pairs written once; then the
  /// rarest words, until there are no more than nine tenths of ``limit``.
  public mutating func prune(day: Double) {
    entries = entries.filter { $0.value.count >= 3 || day - $0.value.day <= Self.memory }
    if entries.count > Self.limit {
      let kept = entries.sorted {
        ($0.value.count, $0.value.day, $1.key) > ($1.value.count, $1.value.day, $0.key)
      }.prefix(Self.limit * 9 / 10)
      entries = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }
    let kept = Set(entries.keys)
    for (word, entry) in entries {
      entries[word]?.followers = entry.followers.filter { $0.value >= 2 && kept.contains($0.key) }
    }
  }

  /// How much a word is to be preferred: 0 for one that was never written.
  public func boost(_ word: String, after previous: String?, day: Double) -> Double {
    let word = word.lowercased()
    guard let entry = entries[word] else { return 0 }
    let pairs = previous.flatMap { entries[$0.lowercased()]?.followers[word] } ?? 0
    return Self.boost(count: entry.count, pairs: pairs, age: day - entry.day)
  }

  /// What is written often counts, and more what is written often after the same word; half of that fades, to its half
  /// every 30 days.
  ///
  ///     (10 · count + 50 · pairs) · (0.5 + 0.5 · 2^(−age / 30))
  public static func boost(count: Int, pairs: Int, age: Double) -> Double {
    (10 * Double(count) + 50 * Double(pairs)) * (0.5 + 0.5 * exp2(-max(0, age) / 30))
  }
}
