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
      return dimensions.enumerated().compactMap { axis, dimension in
        switch dimension {
        case .size: nil
        case .symbol(let symbol): [symbol, "\(info.name).\(axis)"]
        case .unknown: ["\(info.name).\(axis)"]
        }
      }
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
