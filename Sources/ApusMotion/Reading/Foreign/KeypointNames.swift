import ApusBase

/// Which of a file's own names for body parts are points of a ``KeypointOrder``.
///
/// Capitals, blanks, underscores, hyphens and full stops do not count, except that `rear` is not the right ear, which
/// `R_ear` and `rEar` are. A point's own name comes before a usual synonym (of the order `cvat` alone: `left_hind_paw`,
/// `paw_lb`, `tail_start`, …), that before the name of a place nearby (`neck_end` for the withers, where nothing else
/// is), and what the caller says before all of them. Where two synonyms mean one point the first counts.
public struct KeypointNames: Sendable, Hashable {
  /// A part of the body as a file has it.
  public struct Part: Sendable, Hashable {
    /// The file's name.
    public let theirs: String
    /// The name of its point; nil for a part that is left out.
    public let ours: String?
  }

  /// The parts in the file's order.
  public let parts: [Part]
  /// For each part, the index of its point.
  let places: [Int?]

  /// The names that are left out.
  public var unknown: [String] { parts.filter { $0.ours == nil }.map(\.theirs) }
  /// The points of the order that no part of the file gives.
  public let missing: [String]

  /// - Parameters:
  ///   - theirs: the file's names, each once.
  ///   - map: from a name of theirs to the name of a point.
  /// - Throws: when a name of the map is not in the file, or nothing is known.
  init(_ theirs: [String], order: KeypointOrder, map: [String: String]) throws(PoseReadError.Reason) {
    let names = order.pointNames
    let keys = theirs.map(Self.key)
    var places = [Int?](repeating: nil, count: theirs.count)
    var taken = Set<Int>()
    for (name, ours) in map.sorted(by: { $0.key < $1.key }) {
      guard let part = keys.firstIndex(of: Self.key(name)) else {
        throw .row(.missingField("the body part \(name.quotedForMessage), which is to be \(ours),"))
      }
      guard let place = names.firstIndex(of: ours), taken.insert(place).inserted else {
        throw .row(.duplicateField(ours))
      }
      places[part] = place
    }
    let own = Dictionary(names.enumerated().map { (Self.key($1), $0) }, uniquingKeysWith: { first, _ in first })
    let synonyms = order == .cvat ? [KeypointSynonyms.usual, KeypointSynonyms.nearby] : []
    for table in [own] + synonyms {
      for (part, key) in keys.enumerated() where places[part] == nil {
        guard let place = table[key] else { continue }
        // The letters are those of a right ear.
        if place == DogKeypoint.rightEar.rawValue, Self.isRear(theirs[part]) { continue }
        if taken.insert(place).inserted { places[part] = place }
      }
    }
    guard !taken.isEmpty else { throw .file(.noKnownKeypoints(theirs)) }
    self.places = places
    parts = zip(theirs, places).map { Part(theirs: $0, ours: $1.map { names[$0] }) }
    missing = names.enumerated().filter { !taken.contains($0.offset) }.map(\.element)
  }

  /// A name by its letters and digits alone, in lower case.
  static func key(_ name: String) -> String {
    String(name.lowercased().filter { !separators.contains($0) })
  }

  private static let separators = " _-."

  /// Whether a name begins with the word `rear`, not with a side and an ear: nothing parts its first letter from the
  /// second, neither a separator nor a capital.
  private static func isRear(_ name: String) -> Bool {
    let letters = Array(name.drop { separators.contains($0) })
    guard key(name).hasPrefix("rear"), letters.count > 2 else { return false }
    let startsAnew = letters[1].isUppercase && (letters[0].isLowercase || letters[2].isLowercase)
    return !separators.contains(letters[1]) && !startsAnew
  }
}
