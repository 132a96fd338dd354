/// Axes as the standard counts them: negative ones from the end.
enum Axes {
  /// - Throws: ``OperatorError`` for an axis outside `-rank ..< rank`.
  static func resolve(_ axis: Int, rank: Int) throws -> Int {
    let resolved = axis < 0 ? axis &+ rank : axis
    guard resolved >= 0, resolved < rank else {
      throw OperatorError("axis \(axis) does not exist in a tensor of rank \(rank)")
    }
    return resolved
  }

  /// - Throws: ``OperatorError`` for an axis outside `-rank ..< rank`, or named twice.
  static func resolve(_ axes: [Int], rank: Int) throws -> [Int] {
    let resolved = try axes.map { try resolve($0, rank: rank) }
    guard resolved.count < 2 || Set(resolved).count == resolved.count else {
      throw OperatorError("axes \(axes) name an axis twice")
    }
    return resolved
  }
}
