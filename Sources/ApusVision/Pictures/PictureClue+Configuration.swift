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

  // MARK: - Hugging Face

  @Sendable private static func huggingFace(_ reader: inout JSONReader) throws -> PictureClue? {
    var (resizes, crops, rescales, normalizes, offsets) = (true, false, true, true, false)
    var (factor, filter, share) = (1.0 / 255, nil as ResizeFilter?, nil as Double?)
    var (mean, deviation, size, crop) = (nil as [Double]?, nil as [Double]?, Side?.none, Side?.none)
    var isPicture = false
    try reader.object { reader, key in
      if try reader.kind() == .null { return try reader.skip() }
      switch key {
      case "do_resize": resizes = try reader.boolean()
      case "do_center_crop": crops = try reader.boolean()
      case "do_rescale": rescales = try reader.boolean()
      case "do_normalize": normalizes = try reader.boolean()
      case "rescale_offset": offsets = try reader.boolean()
      case "rescale_factor": factor = try reader.number()
      case "crop_pct": share = try reader.number()
      case "resample": filter = try Self.pillow(reader.integer())
      case "size": size = try Side(&reader)
      case "crop_size": crop = try Side(&reader)
      case "image_mean": (mean, isPicture) = (try Self.colors(&reader, key), true)
      case "image_std": (deviation, isPicture) = (try Self.colors(&reader, key), true)
      case "image_processor_type": (_, isPicture) = (try reader.skip(), true)
      default: try reader.skip()
      }
    }
    try reader.end()
    guard isPicture else { return nil }
    var clue = PictureClue(origin: .stated, order: .rgb)
    clue.normalization = try Self.normalization(
      factor: rescales ? factor : 1, offset: rescales && offsets ? 1 : 0,
      mean: normalizes ? mean ?? [0, 0, 0] : [0, 0, 0], deviation: normalizes ? deviation ?? [1, 1, 1] : [1, 1, 1])
    guard resizes else { return clue }
    let seen = crops ? crop ?? size : size
    (clue.width, clue.height) = (seen?.width ?? seen?.shortest, seen?.height ?? seen?.shortest)
    // What is cut from the middle, as a share of the shorter side; ConvNeXt's say that share themselves.
    if let shortest = size?.shortest {
      let wanted = crop?.width ?? crop?.shortest ?? shortest
      clue.framing =
        share.map { Framing(fit: shortest < 384 ? .centerCrop : .stretch, cropFraction: shortest < 384 ? $0 : 1) }
        ?? Framing(fit: .centerCrop, cropFraction: crops ? Double(wanted) / Double(shortest) : 1)
    } else if let size, let width = size.width {
      let wanted = crops ? crop?.width ?? crop?.shortest : nil
      clue.framing =
        wanted.map { Framing(fit: .centerCrop, cropFraction: Double($0) / Double(width)) }
        ?? Framing(fit: .stretch)
    }
    clue.framing?.filter = filter
    return try clue.checked()
  }

  /// A size as it is written there: a number for the shorter side, or an object.
  private struct Side {
    var shortest: Int?
    var width: Int?
    var height: Int?

    init(_ reader: inout JSONReader) throws {
      if try reader.kind() == .number {
        shortest = try reader.integer()
      } else {
        var found: [String: Int] = [:]
        try reader.object { reader, key in
          if try reader.kind() == .number { found[key] = try reader.integer() } else { try reader.skip() }
        }
        (shortest, width, height) = (found["shortest_edge"], found["width"], found["height"])
      }
      guard [shortest, width, height].allSatisfy({ $0.map { 1...PicturePreparation.longestSide ~= $0 } ?? true }) else {
        throw PictureModelError(
          "a size outside 1 to \(PicturePreparation.longestSide) pixels")
      }
    }
  }

  /// Pillow's numbers of filters.
  private static func pillow(_ number: Int) -> ResizeFilter? {
    let filters: [ResizeFilter?] = [.nearest, .lanczos, .antialiasedBilinear, .antialiasedBicubic, .box]
    return filters.indices.contains(number) ? filters[number] : nil
  }

  // MARK: - timm

  @Sendable private static func timm(_ reader: inout JSONReader) throws -> PictureClue? {
    var clue: PictureClue?
    try reader.object { reader, key in
      guard key == "pretrained_cfg", try reader.kind() == .object else { return try reader.skip() }
      var found = PictureClue(origin: .stated, order: .rgb)
      var (mean, deviation) = (nil as [Double]?, nil as [Double]?)
      var framing = Framing(fit: .centerCrop)
      try reader.object { reader, key in
        if try reader.kind() == .null { return try reader.skip() }
        switch key {
        case "mean": mean = try Self.colors(&reader, key)
        case "std": deviation = try Self.colors(&reader, key)
        case "crop_pct": framing.cropFraction = try reader.number()
        case "crop_mode": framing.fit = try reader.string(limit: 64) == "squash" ? .stretch : .centerCrop
        case "interpolation":
          let names: [String: ResizeFilter] = [
            "nearest": .nearest, "bilinear": .antialiasedBilinear, "bicubic": .antialiasedBicubic, "lanczos": .lanczos,
            "box": .box,
          ]
          framing.filter = names[try reader.string(limit: 64)]
        case "input_size":
          var sizes: [Int] = []
          try reader.array { sizes.append(try $0.integer()) }
          if sizes.count == 3 { (found.height, found.width) = (sizes[1], sizes[2]) }
        default: try reader.skip()
        }
      }
      if framing.fit == .stretch { framing.cropFraction = 1 }
      found.framing = framing
      if let mean, let deviation {
        found.normalization = try Self.normalization(factor: 1.0 / 255, offset: 0, mean: mean, deviation: deviation)
      }
      clue = try found.checked()
    }
    try reader.end()
    return clue
  }

  // MARK: - Numbers

  /// A number for each of the three colours.
  private static func colors(_ reader: inout JSONReader, _ key: String) throws -> [Double] {
    var numbers: [Double] = []
    if try reader.kind() == .number {
      numbers = [Double](repeating: try reader.number(), count: 3)
    } else {
      try reader.array { numbers.append(try $0.number()) }
    }
    guard numbers.count == 3 else { throw PictureModelError("\(key) has \(numbers.count) numbers; 3 were expected") }
    return numbers
  }

  private static func normalization(
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

  private func checked() throws -> PictureClue {
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
