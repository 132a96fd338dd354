import Apus
import ApusMedia

extension PictureClue {
  /// What exporters wrote into the file, in the forms that are known: that of Ultralytics, and the ONNX standard's
  /// entries `Image.…`. Nil where there is none of them.
  init?(metadata: [String: String]) {
    if let clue = Self.image(metadata) ?? Self.ultralytics(metadata) { self = clue } else { return nil }
  }

  /// Ultralytics' networks, classifiers too, take red, green and blue from 0 to 1; its exports say who wrote them.
  private static func ultralytics(_ entries: [String: String]) -> PictureClue? {
    guard entries["author"] == "Ultralytics", let task = entries["task"] else { return nil }
    var clue = PictureClue(origin: .metadata("Ultralytics, \(task)"), normalization: .unit, order: .rgb)
    clue.framing = Framing(fit: .letterbox, filter: .bilinear)
    guard task == "classify" else { return clue }
    clue.framing = Framing(fit: .centerCrop, filter: .antialiasedBilinear)
    var reader = LiteralReader(entries["imgsz"] ?? "")
    if let size = try? reader.integers(limit: 4), let last = size.last { (clue.height, clue.width) = (size[0], last) }
    return clue
  }

  /// `Image.NominalPixelRange` and `Image.BitmapPixelFormat`, whose capitals exporters do not agree on.
  private static func image(_ entries: [String: String]) -> PictureClue? {
    let entries = Dictionary(
      entries.map { ($0.lowercased(), $1.lowercased()) }, uniquingKeysWith: { first, _ in first })
    let (range, format) = (entries["image.nominalpixelrange"], entries["image.bitmappixelformat"])
    let normalization: ImageNormalization? =
      switch range {
      case "nominalrange_0_255"?: .bytes
      case "normalized_0_1"?: .unit
      case "normalized_1_1"?: .signed
      // 16 to 235: 219 steps from 16 on.
      case "nominalrange_16_235"?: ImageNormalization(divisor: 255.0 / 219, mean: [-16, -16, -16])
      default: nil
      }
    let order: ColorOrder? = format.flatMap { $0.hasPrefix("bgr") ? .bgr : $0.hasPrefix("rgb") ? .rgb : nil }
    guard normalization != nil || order != nil else { return nil }
    let names = [range.map { _ in "Image.NominalPixelRange" }, format.map { _ in "Image.BitmapPixelFormat" }]
    return PictureClue(
      origin: .metadata(names.compactMap(\.self).joined(separator: ", ")), normalization: normalization, order: order)
  }
}
