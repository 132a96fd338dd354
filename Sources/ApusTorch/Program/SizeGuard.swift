import ApusGraph

/// A condition on sizes that a program was made under, as PyTorch writes it in Python: `L['x'].size()[1] <= 25`.
struct SizeGuard: Sendable {
  /// A step of its computation, which takes what it needs from a stack and puts its result there.
  enum Step: Sendable {
    case number(SizeNumber)
    /// An extent of an input by its place, and the axis.
    case extent(input: Int, axis: Int)
    /// An input that is a number.
    case input(Int)
    case unary(@Sendable (SizeNumber) -> SizeNumber?)
    case binary(@Sendable (SizeNumber, SizeNumber) -> SizeNumber?)
    case and, or
  }

  let text: String
  private let steps: [Step]
  /// The first input that it names.
  let input: Int

  /// - Parameter places: the places of inputs by their names.
  /// - Returns: nil for what is not read.
  init?(_ text: String, places: [String: Int]) {
    var parser = SizeGuardParser(text, places)
    guard let steps = parser.steps() else { return nil }
    let inputs = steps.compactMap { step -> Int? in
      switch step {
      case .extent(let input, _), .input(let input): input
      default: nil
      }
    }
    guard let input = inputs.first else { return nil }
    (self.text, self.steps, self.input) = (text, steps, input)
  }

  /// Whether inputs of these sizes are such that it holds; nil where that cannot be computed.
  func holds(_ sizes: InputSizes) -> Bool? {
    var stack: [SizeNumber?] = []
    for step in steps {
      switch step {
      case .number(let number): stack.append(number)
      case .extent(let input, let axis): stack.append(sizes.extent(axis, of: input).map { .whole($0) })
      case .input(let input): stack.append(sizes.number(input).map { .whole($0) })
      case .unary(let operation):
        guard let x = stack.popLast() else { return nil }
        stack.append(x.flatMap(operation))
      case .binary, .and, .or:
        guard let b = stack.popLast(), let a = stack.popLast() else { return nil }
        stack.append(Self.result(of: step, a, b))
      }
    }
    return (stack.last ?? nil)?.isTrue
  }

  private static func result(of step: Step, _ a: SizeNumber?, _ b: SizeNumber?) -> SizeNumber? {
    switch step {
    case .binary(let operation): a.flatMap { a in b.flatMap { operation(a, $0) } }
    // What is known may say enough.
    case .and: a?.isTrue == false ? a : b?.isTrue == false ? b : a == nil ? nil : b
    case .or: a?.isTrue == true ? a : b?.isTrue == true ? b : a == nil ? nil : b
    default: nil
    }
  }
}

/// A number as Python has it; true and false are 1 and 0.
enum SizeNumber: Sendable {
  case whole(Int)
  case real(Double)

  var isTrue: Bool {
    switch self {
    case .whole(let value): value != 0
    case .real(let value): value != 0
    }
  }

  var real: Double {
    switch self {
    case .whole(let value): Double(value)
    case .real(let value): value
    }
  }

  /// Both as integers, where they are.
  private static func whole(_ a: SizeNumber, _ b: SizeNumber) -> (Int, Int)? {
    if case .whole(let a) = a, case .whole(let b) = b { (a, b) } else { nil }
  }

  /// What `exact` gives for integers, nil within where memory has no such number, and `real` for others.
  private static func combined(
    _ a: SizeNumber, _ b: SizeNumber, _ exact: (Int, Int) -> (partialValue: Int, overflow: Bool),
    _ real: (Double, Double) -> Double
  ) -> SizeNumber? {
    guard let (a, b) = whole(a, b) else { return .real(real(a.real, b.real)) }
    let (value, overflow) = exact(a, b)
    return overflow ? nil : .whole(value)
  }

  static func sum(_ a: SizeNumber, _ b: SizeNumber) -> SizeNumber? {
    combined(a, b, { $0.addingReportingOverflow($1) }, +)
  }

  static func difference(_ a: SizeNumber, _ b: SizeNumber) -> SizeNumber? {
    combined(a, b, { $0.subtractingReportingOverflow($1) }, -)
  }

  static func product(_ a: SizeNumber, _ b: SizeNumber) -> SizeNumber? {
    combined(a, b, { $0.multipliedReportingOverflow(by: $1) }, *)
  }

  static func negative(_ a: SizeNumber) -> SizeNumber? { difference(.whole(0), a) }

  /// The quotient rounded down, which Python's `//` is.
  static func floor(_ a: SizeNumber, _ b: SizeNumber) -> SizeNumber? {
    guard b.isTrue else { return nil }
    guard let (a, b) = whole(a, b) else { return .real((a.real / b.real).rounded(.down)) }
    let (quotient, overflow) = a.dividedReportingOverflow(by: b)
    if overflow { return nil }
    return .whole((a < 0) != (b < 0) && !a.isMultiple(of: b) ? quotient - 1 : quotient)
  }

  /// The remainder with the sign of the divisor.
  static func remainder(_ a: SizeNumber, _ b: SizeNumber) -> SizeNumber? {
    floor(a, b).flatMap { product($0, b) }.flatMap { difference(a, $0) }
  }

  static func quotient(_ a: SizeNumber, _ b: SizeNumber) -> SizeNumber? {
    b.isTrue ? .real(a.real / b.real) : nil
  }

  static func maximum(_ a: SizeNumber, _ b: SizeNumber) -> SizeNumber? { isLess(a, b) ? b : a }

  static func minimum(_ a: SizeNumber, _ b: SizeNumber) -> SizeNumber? { isLess(b, a) ? b : a }

  static func isLess(_ a: SizeNumber, _ b: SizeNumber) -> Bool {
    whole(a, b).map { $0.0 < $0.1 } ?? (a.real < b.real)
  }

  static func isEqual(_ a: SizeNumber, _ b: SizeNumber) -> Bool {
    whole(a, b).map { $0.0 == $0.1 } ?? (a.real == b.real)
  }

  /// The integer that rounding gives.
  static func rounded(_ rule: FloatingPointRoundingRule) -> @Sendable (SizeNumber) -> SizeNumber? {
    { number in
      guard case .real(let value) = number else { return number }
      return Int(exactly: value.rounded(rule)).map { .whole($0) }
    }
  }
}
