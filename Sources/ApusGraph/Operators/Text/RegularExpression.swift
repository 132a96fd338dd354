import Apus

/// A regular expression in the syntax of RE2, searched for in time that grows with the length of the string times that of
/// the expression and no faster, whatever both hold.
///
/// The expression becomes a program for a machine that is in several places at once (Thompson's construction): for each
/// scalar it steps through all places it may be in, each of them once. Which of several ways leads to a match does not
/// matter, nor do groups: of matches that begin at one place the longest counts.
struct RegularExpression: Sendable {
  enum Instruction: Sendable {
    /// Goes on when the next scalar is in the set of this number.
    case scalar(in: Int)
    /// Goes on at both places.
    case split(Int, Int)
    case jump(Int)
    /// Goes on when the position is such a one.
    case assert(Position)
    case accept
  }

  /// What an assertion asks of a position.
  enum Position: Sendable {
    case startOfText, endOfText, startOfLine, endOfLine, wordBoundary, noWordBoundary
  }

  private let instructions: [Instruction]
  private let sets: [ScalarSet]

  /// - Throws: ``OperatorError`` for what is not an expression of RE2, is one that Apus does not have, or is too large.
  init(_ pattern: String) throws {
    var parser = RegularExpressionParser(pattern)
    let compiler = try RegularExpressionCompiler(parser.tree())
    instructions = compiler.instructions
    sets = compiler.sets
  }

  /// Whether all of `text` matches.
  /// - Parameter check: called now and then; what it throws ends the search.
  func matches(_ text: String, check: () throws -> Void) throws -> Bool {
    var search = Search(of: self)
    let scalars = text.unicodeScalars.map(\.value)
    return try search.longestMatch(in: scalars, from: 0, isAnchored: true, check: check)?.upperBound == scalars.count
  }

  /// The places that the machine is in while it reads a text; made once for many texts.
  struct Search {
    private let expression: RegularExpression
    private var current: Places
    private var next: Places
    /// Steps since ``longestMatch`` last called what it is to call.
    private var work = 0

    init(of expression: RegularExpression) {
      self.expression = expression
      current = Places(expression.instructions.count)
      next = current
    }

    /// The first match from `start` on, and of those that begin there the longest; nil where there is none.
    /// - Parameters:
    ///   - isAnchored: whether it has to begin at `start`.
    ///   - check: called now and then; what it throws ends the search.
    mutating func longestMatch(
      in scalars: [UInt32], from start: Int, isAnchored: Bool = false, check: () throws -> Void
    ) throws -> Range<Int>? {
      var found: Range<Int>?
      current.removeAll()
      for position in start...scalars.count {
        // Ways that begin here come last: an earlier one that is at the same place wins.
        if found == nil, position == start || !isAnchored {
          expression.add(0, begunAt: position, to: &current, at: position, in: scalars)
        }
        let end = current.ways.first { if case .accept = expression.instructions[$0.place] { true } else { false } }
        if let end, end.start <= found?.lowerBound ?? .max { found = end.start..<position }
        if position == scalars.count || (current.ways.isEmpty && (isAnchored || found != nil)) { break }
        work += current.ways.count + 1
        if work > 1 << 20 {
          work = 0
          try check()
        }
        next.removeAll()
        for way in current.ways where way.start <= found?.lowerBound ?? .max {
          if case .scalar(let set) = expression.instructions[way.place],
            expression.sets[set].contains(scalars[position])
          {
            expression.add(way.place + 1, begunAt: way.start, to: &next, at: position + 1, in: scalars)
          }
        }
        swap(&current, &next)
      }
      return found
    }
  }

  /// Adds a place and those reached from it without a scalar.
  private func add(_ first: Int, begunAt start: Int, to places: inout Places, at position: Int, in scalars: [UInt32]) {
    var waiting = [first]
    while let place = waiting.popLast() {
      guard places.insert(place, begunAt: start) else { continue }
      switch instructions[place] {
      case .jump(let target): waiting.append(target)
      case .split(let first, let second): waiting += [first, second]
      case .assert(let wanted): if Self.holds(wanted, at: position, in: scalars) { waiting.append(place + 1) }
      case .scalar, .accept: break
      }
    }
  }

  private static func holds(_ wanted: Position, at position: Int, in scalars: [UInt32]) -> Bool {
    let before = position > 0 ? scalars[position - 1] : nil
    let after = position < scalars.count ? scalars[position] : nil
    switch wanted {
    case .startOfText: return before == nil
    case .endOfText: return after == nil
    case .startOfLine: return before == nil || before == 10
    case .endOfLine: return after == nil || after == 10
    case .wordBoundary, .noWordBoundary:
      func isWord(_ scalar: UInt32?) -> Bool { scalar.map { ScalarSet.perl("w")?.contains($0) ?? false } ?? false }
      return (isWord(before) != isWord(after)) == (wanted == .wordBoundary)
    }
  }

  /// Places that the machine is in, each once, in the order in which they were reached, with where each way began.
  private struct Places {
    private(set) var ways: [(place: Int, start: Int)] = []
    private var isInside: [Bool]

    init(_ count: Int) { isInside = [Bool](repeating: false, count: count) }

    mutating func insert(_ place: Int, begunAt start: Int) -> Bool {
      guard !isInside[place] else { return false }
      isInside[place] = true
      ways.append((place, start))
      return true
    }

    mutating func removeAll() {
      for way in ways { isInside[way.place] = false }
      ways.removeAll(keepingCapacity: true)
    }
  }
}
