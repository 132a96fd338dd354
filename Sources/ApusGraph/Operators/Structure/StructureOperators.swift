extension Operators {
  /// The families in this folder.
  static let structure: [[OperatorDefinition]] = [
    identities, reshapes, transpositions, joins, slices, paddings, repetitions, gathers, scatters,
    selections, orderings, shapes, constants,
    conditionals, loops, scans, sequences, lists, optionals,
  ]
}
