import Apus

/// An equation of Einsum: `ij,jk->ik`, with `...` for axes without a name.
struct EinsumEquation: Sendable {
  /// The axes of an operand, or of the result.
  struct Term: Sendable {
    /// Names before and after an ellipsis; all of them in front when there is none.
    var front: [Int] = []
    var back: [Int] = []
    var hasEllipsis = false

    var count: Int { front.count + back.count }
  }

  let terms: [Term]
  /// nil when the equation leaves it to the rule: names that occur once, in order.
  let output: Term?

  /// - Throws: ``OperatorError`` for anything but letters, commas, spaces, ellipses and an arrow.
  init(_ text: String) throws {
    let bytes = text.utf8.filter { $0 != UInt8(ascii: " ") }
    var sides = [[UInt8]]()
    var current: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "-") {
        guard index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: ">"), sides.isEmpty else {
          throw OperatorError("equation '\(text)' has a misplaced arrow")
        }
        sides.append(current)
        current = []
        index += 2
      } else {
        current.append(bytes[index])
        index += 1
      }
    }
    sides.append(current)
    let comma = UInt8(ascii: ",")
    terms = try sides[0].split(separator: comma, omittingEmptySubsequences: false).map { try Self.term($0, text) }
    output = sides.count > 1 ? try Self.term(sides[1][...], text) : nil
  }

  private static func term(_ bytes: ArraySlice<UInt8>, _ text: String) throws -> Term {
    var term = Term()
    var rest = bytes
    while let byte = rest.first {
      if byte == UInt8(ascii: ".") {
        guard rest.prefix(3).elementsEqual("...".utf8), !term.hasEllipsis else {
          throw OperatorError("equation '\(text)' has a misplaced point")
        }
        term.hasEllipsis = true
        rest = rest.dropFirst(3)
        continue
      }
      guard UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte else {
        throw OperatorError("equation '\(text)' has a character that is not a letter")
      }
      if term.hasEllipsis { term.back.append(Int(byte)) } else { term.front.append(Int(byte)) }
      rest = rest.dropFirst()
    }
    return term
  }
}

extension EinsumEquation {
  /// The equation with every axis of operands of these ranks named.
  struct Names {
    var operands: [[Int]]
    var result: [Int]
  }

  /// - Throws: ``OperatorError`` when ranks do not fit, or the result names what no operand has.
  func names(ranks: [Int]) throws -> Names {
    guard ranks.count == terms.count else {
      throw OperatorError("the equation has \(terms.count) terms for \(ranks.count) inputs")
    }
    var most = 0
    let operands = try zip(terms, ranks).map { term, rank in
      guard term.hasEllipsis ? rank >= term.count : rank == term.count else {
        throw OperatorError("a term with \(term.count) names does not fit an input of rank \(rank)")
      }
      most = max(most, rank - term.count)
      return Self.named(term, rank - term.count)
    }
    let all = operands.flatMap { $0 }
    let result: [Int]
    if let output {
      result = Self.named(output, output.hasEllipsis ? most : 0)
    } else {
      let once = Set(all.filter { $0 < Self.firstUnnamed }).filter { name in all.filter { $0 == name }.count == 1 }
      result = Self.unnamed(most) + once.sorted()
    }
    guard Set(result).count == result.count, result.allSatisfy(all.contains) else {
      throw OperatorError("the result names an axis twice, or one that no input has")
    }
    return Names(operands: operands, result: result)
  }

  private static let firstUnnamed = 1 << 10

  /// Names for axes of an ellipsis, which are aligned at the last.
  private static func unnamed(_ count: Int) -> [Int] { (0..<count).map { firstUnnamed + count - 1 - $0 } }

  private static func named(_ term: Term, _ count: Int) -> [Int] { term.front + unnamed(count) + term.back }
}
