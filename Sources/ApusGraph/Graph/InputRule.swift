import Apus

/// What a graph asks of an input beyond its type: that a program was made for sizes of some range, for example.
package struct InputRule: Sendable {
  /// The place of the input among ``Graph/inputs`` that the rule is broken by.
  package let input: Int
  /// What is wrong with inputs of these sizes; nil where nothing is, or where too little is known of them.
  package let violation: @Sendable (InputSizes) -> String?

  package init(input: Int, violation: @escaping @Sendable (InputSizes) -> String?) {
    (self.input, self.violation) = (input, violation)
  }
}

/// What rules know of a graph's inputs, by their places among ``Graph/inputs``.
package struct InputSizes: Sendable {
  private let shapes: [[Int]?]
  private let numbers: [Int?]

  init(shapes: [[Int]?], numbers: [Int?]) { (self.shapes, self.numbers) = (shapes, numbers) }

  /// The extent of an axis.
  package func extent(_ axis: Int, of input: Int) -> Int? {
    guard shapes.indices.contains(input), let shape = shapes[input], shape.indices.contains(axis) else { return nil }
    return shape[axis]
  }

  /// The number that an input is, where it is INT64 without axes.
  package func number(_ input: Int) -> Int? { numbers.indices.contains(input) ? numbers[input] : nil }
}

extension Graph {
  /// Throws for the first of the graph's rules that inputs break, nil for one that is left out.
  func checkRules(_ given: [GraphValue?]) throws {
    // Most graphs have none.
    if inputRules.isEmpty { return }
    let numbers = try given.map { value -> Int? in
      guard case .tensor(.int64(let tensor))? = value, tensor.shape.isEmpty else { return nil }
      return try tensor.elements.first.flatMap { Int(exactly: $0) }
    }
    try checkRules(InputSizes(shapes: given.map { $0?.shape }, numbers: numbers))
  }

  /// Throws for the first of the graph's rules that shapes of inputs break.
  func checkRules(_ sizes: InputSizes) throws {
    for rule in inputRules where inputs.indices.contains(rule.input) {
      guard let reason = rule.violation(sizes) else { continue }
      throw GraphError.input(name: values[inputs[rule.input]].name, reason: reason)
    }
  }
}
