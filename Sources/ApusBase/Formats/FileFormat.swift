/// What a file or folder holds, recognised by its content and not by its name.
public enum FileFormat: String, Sendable, Hashable, CaseIterable {
  /// A model of the ONNX standard.
  case onnx
  /// ONNX Runtime's own format, `.ort`.
  case onnxRuntime
  /// A Core ML model in one file, `.mlmodel`.
  case coreMLModel
  /// A Core ML model as a folder, `.mlpackage`.
  case coreMLPackage
  /// A Core ML model that Xcode compiled, `.mlmodelc`.
  case compiledCoreML
  /// What `torch.export.save` writes, `.pt2`.
  case torchExport
  /// What `torch.jit.save` writes.
  case torchScript
  /// What `torch.save` writes: tensors in pickled Python objects.
  case torchCheckpoint
  /// Pickled Python objects: `torch.save` before version 1.6, scikit-learn.
  case pickle
  /// A TensorFlow Lite model.
  case tensorFlowLite
  /// An archive of TensorFlow Lite models, as MediaPipe's tasks are.
  case mediaPipeTask
  /// A folder that TensorFlow wrote.
  case savedModel
  /// A `.keras` archive.
  case keras
  /// A GGUF file.
  case gguf
  /// An HDF5 file, of Keras or DeepLabCut for example.
  case hdf5
  /// Named tensors.
  case safetensors
  /// A NumPy array.
  case npy
  /// An archive of NumPy arrays.
  case npz
  /// A folder as Hugging Face's `save_pretrained` writes it.
  case pretrainedFolder
  /// What Git has in place of a large file that was not fetched.
  case gitLFSPointer
  /// A web page or XML.
  case markup
  /// JSON text.
  case json
  /// Other text.
  case text
  /// A ZIP archive of something else.
  case zip
  /// Anything that gzip compressed.
  case gzip
  /// Anything that xz, bzip2, Zstandard or 7-Zip compressed.
  case compressed
  /// None of these.
  case unknown
}

extension FileFormat {
  /// How names of such files end, without a dot; nil where they end in many ways, or as those of other formats.
  package var fileExtension: String? {
    switch self {
    case .onnx: "onnx"
    case .onnxRuntime: "ort"
    case .coreMLModel: "mlmodel"
    case .coreMLPackage: "mlpackage"
    case .compiledCoreML: "mlmodelc"
    case .torchExport: "pt2"
    case .tensorFlowLite: "tflite"
    case .mediaPipeTask: "task"
    case .keras: "keras"
    case .gguf: "gguf"
    case .safetensors: "safetensors"
    case .npy: "npy"
    case .npz: "npz"
    case .json: "json"
    case .zip: "zip"
    case .torchScript, .torchCheckpoint, .pickle, .savedModel, .hdf5, .pretrainedFolder, .gitLFSPointer, .markup, .text,
      .gzip, .compressed, .unknown:
      nil
    }
  }
}

// MARK: - Recognition

extension FileFormat {
  /// Looks at the file or folder at `path`. Only its beginning is read, and the directory of an archive.
  ///
  /// A file whose content shows no format, because it is damaged, is taken for what its name ends in: the reader of
  /// that format says what is wrong with it.
  /// - Throws: ``FileError`` when it cannot be opened, or is a folder that no format has.
  public init(of path: String) throws {
    do {
      self.init(try MappedFile(path: path))
    } catch let error as FileError {
      guard case .isDirectory = error, let format = Self.folder(path) else { throw error }
      self = format
    }
  }

  package init(_ file: MappedFile) {
    let format = file.withUnsafeBytes { bytes in
      Self.marked(bytes) ?? Self.protobuf(bytes) ?? Self.flatBuffer(bytes) ?? Self.text(bytes)
    }
    let found = format == .zip ? Self.archive(file) : format ?? .unknown
    self = found == .unknown || found == .zip ? Self.named(file.name) ?? found : found
  }

  private static func named(_ name: String) -> FileFormat? {
    let formats: [FileFormat] = [
      .onnx, .onnxRuntime, .safetensors, .npy, .npz, .coreMLModel, .torchExport, .tensorFlowLite,
    ]
    let name = name.lowercased()
    return formats.first { format in format.fileExtension.map { name.hasSuffix(".\($0)") } ?? false }
  }

  private static func folder(_ path: String) -> FileFormat? {
    let kinds: [(String, FileFormat)] = [
      ("Manifest.json", .coreMLPackage), ("coremldata.bin", .compiledCoreML), ("model.mil", .compiledCoreML),
      ("saved_model.pb", .savedModel), ("config.json", .pretrainedFolder),
    ]
    return kinds.first { MappedFile.isThere("\(path)/\($0.0)") }?.1
  }

