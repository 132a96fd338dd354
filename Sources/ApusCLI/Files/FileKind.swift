import Apus
import ApusFormats
import ApusMedia
import ArgumentParser

/// A kind of files that arguments take, for the shells that complete them.
struct FileKind {
  /// How the names of such files end, without a dot.
  let extensions: [String]

  static let models = FileKind(ModelFile.formats)
  static let writtenModels = FileKind([.onnx])
  static let weights = FileKind([.safetensors])
  static let pictures = FileKind(extensions: ImageFormat.allCases.flatMap(\.fileExtensions))
  static let writtenPictures = FileKind(extensions: ImageFile.writableExtensions)
  static let videos = FileKind(extensions: ["y4m"])
  /// Of pictures or frames.
  static let archives = FileKind([.zip])
  /// For browsers.
  static let pages = FileKind(extensions: ["html", "htm"])
  static let texts = FileKind(extensions: ["txt"])
  /// What classes are called.
  static let labels = FileKind(extensions: ["txt", "names", "json"])
  /// Lines that an analysis over time reads: JSON, or a table.
  static let frames = FileKind(extensions: ["jsonl", "csv"])
}

extension FileKind {
  /// Files of formats whose names have an ending of their own.
  init(_ formats: [FileFormat]) { extensions = formats.compactMap(\.fileExtension) }
}

extension CompletionKind {
  /// Files of any of these kinds.
  static func files(_ kinds: FileKind...) -> CompletionKind { .file(extensions: kinds.flatMap(\.extensions)) }
}
