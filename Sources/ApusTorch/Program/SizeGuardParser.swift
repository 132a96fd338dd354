import ApusGraph

/// Reads a condition in Python: sums, products, comparisons, `and` and `or` of sizes and numbers.
struct SizeGuardParser {
  /// Longer ones say of sizes what nobody has asked for, and take long to compute before every run.
  static let limit = 1 << 14

  private var text: ArraySlice<UInt8>
  /// The places of inputs by their names.
  private let places: [String: Int]
  private var result: [SizeGuard.Step] = []
  private var depth = 0

  init(_ text: String, _ places: [String: Int]) {
    (self.text, self.places) = (text.utf8.count <= Self.limit ? Array(text.utf8)[...] : [], places)
  }

  /// The condition in steps; nil where something in it is not read.
  mutating func steps() -> [SizeGuard.Step]? { either() && text.isEmpty ? result : nil }

  // MARK: What binds least comes first

  private mutating func either() -> Bool { depth < 64 && chain([("or ", .or)]) { $0.both() } }

  private mutating func both() -> Bool { chain([("and ", .and)]) { $0.comparison() } }

  private mutating func comparison() -> Bool {
    guard sum() else { return false }
    let comparisons: [(String, @Sendable (SizeNumber, SizeNumber) -> Bool)] = [
      ("==", SizeNumber.isEqual), ("!=", { !SizeNumber.isEqual($0, $1) }), ("<=", { !SizeNumber.isLess($1, $0) }),
      (">=", { !SizeNumber.isLess($0, $1) }), ("<", SizeNumber.isLess), (">", { SizeNumber.isLess($1, $0) }),
    ]
    guard let (_, compare) = comparisons.first(where: { skip($0.0) }) else { return true }
    guard sum() else { return false }
    result.append(.binary { .whole(compare($0, $1) ? 1 : 0) })
    // What is compared on both sides.
    return !comparisons.contains { comes($0.0) }
  }

  private mutating func sum() -> Bool {
    chain([("+", .binary(SizeNumber.sum)), ("-", .binary(SizeNumber.difference))]) { $0.product() }
  }

  private mutating func product() -> Bool {
    chain([
      ("*", .binary(SizeNumber.product)), ("//", .binary(SizeNumber.floor)), ("/", .binary(SizeNumber.quotient)),
      ("%", .binary(SizeNumber.remainder)),
    ]) { $0.signed() }
  }

  /// Operands with operators between them, from left to right.
  private mutating func chain(
    _ operators: [(String, SizeGuard.Step)], _ operand: (inout Self) -> Bool
  ) -> Bool {
    guard operand(&self) else { return false }
    while let (_, step) = operators.first(where: { skip($0.0) }) {
      guard operand(&self) else { return false }
      result.append(step)
    }
    return true
  }

  private mutating func signed() -> Bool {
    guard skip("-") else { return operand() }
    guard operand() else { return false }
    result.append(.unary(SizeNumber.negative))
    return true
  }

  // MARK: Operands

  private mutating func operand() -> Bool {
    if skip("(") { return arguments() == 1 }
    if comes("L[") { return input() }
    if text.first.map(Self.isDigit) == true { return number() }
    let functions: [(String, SizeGuard.Step)] = [
      ("math.trunc(", .unary(SizeNumber.rounded(.towardZero))), ("math.ceil(", .unary(SizeNumber.rounded(.up))),
      ("math.floor(", .unary(SizeNumber.rounded(.down))), ("torch.sym_float(", .unary { .real($0.real) }),
    ]
    if let (_, step) = functions.first(where: { skip($0.0) }) {
      guard arguments() == 1 else { return false }
      result.append(step)
      return true
    }
    let choices = [("max(", SizeNumber.maximum), ("min(", SizeNumber.minimum)]
    guard let (_, choice) = choices.first(where: { skip($0.0) }), let count = arguments() else { return false }
    result += [SizeGuard.Step](repeating: .binary(choice), count: count - 1)
    return true
  }

  /// What is in parentheses, the closing one too.
  /// - Returns: how many operands it is; nil where something is not read.
  private mutating func arguments() -> Int? {
    depth += 1
    defer { depth -= 1 }
    var count = 0
    repeat {
      guard either() else { return nil }
      count += 1
    } while skip(",")
    return skip(")") ? count : nil
  }

  private mutating func number() -> Bool {
    let digits = String(decoding: text.prefix { Self.isDigit($0) || $0 == UInt8(ascii: ".") }, as: UTF8.self)
    text = text.dropFirst(digits.utf8.count)
    guard let number = Int(digits).map({ SizeNumber.whole($0) }) ?? Double(digits).map({ .real($0) }) else {
      return false
    }
    result.append(.number(number))
    pass()
    return true
  }

  /// `L['x'].size()[1]`, or `L['n']` of an input that is a number.
  private mutating func input() -> Bool {
    text = text.dropFirst()
    var path: [String] = []
    while skip("[") {
      guard let key = index() else { return false }
      path.append(key)
    }
    guard let place = places[Self.name(path)] else { return false }
    guard skip(".size()[") else {
      result.append(.input(place))
      return true
    }
    guard let axis = index().flatMap({ Int($0) }) else { return false }
    result.append(.extent(input: place, axis: axis))
    return true
  }

  /// What stands before the next bracket, which is passed.
  private mutating func index() -> String? {
    guard let close = text.firstIndex(of: UInt8(ascii: "]")) else { return nil }
    let index = String(decoding: text[..<close], as: UTF8.self)
    text = text[close...].dropFirst()
    pass()
    return index
  }

  /// The name that PyTorch gives to the input at the end of a path.
  private static func name(_ path: [String]) -> String {
    let keys = path.map { key in
      key.filter { $0 != "'" }.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0.lowercased() : "_" }.joined()
    }
    return keys.joined(separator: "_")
  }

  private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

  // MARK: Text

  /// Whether a part comes next.
  private func comes(_ part: String) -> Bool { text.starts(with: part.utf8) }

  /// Passes a part and the spaces behind it, where the part comes next.
  private mutating func skip(_ part: String) -> Bool {
    guard comes(part) else { return false }
    text = text.dropFirst(part.utf8.count)
    pass()
    return true
  }

  private mutating func pass() { text = text.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") } }
}
