import Apus
import ApusMedia

extension PictureClue {
  /// What a configuration beside a model says: Hugging Face's `preprocessor_config.json`, or timm's `config.json`. Nil
  /// where there is neither.
  ///
  /// - Throws: ``PictureModelError`` for a configuration that cannot be read: it was put there to be heeded.
  init?(besideModel path: String) throws {
    for (name, file) in ModelCompanion.files(ofModel: path, named: Self.readers.map(\.name)) {
      guard let read = Self.readers.first(where: { $0.name == name })?.read else { continue }
      do {
        let clue = try MappedFile(path: file, limit: Self.byteLimit).withUnsafeBytes { bytes in
          var reader = JSONReader(bytes)
          return try read(&reader)
        }
        guard var clue else { continue }
        clue.origin = .configuration(name)
        self = clue
        return
      } catch let error as JSONError {
        throw PictureModelError("\(file): \(error)")
      } catch let error as PictureModelError {
        throw PictureModelError("\(file): \(error)")
      }
    }
    return nil
  }

  private static let byteLimit = 1 << 24

  fileprivate static let readers: [(name: String, read: @Sendable (inout JSONReader) throws -> PictureClue?)] = [
    ("preprocessor_config.json", huggingFace), ("config.json", timm),
  ]

  /// A number for each of the three colours.
  /// - Throws: ``PictureModelError``, ``JSONError``.
  static func colors(_ reader: inout JSONReader, _ key: String) throws -> [Double] {
    var numbers: [Double] = []
    if try reader.kind() == .number {
      numbers = [Double](repeating: try reader.number(), count: 3)
    } else {
      try reader.array { numbers.append(try $0.number()) }
    }
    guard numbers.count == 3 else { throw PictureModelError("\(key) has \(numbers.count) numbers; 3 were expected") }
    return numbers
  }

  /// `(byte · factor − offset − mean) / deviation`.
  /// - Throws: ``PictureModelError`` for numbers that make none of a picture.
  static func normalization(
    factor: Double, offset: Double, mean: [Double], deviation: [Double]
  ) throws -> ImageNormalization {
    let (divisor, shifted) = (Float(1 / factor), mean.map { Float($0 + offset) })
    guard divisor.isFinite, divisor > 0, shifted.allSatisfy(\.isFinite),
      deviation.allSatisfy({ Float($0).isFinite && Float($0) > 0 })
    else {
      throw PictureModelError(
        "a factor of \(factor), means of \(mean) and deviations of \(deviation) make no numbers of a picture")
    }
    return ImageNormalization(divisor: divisor, mean: shifted, deviation: deviation.map { Float($0) })
  }

  /// The clue, unless its sizes are none that a picture is brought to.
  /// - Throws: ``PictureModelError``.
  func checked() throws -> PictureClue {
    let sides = [width, height].compactMap(\.self)
    guard sides.allSatisfy({ 1...PicturePreparation.longestSide ~= $0 }) else {
      throw PictureModelError("an input of \(sides) pixels; 1 to \(PicturePreparation.longestSide) were expected")
    }
    if let share = framing?.cropFraction, !(share > 0 && share <= 1) {
      throw PictureModelError("a crop of \(share) of the picture; above 0, up to 1, was expected")
    }
    return self
  }
}

extension PicturePreparation {
  /// Reads a configuration as each of those that may lie beside a model, and forgets it.
  /// - Throws: ``PictureModelError``, ``JSONError``.
  package static func checkConfiguration(_ bytes: UnsafeRawBufferPointer) throws {
    for (_, read) in PictureClue.readers {
      var reader = JSONReader(bytes)
      _ = try read(&reader)
    }
  }
}
