import Apus

/// A regular expression in the syntax of RE2 that matches whole strings, in time that grows with the length of the
/// string times that of the expression and no faster, whatever both hold.
///
/// The expression becomes a program for a machine that is in several places at once (Thompson's construction): for each
/// scalar it steps through all places it may be in, each of them once. Which of several ways leads to a match does not
/// matter, nor do groups.
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
    let scalars = text.unicodeScalars.map(\.value)
    var current = Places(instructions.count)
    var next = Places(instructions.count)
    var work = 0
    add(0, to: &current, at: 0, in: scalars)
    for position in scalars.indices {
      if current.list.isEmpty { return false }
      work += current.list.count
      if work > 1 << 20 {
        work = 0
        try check()
      }
      next.removeAll()
      for place in current.list {
        if case .scalar(let set) = instructions[place], sets[set].contains(scalars[position]) {
          add(place + 1, to: &next, at: position + 1, in: scalars)
        }
      }
      swap(&current, &next)
    }
    return current.list.contains { if case .accept = instructions[$0] { true } else { false } }
  }

  /// Adds a place and those reached from it without a scalar.
  private func add(_ start: Int, to places: inout Places, at position: Int, in scalars: [UInt32]) {
    var waiting = [start]
    while let place = waiting.popLast() {
      guard places.insert(place) else { continue }
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

  /// Places that the machine is in, each once, in the order in which they were reached.
  private struct Places {
    private(set) var list: [Int] = []
    private var isInside: [Bool]

    init(_ count: Int) { isInside = [Bool](repeating: false, count: count) }

    mutating func insert(_ place: Int) -> Bool {
      guard !isInside[place] else { return false }
      isInside[place] = true
      list.append(place)
      return true
    }

    mutating func removeAll() {
      for place in list { isInside[place] = false }
      list.removeAll(keepingCapacity: true)
    }
  }
}
