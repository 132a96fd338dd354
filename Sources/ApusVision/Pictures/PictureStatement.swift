import ApusMedia

/// What the caller says of the pictures that a model wants; nil where that is to be found out.
package struct PictureStatement: Sendable, Hashable {
  /// How bytes become its numbers.
  package var normalization: ImageNormalization?
  /// The order of its colours.
  package var order: ColorOrder?
  /// What becomes of a picture of other proportions.
  package var fit: ImageInput.Fit?
  /// The width of its input, where the model leaves it open.
  package var width: Int?
  /// The height of its input, where the model leaves it open.
  package var height: Int?

  package init(normalization: ImageNormalization? = nil, width: Int? = nil, height: Int? = nil) {
    (self.normalization, self.width, self.height) = (normalization, width, height)
  }

  var clue: PictureClue {
    var clue = PictureClue(origin: .stated, normalization: normalization, order: order)
    clue.framing = fit.map { PictureClue.Framing(fit: $0) }
    (clue.width, clue.height) = (width, height)
    return clue
  }
}
