import Apus
import ApusMedia
import ApusText

/// What `apus inspect` says of a file that is neither a model that runs nor a list of tensors: what it is, and what to do
/// with it.
struct OtherFile: Encodable {
  let path: String
  /// As ``FileFormat`` calls it, or `picture`, `video`, `pictures`.
  let format: String
  /// In words, with its article.
  let what: String
  /// What else its beginning says.
  var facts: [Fact] = []
  /// What to do with it.
  let advice: [String]

  struct Fact: Encodable {
    var label: String
    var text: String
  }

  enum CodingKeys: String, CodingKey {
    case path, what, facts, advice
    case format = "format_name"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(path, forKey: .path)
    try container.encode(format, forKey: .format)
    try container.encode(what, forKey: .what)
    try container.encode(
      Dictionary(facts.map { ($0.label, $0.text) }, uniquingKeysWith: { first, _ in first }), forKey: .facts)
    try container.encode(advice, forKey: .advice)
  }

  var text: String {
    let terminal = Terminal.output
    var table = TextTable(separator: "   ")
    for (label, text) in [("what", what)] + facts.map({ ($0.label, $0.text) }) {
      table.add(terminal.styled(label, .dim), ErrorReport.oneLine(text))
    }
    for (index, line) in advice.enumerated() {
      table.add(index == 0 ? terminal.styled("next", .dim) : "", ErrorReport.oneLine(line))
    }
    let lines = [terminal.styled(ErrorReport.oneLine(path), .bold), ""] + table.lines.map { "  " + $0 }
    return lines.map { $0 + "\n" }.joined()
  }
}

// MARK: - Pictures and videos

extension OtherFile {
  /// A picture, a video, or something else of the kind; nil for anything else.
  ///
  /// Beginnings that a model may have as well count only if there is a picture behind them.
  static func media(_ path: String) -> OtherFile? {
    guard let file = try? MappedFile(path: path) else { return nil }
    if file.withUnsafeBytes({ $0.starts(with: Array("YUV4MPEG2 ".utf8)) }) { return video(path) }
    if let picture = try? ImageFile.contents(path: path) {
      let image = picture.image
      let bits = if case .sixteen = image { 16 } else { 8 }
      return OtherFile(
        path: path, format: "picture",
        what: "a \(picture.format) picture, \(image.width) × \(image.height), \(image.color), \(bits) bits a channel",
        advice: ["apus detect FILE finds what is on it, apus breed FILE a dog's breed; apus image converts it"])
    }
    guard let what = file.withUnsafeBytes({ ImageFile.foreignKind(of: $0) }) else { return nil }
    let isVideo = what.hasPrefix("a video") || what.contains("AVI")
    return OtherFile(
      path: path, format: isVideo ? "video" : "picture", what: what,
      advice: [
        isVideo
          ? "ffmpeg -i FILE -pix_fmt yuv420p -f yuv4mpegpipe - | apus detect -  (or apus barpath -)"
          : "convert it to PNG or JPEG: ffmpeg -i FILE -frames:v 1 picture.png"
      ])
  }

  private static func video(_ path: String) -> OtherFile {
    var file = OtherFile(
      path: path, format: "video", what: "a video as YUV4MPEG2",
      advice: ["apus detect FILE, or apus barpath FILE"])
    guard let input = try? ByteInput(path: path), let chunk = try? input.next() else { return file }
    var reader = Y4MReader()
    reader.append(chunk)
    guard (try? reader.next()) != nil || reader.header != nil, let header = reader.header else { return file }
    file.facts.append(Fact(label: "size", text: "\(header.width) × \(header.height)"))
    if let rate = header.rate {
      let value = NumberText.fixed(Double(rate.frames) / Double(rate.seconds), decimals: 3)
      file.facts.append(Fact(label: "frames", text: "\(value) a second"))
    }
    return file
  }

  /// A folder of pictures; nil for one without any.
  static func pictures(_ path: String) -> OtherFile? {
    guard let folder = try? ImageFolder(path: path), !folder.pictures.isEmpty else { return nil }
    return OtherFile(
      path: path, format: "pictures", what: "a folder of \(CountText.counted(folder.pictures.count, "picture"))",
      advice: ["apus detect FOLDER; of a video's frames also apus barpath FOLDER --fps RATE"])
  }
}

// MARK: - Formats

extension OtherFile {
  /// A file of a format that is not a model that runs, nor one of tensors.
  init(_ format: FileFormat, path: String) throws {
    switch format {
    case .pretrainedFolder: self = Self.pretrained(path)
    case .zip: self = Self.archive(path)
    case .text, .json: self = Self.text(path, format)
    default:
      self.init(
        path: path, format: format.rawValue, what: "\(format)",
        facts: format == .gguf ? try Self.ggufFacts(path) : [], advice: [format.advice(for: .model)])
    }
  }

  private static func ggufFacts(_ path: String) throws -> [Fact] {
    try MappedFile(path: path).withUnsafeBytes { bytes in
      guard bytes.count >= 16 else { return [] }
      let version = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
      let tensors = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      return [Fact(label: "version", text: "\(version)"), Fact(label: "tensors", text: "\(tensors)")]
    }
  }

  private static func pretrained(_ path: String) -> OtherFile {
    var facts: [Fact] = []
    let advice: [String]
    do {
      let folder = try PretrainedFolder(path: path)
      facts = [Fact(label: "network", text: folder.modelType.rawValue)]
      if !folder.architectures.isEmpty {
        facts.append(Fact(label: "classes", text: folder.architectures.joined(separator: ", ")))
      }
      advice = [
        "apus suggest --model FOLDER \"how are\"", "apus fill --model FOLDER \"see you [MASK] .\"",
        "apus quantize FOLDER makes it smaller; apus inspect FOLDER/model.safetensors lists its tensors",
      ]
    } catch {
      advice = [ErrorReport(error).message ?? "\(error)", "to run it as a graph, export the model as .onnx"]
    }
    return OtherFile(
      path: path, format: FileFormat.pretrainedFolder.rawValue, what: "\(FileFormat.pretrainedFolder)", facts: facts,
      advice: advice)
  }

  private static func archive(_ path: String) -> OtherFile {
    let pictures = (try? ImageArchive(path: path))?.pictures.count ?? 0
    let format = FileFormat.zip
    guard pictures > 0 else {
      return OtherFile(path: path, format: format.rawValue, what: "\(format)", advice: [format.advice(for: .model)])
    }
    return OtherFile(
      path: path, format: "pictures", what: "\(format) of \(CountText.counted(pictures, "picture"))",
      advice: ["apus detect FILE; of a video's frames also apus barpath FILE --fps RATE"])
  }

  private static func text(_ path: String, _ format: FileFormat) -> OtherFile {
    let isPoses =
      (try? MappedFile(path: path))?.withUnsafeBytes { $0.starts(with: Array("scorer,".utf8)) } ?? false
    return OtherFile(
      path: path, format: format.rawValue, what: isPoses ? "a table of DeepLabCut" : "\(format)",
      advice: isPoses
        ? ["apus behavior FILE recognises what the animal does"]
        : [
          "poses of animals: apus behavior FILE; of people: apus arm-drift FILE; a bar's boxes or positions: "
            + "apus barpath --detections FILE", "a model's configuration: apus inspect its FOLDER",
        ])
  }
}
