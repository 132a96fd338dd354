import Apus

/// The pictures of a ZIP archive, in the order of their names: a folder of pictures in one file.
///
/// Names are ordered as those of an ``ImageFolder`` are. The pictures may lie in a folder of the archive, all of them in
/// the same one. Opening the archive reads its directory and the first bytes of each entry; a picture is read when it
/// is asked for, and checked against its checksum. Nothing of the archive stays in memory, however large it is.
public struct ImageArchive: Sendable {
  /// A picture of the archive, recognised by its first bytes; nothing of it is decoded yet.
  public struct Picture: Sendable, Hashable {
    /// The archive's path and the entry's name.
    public let path: String
    /// The entry's name, with the folders of the archive that it lies in.
    public let name: String
    /// What its first bytes say.
    public let format: ImageFormat
    fileprivate let index: Int
  }

  /// The archive, as it was named.
  public var path: String { file.name }
  /// The pictures, in the order of their names.
  public let pictures: [Picture]
  /// Every other file in the archive, in the order of names.
  public let skipped: [ImageFolder.Skipped]
  private let file: MappedFile
  private let archive: ZipArchive

  /// Opens the archive at `path`.
  /// - Throws: ``FileError`` when it cannot be read; ``ImageArchiveError`` when it is damaged, when a name leads out of
  ///   it, or when pictures lie in several folders.
  public init(path: String) throws {
    try self.init(MappedFile(path: path))
  }

  /// Reads an archive that is already in memory; `name` is what messages call it.
  package init(bytes: UnsafeRawBufferPointer, name: String) throws {
    try self.init(MappedFile(copying: bytes, name: name))
  }

  private init(_ file: MappedFile) throws {
    self.file = file
    defer { file.discard(file.unownedBytes) }
    do {
      archive = try ZipArchive(file)
      (pictures, skipped) = try Self.contents(of: archive, path: file.name)
    } catch let error as ZipError {
      throw ImageArchiveError(file: file.name, reason: .archive(error))
    } catch let reason as ImageArchiveError.Reason {
      throw ImageArchiveError(file: file.name, reason: reason)
    }
  }

  /// Reads a picture, upright, with 8 bits per channel, in the colour model of the file.
  /// - Throws: ``ImageArchiveError`` for a damaged entry; ``ImageError`` with the name of the picture; ``FileError``.
  public func read(_ picture: Picture, limits: ImageLimits = .default) throws -> Image<UInt8> {
    try withBytes(of: picture) { bytes in
      do {
        return try ImageFile.decode(bytes, limits: limits).upright
      } catch let error as ImageError {
        throw error.naming(picture.path)
      }
    }
  }

  /// Calls `body` with the file of a picture.
  package func withBytes<Result>(
    of picture: Picture, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    // Of a mapped file every page that was read stays in memory otherwise.
    defer { file.discard(file.unownedBytes) }
    do {
      let (bytes, owner) = try archive.contents(of: archive.entries[picture.index])
      return try withExtendedLifetime(owner) { try body(bytes) }
    } catch let error as ZipError {
      throw ImageArchiveError(file: path, reason: .archive(error))
    }
  }
}

// MARK: - Opening

extension ImageArchive {
  private static func contents(
    of archive: ZipArchive, path: String
  ) throws -> (pictures: [Picture], skipped: [ImageFolder.Skipped]) {
    var pictures: [Picture] = []
    var skipped: [ImageFolder.Skipped] = []
    for (index, entry) in archive.entries.enumerated() {
      let name = EntryName(entry.name)
      guard !name.leavesArchive else { throw ImageArchiveError.Reason.nameLeavesArchive(entry.name) }
      if name.isFolder { continue }
      guard !name.isHidden else {
        skipped.append(.init(name: entry.name, reason: "hidden"))
        continue
      }
      let beginning = try archive.beginning(of: entry, byteCount: ImageSignature.byteCount)
      switch beginning.withUnsafeBytes({ ImageSignature($0) }) {
      case .known(let format):
        pictures.append(Picture(path: "\(path)/\(entry.name)", name: entry.name, format: format, index: index))
      case .other(let what, _):
        // A damaged picture must not be taken for something else: a video would lack a frame.
        _ = try archive.contents(of: entry)
        skipped.append(.init(name: entry.name, reason: what))
      }
    }
    try checkFolders(pictures)
    return (
      pictures.sorted { ImageFolder.comesBefore($0.name, $1.name) },
      skipped.sorted { ImageFolder.comesBefore($0.name, $1.name) }
    )
  }

  private static func checkFolders(_ pictures: [Picture]) throws {
    guard let first = pictures.first else { return }
    let folder = EntryName(first.name).folder
    if let other = pictures.first(where: { EntryName($0.name).folder != folder }) {
      throw ImageArchiveError.Reason.severalFolders(first.name, other.name)
    }
  }

  /// The name of an entry, as its folders and its own.
  private struct EntryName {
    let components: [Substring]
    let isFolder: Bool
    let leavesArchive: Bool

    init(_ name: String) {
      let all = name.split(separator: "/", omittingEmptySubsequences: false)
      components = all.filter { !$0.isEmpty && $0 != "." }
      isFolder = all.last?.isEmpty ?? true
      leavesArchive = name.hasPrefix("/") || name.utf8.contains(0) || all.contains("..")
    }

    var folder: ArraySlice<Substring> { components.dropLast() }

    /// Whether the system that packed the archive hides it, or it is what macOS adds.
    var isHidden: Bool { components.contains { $0.hasPrefix(".") || $0 == "__MACOSX" } }
  }
}
