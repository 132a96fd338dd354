import Apus

/// A node with the shapes of what it takes and gives, for counts that depend on nothing else.
///
/// Shapes are those of tensors that exist, or what a file claims: all arithmetic on them is clamped.
struct NodeShapes {
  let node: Node
  /// nil where an input is omitted or has no shape.
  let inputs: [[Int]?]
  /// Of the first output; nil when it is not known.
  let output: [Int]?

  /// The shape of input `index`; nil where it is omitted or has none.
  func known(_ index: Int) -> [Int]? { inputs.indices.contains(index) ? inputs[index] : nil }

  /// The shape of input `index`; `[]` where it is omitted or has none.
  func shape(_ index: Int) -> [Int] { known(index) ?? [] }

  /// An integer among the attributes.
  func int(_ name: String) -> Int? {
    if case .int(let value)? = node.attributes[name] { Int(clamping: value) } else { nil }
  }

  /// The axis that an attribute names, counted from the front of input 0; −1 without the attribute.
  private func axis(_ name: String = "axis") -> Int {
    let axis = int(name) ?? -1
    return axis < 0 ? shape(0).count + axis : axis
  }

  /// The extent of input 0 along the axis that its attribute names.
  var extentOfAxis: Int {
    let axis = axis()
    return shape(0).indices.contains(axis) ? shape(0)[axis] : 1
  }

  /// The elements of input 0 from the axis on that its attribute names.
  var elementsFromAxis: Int { shape(0).dropFirst(max(0, axis())).nonzeroProduct }
}

extension Sequence<Int> {
  /// The product of extents.
  package var product: Int { reduce(1) { $0.multipliedClamped(by: $1) } }

  /// The product of extents, where an empty axis counts as one element.
  var nonzeroProduct: Int { reduce(1) { $0.multipliedClamped(by: Swift.max(1, $1)) } }
}

// MARK: - Work

/// The multiply-adds that a node takes.
///
/// Counted is what the definition asks for, padding included, whatever algorithm computes it: convolutions, matrix
/// products, recurrent networks, attention, Einsum. Element by element operators count nothing.
enum Work: Sendable {
  case none
  /// The number; nil where shapes that it depends on are not known.
  case multiplyAdds(@Sendable (NodeShapes) -> Int?)

  /// Each output takes a filter: all of the weights, input `weights`, but their first axis.
  static func convolution(weights: Int) -> Work {
    .multiplyAdds { shapes in filtered(shapes.output, by: shapes.known(weights)) }
  }

  /// Each input gives a filter's worth of outputs.
  static let transposedConvolution: Work = .multiplyAdds { shapes in filtered(shapes.known(0), by: shapes.known(1)) }

  private static func filtered(_ places: [Int]?, by weights: [Int]?) -> Int? {
    guard let places, let weights, !weights.isEmpty else { return nil }
    return places.product.multipliedClamped(by: weights.dropFirst().product)
  }

  /// Each output takes a row of input 0, or a column with `transA`.
  static let matrixProduct: Work = .multiplyAdds { shapes in
    guard let a = shapes.known(0), let output = shapes.output, !a.isEmpty else { return nil }
    let axis = shapes.int("transA") ?? 0 != 0 && a.count > 1 ? a.count - 2 : a.count - 1
    return output.product.multipliedClamped(by: a[axis])
  }

  /// Every step multiplies by the input's weights, input 1, and by the state's, input 2.
  static let recurrence: Work = .multiplyAdds { shapes in
    guard let x = shapes.known(0), let w = shapes.known(1), let r = shapes.known(2), x.count == 3 else { return nil }
    let weights = w.product.addingClamped(r.product)
    return x[0].multipliedClamped(by: x[1]).multipliedClamped(by: weights)
  }

  /// Queries by keys, and weights by values: each element of the queries and of the output meets every key.
  static let attention: Work = .multiplyAdds { shapes in
    guard let q = shapes.known(0), let k = shapes.known(1), k.count >= 2, let output = shapes.output else { return nil }
    let past = shapes.known(4).map { $0.count == 4 ? $0[2] : 0 } ?? 0
    let keys = k[k.count - 2].addingClamped(past)
    return q.product.addingClamped(output.product).multipliedClamped(by: keys)
  }
}

// MARK: - Accuracy

/// How many products or terms are added up for one element of an output.
enum TermCount: Sendable {
  case one
  case counted(@Sendable (NodeShapes) -> Int)

