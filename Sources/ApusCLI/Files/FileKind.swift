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

  /// What follows the last dot of a file's name, in small letters.
  static func fileExtension(_ path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: ".") else { return "" }
    return name[name.index(after: dot)...].lowercased()
  }

  /// The ending of a name, without its dot; nil for that of a folder, as `out/`, `out` or `run.2`.
  static func ending(of path: String) -> String? {
    guard !path.hasSuffix("/") else { return nil }
    let ending = fileExtension(path)
    guard let first = ending.first, first.isLetter, ending.allSatisfy({ $0.isLetter || $0.isNumber }) else {
      return nil
    }
    return ending
  }
}

extension CompletionKind {
  /// Files of any of these kinds.
  static func files(_ kinds: FileKind...) -> CompletionKind { .file(extensions: kinds.flatMap(\.extensions)) }
}