  /// A format that begins with bytes of its own.
  private static func marked(_ bytes: UnsafeRawBufferPointer) -> FileFormat? {
    func has(_ mark: [UInt8]) -> Bool { bytes.starts(with: mark) }
    func has(_ text: String) -> Bool { has(Array(text.utf8)) }
    if has("version https://git-lfs") { return .gitLFSPointer }
    if has("PK\u{3}\u{4}") { return .zip }
    if has("GGUF") { return .gguf }
    if has([0x89, 0x48, 0x44, 0x46]) { return .hdf5 }
    if has([0x1F, 0x8B]) { return .gzip }
    if has([0xFD] + Array("7zXZ".utf8)) || has("BZh") && bytes.dropFirst(4).starts(with: Array("1AY&SY".utf8))
      || has([0x28, 0xB5, 0x2F, 0xFD]) || has([0x37, 0x7A, 0xBC, 0xAF])
    {
      return .compressed
    }
    if has([0x93] + Array("NUMPY".utf8)) { return .npy }
    if isSafetensors(bytes) { return .safetensors }
    // The opcode PROTO, a version that Python has had, and an opcode.
    if bytes.count > 2, bytes[0] == 0x80, 2...5 ~= bytes[1], bytes.last == UInt8(ascii: ".") { return .pickle }
    return nil
  }

  /// A format of FlatBuffers, whose mark is in the fifth byte, where an ONNX model may have letters of its own.
  private static func flatBuffer(_ bytes: UnsafeRawBufferPointer) -> FileFormat? {
    if bytes.dropFirst(4).starts(with: Array("ORTM".utf8)) { return .onnxRuntime }
    return bytes.dropFirst(4).starts(with: Array("TFL3".utf8)) ? .tensorFlowLite : nil
  }

  private static func isSafetensors(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count > 9, bytes[8] == UInt8(ascii: "{") else { return false }
    let length = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
    return length >= 2 && length <= UInt64(bytes.count - 8)
  }

  /// The kind of text that a file begins as.
  private static func text(_ bytes: UnsafeRawBufferPointer) -> FileFormat? {
    let limit = 512
    let beginning = bytes.prefix(limit)
    guard beginning.allSatisfy({ $0 >= 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }) else { return nil }
    // The beginning may end in the middle of a character.
    let cuts = 0...(bytes.count > limit ? 3 : 0)
    guard cuts.contains(where: { String(validating: beginning.dropLast($0), as: UTF8.self) != nil }) else { return nil }
    let signs = beginning.lazy.filter { $0 > 0x20 }
    return switch signs.first {
    case UInt8(ascii: "<"): .markup
    case UInt8(ascii: "{"): .json
    // Not a vocabulary, which begins with [PAD] or [UNK].
    case UInt8(ascii: "["): signs.dropFirst().first.map(mayBeginJSON) ?? true ? .json : .text
    default: .text
    }
  }

  /// Whether a value of JSON, or the end of a list, begins with a byte.
  private static func mayBeginJSON(_ byte: UInt8) -> Bool { Array("{[]\"-0123456789tfnNI".utf8).contains(byte) }

  /// What an archive's names say of it.
  private static func archive(_ file: MappedFile) -> FileFormat {
    guard let entries = try? ZipArchive(file).entries else { return .zip }
    let names = entries.map(\.name)
    func has(_ ending: String) -> Bool { names.contains { $0 == ending || $0.hasSuffix("/" + ending) } }
    if has("archive_format") || has("models/model.json") || has("serialized_exported_program.json") {
      return .torchExport
    }
    if has("constants.pkl") { return .torchScript }
    if has("data.pkl") { return .torchCheckpoint }
    if names.contains("config.json"), names.contains("model.weights.h5") { return .keras }
    if names.contains(where: { $0.hasSuffix(".tflite") }) { return .mediaPipeTask }
    if !names.isEmpty, names.allSatisfy({ $0.hasSuffix(".npy") }) { return .npz }
    return .zip
  }
}

// MARK: - Protocol buffers

extension FileFormat {
  /// ONNX and Core ML have no mark; the numbers and kinds of their message's fields distinguish them.
  ///
  /// An ONNX model holds its graph in field 7 and its operator sets in field 8; a Core ML model holds its network in
  /// one of the fields from 200 on. What the fields hold is skipped.
  private static func protobuf(_ bytes: UnsafeRawBufferPointer) -> FileFormat? {
    let (fieldLimit, firstCoreMLKind) = (4096, 200)
    var rest = bytes[...]
    for _ in 0..<fieldLimit {
      guard let tag = varint(&rest), tag >> 3 > 0 else { return nil }
      let (field, wireType) = (tag >> 3, tag & 7)
      switch (wireType, field) {
      case (2, 7), (2, 8): return .onnx
      case (2, firstCoreMLKind...): return .coreMLModel
      case (0, _): guard varint(&rest) != nil else { return nil }
      case (1, _), (5, _):
        let size = wireType == 1 ? 8 : 4
        guard rest.count >= size else { return nil }
        rest = rest.dropFirst(size)
      case (2, _):
        guard let length = varint(&rest), length <= rest.count else { return nil }
        rest = rest.dropFirst(length)
      default: return nil
      }
    }
    return nil
  }

  private static func varint(_ bytes: inout Slice<UnsafeRawBufferPointer>) -> Int? {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 63, by: 7) {
      guard let byte = bytes.popFirst() else { return nil }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return Int(exactly: value) }
    }
    return nil
  }
}