  /// All of the weights, input `weights`, but their first axis.
  static func filter(weights: Int) -> TermCount { .counted { $0.shape(weights).dropFirst().nonzeroProduct } }

  /// The last extent of input 0.
  static let columns: TermCount = .counted { $0.shape(0).last ?? 1 }

  /// The last extent of input 0, or the one before it with `transA`.
  static let columnsOrRows: TermCount = .counted { shapes in
    (shapes.int("transA") ?? 0 != 0 ? shapes.shape(0).dropLast() : shapes.shape(0)[...]).last ?? 1
  }

  /// The extent along the node's axis.
  static let alongAxis: TermCount = .counted(\.extentOfAxis)

  /// The elements from the node's axis on.
  static let fromAxisOn: TermCount = .counted(\.elementsFromAxis)

  /// The elements of a channel of a map.
  static let map: TermCount = .counted { $0.shape(0).dropFirst(2).nonzeroProduct }

  /// The elements of the attribute `kernel_shape`.
  static let window: TermCount = .counted { shapes in
    guard case .ints(let kernel)? = shapes.node.attributes["kernel_shape"] else { return 1 }
    return kernel.map { Int(clamping: $0) }.nonzeroProduct
  }

  /// The features of a query, and the keys.
  static let attention: TermCount = .counted { shapes in
    (shapes.shape(0).last ?? 1).addingClamped(shapes.shape(1).dropLast().last ?? 1)
  }

  /// The weights of one step, and the steps that feed each other. What goes in lies along axis `inputAxis` of both
  /// matrices.
  static func recurrence(inputAxis: Int = 2) -> TermCount {
    .counted { shapes in
      let terms = [1, 2].map { shapes.shape($0).dropFirst(inputAxis).first ?? 1 }
      return terms[0].addingClamped(terms[1]).multipliedClamped(by: shapes.shape(0).first ?? 1)
    }
  }

  /// As many elements of input 0 as become one of the output, or as there are inputs.
  static let elementsPerOutput: TermCount = .counted { shapes in
    max(shapes.shape(0).nonzeroProduct / max(1, (shapes.output ?? []).nonzeroProduct), shapes.inputs.count)
  }
}

/// What the rounding errors of a right result go by.
struct Accuracy: Sendable {
  /// How many terms are added up for one element: errors grow with the square root of it.
  let terms: TermCount
  /// What errors go by at least, whatever comes out: 1 for functions whose values lie in 0…1 or −1…1, which formulas
  /// such as 0.5 + 0.5 · tanh(x / 2) round at 1.
  let leastScale: Double
  /// Whether the errors of the inputs are those of the output, whatever becomes of the values: data that are moved,
  /// added, or cut off at a limit. What is left after a cut, or after terms cancel, does not measure them.
  let passesErrorsOn: Bool
  /// How the terms come of the inputs.
  let addends: Addends

  /// How the terms that are added up come of the inputs.
  enum Addends: Sendable {
    /// Otherwise than below.
    case others
    /// Products of the inputs' elements.
    case products
    /// The elements of the inputs, or such a sum by a number: a mean. Their errors are added up with them.
    case elements

    /// Whether the result is linear in each factor: of the inputs' magnitudes it gives those of the terms, added up.
    var areLinear: Bool { self != .others }
  }

  /// One term, errors that go by the result.
  static let plain = Accuracy(terms: .one, leastScale: 0, passesErrorsOn: false, addends: .others)
  /// Values in 0…1 or −1…1.
  static let bounded = Accuracy(terms: .one, leastScale: 1, passesErrorsOn: false, addends: .others)
  static let passingErrorsOn = Accuracy(terms: .one, leastScale: 0, passesErrorsOn: true, addends: .others)

  /// Terms are added up that are not simply products of the inputs.
  static func sum(_ terms: TermCount) -> Accuracy { plain.adding(terms) }
  /// Products of the inputs are added up.
  static func sumOfProducts(_ terms: TermCount) -> Accuracy {
    Accuracy(terms: terms, leastScale: 0, passesErrorsOn: false, addends: .products)
  }

  /// Elements of the inputs are added up.
  static let sumOfElements = Accuracy(terms: .one, leastScale: 0, passesErrorsOn: false, addends: .elements)

  /// The same with so many terms.
  func adding(_ terms: TermCount) -> Accuracy {
    Accuracy(
      terms: terms, leastScale: leastScale, passesErrorsOn: passesErrorsOn, addends: addends)
  }
}
