import Apus
import ApusMedia

/// What an image processor of Hugging Face's transformers takes for granted, and its configuration may leave unsaid.
struct HuggingFaceProcessor: Sendable {
  /// Whether a size that is one number means both sides, and not the shorter one (`default_to_square`).
  let takesSquares: Bool
  /// Whether it cuts out the middle (`do_center_crop`).
  let crops: Bool
  /// How it resamples (`resample`).
  let filter: ResizeFilter

  private init(_ number: Number, crops: Bool = false, _ filter: ResizeFilter) {
    (takesSquares, self.crops, self.filter) = (number == .square, crops, filter)
  }

  private enum Number { case square, shortest }

  /// Those whose arithmetic is known, by the name before `ImageProcessor`, as of transformers 5.24.
  static let known: [String: HuggingFaceProcessor] = [
    "Beit": .init(.square, .antialiasedBicubic),
    "Bit": .init(.shortest, crops: true, .antialiasedBicubic),
    "Blip": .init(.square, .antialiasedBicubic),
    "CLIP": .init(.shortest, crops: true, .antialiasedBicubic),
    "ChineseCLIP": .init(.shortest, crops: true, .antialiasedBicubic),
    "ConvNext": .init(.shortest, .antialiasedBicubic),
    "DINOv3ViT": .init(.square, .antialiasedBilinear),
    "DPT": .init(.square, .antialiasedBicubic),
    "DeiT": .init(.square, crops: true, .antialiasedBicubic),
    "EfficientNet": .init(.square, .antialiasedBicubic),
    "Levit": .init(.shortest, crops: true, .antialiasedBicubic),
    "MobileNetV1": .init(.shortest, crops: true, .antialiasedBilinear),
    "MobileNetV2": .init(.shortest, crops: true, .antialiasedBilinear),
    "MobileViT": .init(.shortest, crops: true, .antialiasedBicubic),
    "OwlViT": .init(.square, .antialiasedBicubic),
    "PoolFormer": .init(.shortest, crops: true, .antialiasedBicubic),
    "Pvt": .init(.square, .antialiasedBicubic),
    "RTDetr": .init(.shortest, .antialiasedBilinear),
    "Segformer": .init(.square, .antialiasedBilinear),
    "Siglip": .init(.shortest, .antialiasedBicubic),
    "ViT": .init(.square, .antialiasedBilinear),
  ]
}

/// A size as it is written there: a number, or an object.
struct PictureSides {
  /// The number, whose meaning is the processor's.
  let number: Int?
  var shortest: Int?
  var width: Int?
  var height: Int?
  /// Whether it says anything that is not one of these, or none of them.
  let hasOthers: Bool

  /// - Throws: ``PictureModelError`` for sides of no picture, ``JSONError``.
  init(_ reader: inout JSONReader) throws {
    if try reader.kind() == .number {
      (number, hasOthers) = (try reader.integer(), false)
    } else {
      var found: [String: Int] = [:]
      try reader.object { reader, key in
        if try reader.kind() == .number { found[key] = try reader.integer() } else { try reader.skip() }
      }
      (shortest, width, height) = (found["shortest_edge"], found["width"], found["height"])
      let isComplete = shortest != nil || width != nil && height != nil
      (number, hasOthers) = (nil, !isComplete || found["longest_edge"] != nil)
    }
    guard [number, shortest, width, height].allSatisfy({ $0.map { 1...PicturePreparation.longestSide ~= $0 } ?? true })
    else {
      throw PictureModelError("a size outside 1 to \(PicturePreparation.longestSide) pixels")
    }
  }
}
