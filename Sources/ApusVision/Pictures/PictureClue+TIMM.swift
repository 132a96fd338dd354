import Apus
import ApusMedia

extension PictureClue {
  /// What timm's `config.json` says under `pretrained_cfg`, with timm's own defaults for what that leaves out; nil for
  /// another `config.json`.
  /// - Throws: ``PictureModelError``, ``JSONError``.
  @Sendable static func timm(_ reader: inout JSONReader) throws -> PictureClue? {
    var clue: PictureClue?
    try reader.object { reader, key in
      guard key == "pretrained_cfg", try reader.kind() == .object else { return try reader.skip() }
      clue = try timmConfiguration(&reader)
    }
    try reader.end()
    return clue
  }

  private static func timmConfiguration(_ reader: inout JSONReader) throws -> PictureClue {
    var found = PictureClue(origin: .stated, order: .rgb)
    var (mean, deviation) = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
    var framing = Framing(fit: .centerCrop, cropFraction: 0.875, filter: .antialiasedBicubic)
    try reader.object { reader, key in
      if try reader.kind() == .null { return try reader.skip() }
      switch key {
      case "mean": mean = try Self.colors(&reader, key)
      case "std": deviation = try Self.colors(&reader, key)
      case "crop_pct": framing.cropFraction = try reader.number()
      case "crop_mode": framing.fit = try timmFit(reader.string(limit: 64))
      case "interpolation":
        let name = try reader.string(limit: 64)
        framing.filter = timmFilters[name]
        if framing.filter == nil { found.unheeded.append("interpolation \(name)") }
      case "input_size":
        var sizes: [Int] = []
        try reader.array { sizes.append(try $0.integer()) }
        if sizes.count == 3 { (found.height, found.width) = (sizes[1], sizes[2]) }
      default: try reader.skip()
      }
    }
    found.framing = framing
    found.normalization = try Self.normalization(factor: 1.0 / 255, offset: 0, mean: mean, deviation: deviation)
    return try found.checked()
  }

  private static let timmFilters: [String: ResizeFilter] = [
    "nearest": .nearest, "bilinear": .antialiasedBilinear, "bicubic": .antialiasedBicubic, "lanczos": .lanczos,
    "box": .box,
  ]

  /// - Throws: ``PictureModelError`` for a frame around the picture, which no fit makes in the colour that it has there.
  private static func timmFit(_ mode: String) throws -> ImageInput.Fit {
    switch mode {
    case "squash": return .stretch
    case "border":
      throw PictureModelError("crop_mode border frames pictures, which is not done here; center or squash was expected")
    default: return .centerCrop
    }
  }
}
