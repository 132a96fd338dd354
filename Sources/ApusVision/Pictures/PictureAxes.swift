import ApusGraph

/// Where one picture of three channels has its sides, among the axes of an input.
struct PictureAxes {
  /// Whether the input is `[1, height, width, 3]`; else `[1, 3, height, width]`.
  let isChannelsLast: Bool
  /// The sides, where the model declares them.
  let height: Int?
  let width: Int?

  /// Nil for an input that is something else.
  init?(_ dimensions: [GraphDimension]) {
    let sizes = dimensions.map(\.extent)
    guard sizes.count == 4, sizes[0] ?? 1 == 1, sizes[1] == 3 || sizes[3] == 3 else { return nil }
    isChannelsLast = sizes[1] != 3
    (height, width) = isChannelsLast ? (sizes[1], sizes[2]) : (sizes[2], sizes[3])
  }
}
