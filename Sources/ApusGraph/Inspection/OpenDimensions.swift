import Apus

/// The extents that a model's inputs leave open, and what they are to be.
///
/// An open extent is named by its symbol (`batch`) or, always, by its input and axis (`images.0`).
package struct OpenDimensions: Sendable {
  private var sizes: [String: Int]

  /// - Parameter sizes: extents by name.
  package init(_ sizes: [String: Int] = [:]) {
    self.sizes = sizes
  }

  /// Takes the extents of the symbols that `info` declares from a value that is given for it.
  package mutating func take(from value: GraphValue, for info: Graph.ValueInfo) {
    guard case .tensor(_, let dimensions?)? = info.type, let shape = value.shape else { return }
    for (dimension, size) in zip(dimensions, shape) {
      if case .symbol(let name) = dimension { sizes[name] = size }
    }
  }

  /// The first extent that was given under two names and is not the same under both; nil where there is none.
  package func contradiction(in inputs: [Graph.ValueInfo]) -> [(name: String, size: Int)]? {
    for names in Self.open(inputs) {
      let given = names.compactMap { name in sizes[name].map { (name: name, size: $0) } }
      if Set(given.map(\.size)).count > 1 { return given }
    }
    return nil
  }

  /// The first extent that was given and is another one in a value for `info`; nil where there is none.
  package func contradiction(
    of value: GraphValue, for info: Graph.ValueInfo
  ) -> (name: String, size: Int, axis: Int)? {
    guard case .tensor(_, let dimensions?)? = info.type, let shape = value.shape else { return nil }
    for (axis, (dimension, extent)) in zip(dimensions, shape).enumerated() {
      for name in Self.names(of: dimension, "\(info.name).\(axis)") {
        if let size = sizes[name], size != extent { return (name, size, axis) }
      }
    }
    return nil
  }

  /// The shape of `info`; nil while an extent is missing or the rank is not declared.
  package func shape(of info: Graph.ValueInfo) -> [Int]? {
    guard case .tensor(_, let dimensions?)? = info.type else { return nil }
    let shape = dimensions.enumerated().map { size(of: $1, named: "\(info.name).\($0)") }
    return shape.contains(nil) ? nil : shape.compactMap { $0 }
  }

  private func size(of dimension: GraphDimension, named name: String) -> Int? {
    switch dimension {
    case .size(let size): size
    case .symbol(let symbol): sizes[name] ?? sizes[symbol]
    case .unknown: sizes[name]
    }
  }

  /// The names of the extents that are still missing, each once, in the order of `inputs`.
  package func missing(in inputs: [Graph.ValueInfo]) -> [String] {
    Self.open(inputs).filter { !$0.contains { sizes[$0] != nil } }.compactMap(\.first).uniqued()
  }

  /// All names that open extents of `inputs` go by.
  package static func names(in inputs: [Graph.ValueInfo]) -> [String] {
    open(inputs).flatMap { $0 }.uniqued()
  }

  /// The names of each open extent, the one to show first.
  private static func open(_ inputs: [Graph.ValueInfo]) -> [[String]] {
    inputs.flatMap { info -> [[String]] in
      guard case .tensor(_, let dimensions?)? = info.type else { return [] }
      return dimensions.enumerated().map { names(of: $1, "\(info.name).\($0)") }.filter { !$0.isEmpty }
    }
  }

  /// The names of an extent that has the name `place` in any case; none where it is not open.
  private static func names(of dimension: GraphDimension, _ place: String) -> [String] {
    switch dimension {
    case .size: []
    case .symbol(let symbol): [symbol, place]
    case .unknown: [place]
    }
  }
}

extension [String] {
  /// Each element once, where it comes first.
  fileprivate func uniqued() -> [String] {
    var seen = Set<String>()
    return filter { seen.insert($0).inserted }
  }
}
