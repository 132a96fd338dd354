import Apus

// Outputs are what a caller gets: their names, or their order, say which is which, and not what they hold; and one of
// another shape is another output, but for an order of axes that the two models differ by elsewhere.

extension ModelPairing {
  /// What says which output of one model is which of the other.
  enum OutputIdentity {
    /// Their names and, where two have no name in common, their order.
    case names
    /// Their order, for names are made up.
    case order
    /// Their names; they have no order.
    case namesAlone

    /// What counts between two models.
    func joined(with other: OutputIdentity) -> OutputIdentity {
      if self == .namesAlone || other == .namesAlone { return .namesAlone }
      return self == .order || other == .order ? .order : .names
    }
  }

  /// Pairs outputs: those of one name, whatever their shapes; what is left in order where the counts agree and shapes fit,
  /// and otherwise with what is like it or, where nothing is, what fits, still in order if they have one.
  ///
  /// - Parameters:
  ///   - layouts: the orders of axes that inputs show. Of values in between they are looked up where these do not settle it.
  ///   - leastCount: tensors of fewer elements are alike by chance.
  static func outputs(
    _ own: ComparedValues, _ other: ComparedValues, by identity: OutputIdentity, layouts: Layouts, leastCount: Int
  ) throws -> [Pair] {
    let matches = try matches(own, other, by: identity)
    func ordered(_ layouts: Layouts) throws -> [(pair: Pair, isSettled: Bool)] {
      try matches.map { match in
        let (order, isSettled) = try layouts.order(of: other.all[match.other], for: own.all[match.own])
        let shape = other.all[match.other]?.shape
        let pair = Pair(
          name: match.own, referenceName: match.other, evidence: match.evidence, order: order,
          referenceShape: shape == order.shape ? nil : shape)
        return (pair, isSettled)
      }
    }
    let pairs = try ordered(layouts)
    guard pairs.contains(where: { !$0.isSettled }) else { return pairs.map(\.pair) }
    let (outputs, others) = (Set(own.outputNames), Set(other.outputNames))
    let shown = try Self.layouts(
      own.tensors.filter { !outputs.contains($0.name) }, other.tensors.filter { !others.contains($0.name) },
      leastCount: leastCount)
    return try ordered(layouts.union(shown)).map(\.pair)
  }

  private static func matches(
    _ own: ComparedValues, _ other: ComparedValues, by identity: OutputIdentity
  ) throws -> [(own: String, other: String, evidence: Evidence)] {
    var (left, others) = (own.outputNames, other.outputNames)
    var found: [(own: String, other: String, evidence: Evidence)] = []
    func pair(_ name: String, _ match: String, _ evidence: Evidence) {
      found.append((name, match, evidence))
      left.removeAll { $0 == name }
      others.removeAll { $0 == match }
    }
    if identity != .order || left.count != others.count {
      for name in left where others.contains(name) { pair(name, name, .name) }
    }
    if identity != .namesAlone, left.count == others.count {
      for (name, match) in zip(left, others)
      where left.contains(name) && others.contains(match) && fits(other.all[match], own.all[name]) {
        pair(name, match, .place)
      }
      return found
    }
    for name in left {
      let fitting = others.filter { fits(other.all[$0], own.all[name]) }
      let degrees = try fitting.map { try degree(of: other.all[$0], for: own.all[name]) }
      let alike = fitting.indices.filter { degrees[$0] >= Likeness.least }.max { degrees[$0] < degrees[$1] }
      guard let match = alike.map({ fitting[$0] }) ?? fitting.first else { continue }
      // What comes before it is no counterpart of what comes after.
      if identity != .namesAlone, let place = others.firstIndex(of: match) { others.removeFirst(place) }
      pair(name, match, .place)
    }
    return found
  }

