import Apus

extension Node {
  /// Other values of attributes that exporters get wrong: each is tried where a node differs.
  ///
  /// - Parameter rank: of the node's first input.
  func attributeVariations(rank: Int) -> [(name: String, value: AttributeValue)] {
    func texts(_ name: String, _ values: String...) -> [(String, AttributeValue)] {
      values.map { (name, .string(Array($0.utf8))) }
    }
    func numbers(_ name: String, _ values: some Sequence<Int>) -> [(String, AttributeValue)] {
      values.map { (name, .int(Int64($0))) }
    }
    var all: [(String, AttributeValue)] = [1e-5, 1e-6, 1e-3, 1e-12, 1e-4, 1e-2, 1e-7, 1e-8, 0].map {
      ("epsilon", .float($0))
    }
    all += texts("approximate", "none", "tanh")
    all += texts(
      "coordinate_transformation_mode", "half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel",
      "half_pixel_symmetric")
    all += texts("nearest_mode", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
    all += texts("mode", "nearest", "linear", "cubic", "constant", "reflect", "edge", "wrap")
    for flag in ["align_corners", "count_include_pad", "ceil_mode", "linear_before_reset", "transA", "transB"] {
      all += numbers(flag, 0...1)
    }
    all += numbers("axis", 0..<max(0, min(rank, 8)))
    if rank > 1, rank <= 4 { all += Self.orders(rank).map { ("perm", .ints($0.map(Int64.init))) } }
    if case .ints(let pads)? = attributes["pads"] {
      // As many places more before as fewer behind, and the other way around.
      let half = pads.count / 2
      for shift in [-1, 1] as [Int64] {
        let moved = pads.enumerated().map { $1.addingReportingOverflow($0 < half ? shift : -shift).partialValue }
        if moved.allSatisfy({ $0 >= 0 }) { all.append(("pads", .ints(moved))) }
      }
    }
    return all.filter { attributes[$0.0]?.summary != $0.1.summary }.map { (name: $0.0, value: $0.1) }
  }

  /// Every order of so many axes.
  private static func orders(_ rank: Int) -> [[Int]] {
    (0..<rank).reduce([[]]) { orders, _ in
      orders.flatMap { order in (0..<rank).filter { !order.contains($0) }.map { order + [$0] } }
    }
  }
}
