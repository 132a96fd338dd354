import Apus
import ApusMedia

extension PictureClue {
  /// What Hugging Face's `preprocessor_config.json` says; nil for one that is not of pictures.
  /// - Throws: ``PictureModelError``, ``JSONError``.
  @Sendable static func huggingFace(_ reader: inout JSONReader) throws -> PictureClue? {
    var keys = PreprocessorKeys()
    try reader.object { reader, key in
      if try reader.kind() != .null { return try keys.read(key, &reader) }
      try reader.skip()
      keys.clear(key)
    }
    try reader.end()
    guard keys.isPicture else { return nil }
    var clue = PictureClue(origin: .stated, order: keys.order)
    clue.normalization = try keys.normalization
    clue.unheeded = keys.unheeded
    guard keys.resizes else { return clue }
    let seen = keys.kept ?? keys.size
    (clue.width, clue.height) = (seen?.width ?? seen?.shortest, seen?.height ?? seen?.shortest)
    clue.framing = try keys.framing
    return try clue.checked()
  }
}

/// The keys of a `preprocessor_config.json` that say what becomes of a picture.
private struct PreprocessorKeys {
  private var (type, olderType) = (nil as String?, nil as String?)
  private(set) var resizes = true
  private var (rescales, normalizes, offsets) = (true, nil as Bool?, false)
  private var (cuts, flips, includesTop) = (nil as Bool?, nil as Bool?, nil as Bool?)
  private var (factor, share, resample) = (1.0 / 255, nil as Double?, nil as Int?)
  private var (mean, deviation) = (nil as [Double]?, nil as [Double]?)
  private var (statedSize, statedCrop) = (nil as PictureSides?, nil as PictureSides?)
  private var otherOperations: [String] = []

  /// Keys of operations that Apus does not have.
  private static let unknownOperations: Set<String> = [
    "crop_to_patches", "do_affine_transform", "do_align_long_axis", "do_color_quantize", "do_crop_margin",
    "do_grayscale", "do_image_splitting", "do_pad", "do_pan_and_scan", "do_split_image", "do_thumbnail",
    "keep_aspect_ratio", "max_size", "size_divisor",
  ]

  mutating func read(_ key: String, _ reader: inout JSONReader) throws {
    switch key {
    case "do_resize": resizes = try reader.boolean()
    case "do_center_crop": cuts = try reader.boolean()
    case "do_rescale": rescales = try reader.boolean()
    case "do_normalize": normalizes = try reader.boolean()
    case "do_flip_channel_order": flips = try reader.boolean()
    case "rescale_offset": offsets = try reader.boolean()
    case "include_top": includesTop = try reader.boolean()
    case "rescale_factor": factor = try reader.number()
    case "crop_pct": share = try reader.number()
    case "resample": resample = try reader.integer()
    case "size": statedSize = try PictureSides(&reader)
    case "crop_size": statedCrop = try PictureSides(&reader)
    case "image_mean": mean = try PictureClue.colors(&reader, key)
    case "image_std": deviation = try PictureClue.colors(&reader, key)
    case "image_processor_type": type = try Self.text(&reader)
    case "feature_extractor_type": olderType = try Self.text(&reader)
    case _ where Self.unknownOperations.contains(key) && !otherOperations.contains(key):
      if try Self.isAsked(&reader) { otherOperations.append(key) }
    default: try reader.skip()
    }
  }

  /// Heeds a key that is null: what is done or not is then not done; all others are as absent.
  mutating func clear(_ key: String) {
    switch key {
    case "do_resize": resizes = false
    case "do_center_crop": cuts = false
    case "do_rescale": rescales = false
    case "do_normalize": normalizes = false
    case "do_flip_channel_order": flips = false
    case "include_top": includesTop = false
    default: break
    }
  }

  private static func text(_ reader: inout JSONReader) throws -> String? {
    if try reader.kind() == .string { return try reader.string(limit: 256) }
    try reader.skip()
    return nil
  }

  /// Whether a value is anything but false.
  private static func isAsked(_ reader: inout JSONReader) throws -> Bool {
    if try reader.kind() == .boolean { return try reader.boolean() }
    try reader.skip()
    return true
  }

  /// The name of the processor, as `ViT` of `ViTImageProcessorFast` or `ViTFeatureExtractor`.
  private var name: String? {
    guard var name = (type ?? olderType)?[...] else { return nil }
    for ending in ["Fast", "Pil", "ImageProcessor", "FeatureExtractor"] where name.hasSuffix(ending) {
      name = name.dropLast(ending.count)
    }
    return String(name)
  }