  /// Whether both have as many elements; sequences have no number of them.
  private static func fits(_ other: GraphValue?, _ value: GraphValue?) -> Bool {
    guard let other, let value else { return false }
    guard let source = other.shape, let target = value.shape else { return other.shape == nil && value.shape == nil }
    return !AxisOrder.all(from: source, to: target).isEmpty
  }

  /// How alike two are in any order of axes; 0 of what are no numbers.
  private static func degree(of other: GraphValue?, for value: GraphValue?) throws -> Double {
    guard let a = try value.flatMap({ try NamedNumbers("", $0)?.tensor }),
      let b = try other.flatMap({ try NamedNumbers("", $0)?.tensor })
    else { return 0 }
    return try Likeness.best(of: b, for: a)?.degree ?? 0
  }
}

extension ModelPairing.Pair {
  /// An output of the reference in the order of axes that the model has it in; as it is where that is its own, or where it
  /// has another number of axes.
  ///
  /// - Parameter own: the model's, which may have more or fewer axes of extent 1.
  func turned(_ value: GraphValue, like own: GraphValue?) throws -> GraphValue {
    guard case .tensor(let any) = value else { return value }
    if order.axes == nil, let shape = own?.shape, AxisOrder.differAtMostByUnitAxes(any.shape, shape) {
      return .tensor(try any.reordered(by: AxisOrder(axes: nil, shape: shape)))
    }
    guard let axes = order.permutation(of: referenceShape ?? order.shape),
      axes.count == any.shape.count, axes != Array(axes.indices)
    else { return value }
    return .tensor(try any.permuted(axes))
  }
}

/// The orders of axes that two models are known to differ by.
struct Layouts {
  /// Of the axes longer than 1: ``AxisOrder/axes``.
  private(set) var axes: Set<[Int]> = []
  /// Of all axes, those of extent 1 among them: ``AxisOrder/permutation(of:)``.
  private(set) var permutations: Set<[Int]> = []

  /// Takes an order over that something of `shape` is in.
  mutating func insert(_ order: AxisOrder, from shape: [Int]) {
    if let axes = order.axes { self.axes.insert(axes) }
    guard let permutation = order.permutation(of: shape), permutation != Array(permutation.indices) else { return }
    permutations.insert(permutation)
  }

  func union(_ other: Layouts) -> Layouts {
    var layouts = self
    layouts.axes.formUnion(other.axes)
    layouts.permutations.formUnion(other.permutations)
    return layouts
  }

  private func contains(_ order: AxisOrder, from shape: [Int]) -> Bool {
    guard let permutation = order.permutation(of: shape) else { return false }
    return permutations.contains(permutation) || order.axes.map(axes.contains) ?? false
  }

  /// How an output of the reference lies in the model's: as it is, whatever its shape but for axes of extent 1, unless it is
  /// more like it in one of these orders.
  ///
  /// - Returns: the order; and whether no other layout would have it otherwise.
  func order(of other: GraphValue?, for value: GraphValue?) throws -> (order: AxisOrder, isSettled: Bool) {
    guard let other, let value, let source = other.shape, let target = value.shape else {
      return (AxisOrder(axes: nil, shape: other?.shape ?? []), true)
    }
    let isPlain = AxisOrder.differAtMostByUnitAxes(source, target)
    let plain = AxisOrder(axes: nil, shape: isPlain ? target : source)
    let turned = AxisOrder.all(from: source, to: target).filter { order in
      order.permutation(of: source) != nil && (order.axes != nil || source != target)
    }
    let orders = (isPlain ? [plain] : []) + turned.filter { contains($0, from: source) }
    guard let a = try NamedNumbers("", value)?.tensor, let b = try NamedNumbers("", other)?.tensor else {
      return (orders.first ?? plain, !orders.isEmpty || turned.isEmpty)
    }
    let best = try Likeness.best(of: b, for: a, in: orders)
    let isSame = best.map { $0.degree >= Likeness.leastOfSame } ?? false
    return (best?.order ?? orders.first ?? plain, isSame || turned.isEmpty)
  }
}
