import Apus
import ApusGraph
import ApusMedia

extension PictureClue {
  /// What is known of the pictures that a model was trained with, the surest first.
  ///
  /// - Parameters:
  ///   - input: the name of its input that is a picture.
  ///   - file: where the model lies; what lies beside it counts.
  /// - Throws: ``PictureModelError`` for a configuration beside the file that cannot be read, ``FileError``.
  static func all(of model: any GraphModel, input: String, file: String) throws -> [PictureClue] {
    if case .picture(let form)? = model.form(of: input) {
      return [PictureClue(origin: .declared, normalization: .bytes, order: form.colors == .bgr ? .bgr : .rgb)]
    }
    let graph = model.graph
    if case .tensor(.uint8?, _)? = graph.value(named: input).flatMap({ graph.values[$0].type }) {
      return [PictureClue(origin: .bytes, normalization: .bytes)]
    }
    return try [
      PictureClue(metadata: model.metadata), PictureClue(graph: graph, input: input), PictureClue(besideModel: file),
    ].compactMap(\.self)
  }
}

extension PicturePreparation {
  /// How a picture becomes an input of numbers of any model. A picture of other proportions is stretched where nothing
  /// says what becomes of it.
  ///
  /// - Parameters:
  ///   - input: the name of the input.
  ///   - file: where the model lies; what lies beside it counts.
  ///   - image: the picture, whose own sides are taken where nothing says others.
  ///   - stated: what the caller says of it.
  /// - Returns: nil for an input that is not one picture of three channels.
  /// - Throws: ``PictureModelError`` for a configuration beside the file that cannot be read, ``FileError``.
  package init?(
    of model: any GraphModel, input: String, file: String, image: Image<UInt8>,
    stated: PictureStatement = PictureStatement()
  ) throws {
    let graph = model.graph
    guard case .tensor(_, let dimensions?)? = graph.value(named: input).flatMap({ graph.values[$0].type }),
      let axes = PictureAxes(dimensions)
    else { return nil }
    let clues = try [stated.clue] + PictureClue.all(of: model, input: input, file: file)
    let usual = ImageInput(
      width: axes.width ?? clues.lazy.compactMap(\.width).first ?? image.width,
      height: axes.height ?? clues.lazy.compactMap(\.height).first ?? image.height, fit: .stretch,
      filter: .antialiasedBilinear, layout: axes.isChannelsLast ? .nhwc : .nchw)
    self.init(usual: usual, of: "most networks", clues: clues)
  }
}