  private var processor: HuggingFaceProcessor? { name.flatMap { HuggingFaceProcessor.known[$0] } }

  /// Sounds have a `feature_extractor_type` as well.
  var isPicture: Bool { mean != nil || deviation != nil || type != nil || processor != nil }

  /// What the configuration asks for and a clue cannot say.
  var unheeded: [String] {
    var keys = otherOperations
    if let type = type ?? olderType, processor == nil { keys.append("image_processor_type \(type)") }
    guard resizes else { return keys }
    if let resample, Self.pillow(resample) == nil { keys.append("resample \(resample)") }
    if let statedSize, statedSize.hasOthers { keys.append("size") }
    return keys
  }

  // MARK: - Numbers

  var order: ColorOrder { flips ?? (name == "MobileViT") ? .bgr : .rgb }

  /// Nil where the picture is normalised, and the configuration does not say to what.
  var normalization: ImageNormalization? {
    get throws {
      let isScaled = normalizes ?? true && name != "MobileViT"
      if isScaled, normalizes == true, mean == nil { return nil }
      let one = [1.0, 1, 1]
      // EfficientNet's with a classifier on top are divided by their deviation once more.
      let isTop = name == "EfficientNet" ? includesTop ?? true : name == nil && includesTop == true
      let deviations = zip(isScaled ? deviation ?? one : one, isTop ? deviation ?? one : one).map { $0 * $1 }
      return try PictureClue.normalization(
        factor: rescales ? factor : 1, offset: rescales && offsets ? 1 : 0,
        mean: isScaled ? mean ?? [0, 0, 0] : [0, 0, 0], deviation: deviations)
    }
  }

  /// Pillow's numbers of filters.
  private static func pillow(_ number: Int) -> ResizeFilter? {
    let filters: [ResizeFilter?] = [.nearest, .lanczos, .antialiasedBilinear, .antialiasedBicubic, .box]
    return filters.indices.contains(number) ? filters[number] : nil
  }

  // MARK: - Sides

  private var crops: Bool { cuts ?? processor?.crops ?? false }

  /// The size that the picture is brought to before it is cut.
  var size: PictureSides? {
    guard var size = statedSize else { return nil }
    if let number = size.number {
      // Without a type and without anything that is cut, only a square is of the sides that a network takes.
      let isSquare = processor?.takesSquares ?? (name != nil || !crops && share == nil)
      if isSquare { (size.width, size.height) = (number, number) } else { size.shortest = number }
    }
    // PoolFormer's squares are shorter sides as well.
    if name == "PoolFormer", size.width == size.height, size.width != nil { size.shortest = size.width }
    return size
  }

  /// The size that is cut out; nil for all of it.
  var kept: PictureSides? {
    guard crops, var crop = statedCrop else { return nil }
    if let number = crop.number ?? crop.shortest { (crop.width, crop.height) = (number, number) }
    return crop
  }

  var framing: PictureClue.Framing? {
    get throws {
      let filter = resample.map(Self.pillow) ?? processor?.filter
      guard let size else { return nil }
      if let shortest = size.shortest { return framing(shortest: shortest, filter) }
      guard let width = size.width, let height = size.height else { return nil }
      var framing = PictureClue.Framing(fit: .stretch, filter: filter)
      guard let kept, let keptWidth = kept.width, let keptHeight = kept.height else { return framing }
      guard keptWidth * height == keptHeight * width else {
        throw PictureModelError(
          "a part of \(keptWidth) × \(keptHeight) pixels of \(width) × \(height); the same proportions were expected")
      }
      framing.cropFraction = Double(keptWidth) / Double(width)
      framing.cutsWholePixels = true
      return framing
    }
  }

  /// The framing of a picture whose shorter side is given.
  private func framing(shortest: Int, _ filter: ResizeFilter?) -> PictureClue.Framing {
    let side = Double(shortest)
    let isConvNext = name == "ConvNext" || name == nil && share != nil
    if isConvNext, shortest >= 384 { return PictureClue.Framing(fit: .stretch, filter: filter) }
    // These processors make the side longer before they cut.
    let resized =
      switch name {
      case _ where isConvNext: (side / (share ?? 224.0 / 256)).rounded(.down)
      case "PoolFormer": (side / (share ?? 0.9)).rounded(.down)
      case "Levit": (256.0 / 224 * side).rounded(.down)
      default: side
      }
    let wanted = isConvNext ? side : kept?.width.map(Double.init) ?? (crops ? side : resized)
    return PictureClue.Framing(
      fit: .centerCrop, cropFraction: wanted / resized, cutsWholePixels: true, filter: filter)
  }
}
