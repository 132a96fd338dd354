/// How a pixel of a resized picture is made of the pixels at its place.
public enum ResizeFilter: String, Sendable, Hashable, CaseIterable {
  /// The pixel at its centre.
  case nearest
  /// The weighted mean of the two by two around its centre: OpenCV's `INTER_LINEAR`. Much smaller pictures are ragged,
  /// for most pixels then have no part in them.
  case bilinear
}
