import Apus

/// What a regular expression is made of.
indirect enum RegularExpressionTree {
  case nothing
  case set(ScalarSet)
  case assertion(RegularExpression.Position)
  case sequence([RegularExpressionTree])
  case alternatives([RegularExpressionTree])
  case repeated(RegularExpressionTree, least: Int, most: Int?)
}

/// Writes the program that matches an expression.
struct RegularExpressionCompiler {
  private(set) var instructions: [RegularExpression.Instruction] = []
  private(set) var sets: [ScalarSet] = []

  private static let mostInstructions = 100_000

  /// - Throws: ``OperatorError`` when the program gets too long.
  init(_ tree: RegularExpressionTree) throws {
    try emit(tree)
    try append(.accept)
  }

  private mutating func append(_ instruction: RegularExpression.Instruction) throws {
    guard instructions.count < Self.mostInstructions else {
      throw OperatorError("a pattern needs more than \(Self.mostInstructions) steps")
    }
    instructions.append(instruction)
  }

  private mutating func emit(_ expression: RegularExpressionTree) throws {
    switch expression {
    case .nothing: break
    case .set(let set):
      sets.append(set)
      try append(.scalar(in: sets.count - 1))
    case .assertion(let position): try append(.assert(position))
    case .sequence(let parts): for part in parts { try emit(part) }
    case .alternatives(let all): try emit(alternatives: all)
    case .repeated(let inner, let least, let most): try emit(inner, least: least, most: most)
    }
  }

  private mutating func emit(alternatives: [RegularExpressionTree]) throws {
    var ends: [Int] = []
    for alternative in alternatives.dropLast() {
      let split = instructions.count
      try append(.split(split + 1, 0))
      try emit(alternative)
      ends.append(instructions.count)
      try append(.jump(0))
      instructions[split] = .split(split + 1, instructions.count)
    }
    if let last = alternatives.last { try emit(last) }
    for end in ends { instructions[end] = .jump(instructions.count) }
  }

  private mutating func emit(_ inner: RegularExpressionTree, least: Int, most: Int?) throws {
    for _ in 0..<least {
      let before = instructions.count
      try emit(inner)
      // What takes no step takes none a thousand times over.
      if instructions.count == before { return }
    }
    guard let most else {
      let split = instructions.count
      try append(.split(split + 1, 0))
      try emit(inner)
      try append(.jump(split))
      instructions[split] = .split(split + 1, instructions.count)
      return
    }
    // One inside the other: each may end all the rest.
    var splits: [Int] = []
    for _ in least..<most {
      splits.append(instructions.count)
      try append(.split(instructions.count + 1, 0))
      try emit(inner)
    }
    for split in splits { instructions[split] = .split(split + 1, instructions.count) }
  }
}
