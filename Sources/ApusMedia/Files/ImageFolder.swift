import Apus

/// The pictures of a folder, in the order of their names: of single pictures, or of the frames of a video.
///
/// Numbers in names count as numbers, so `frame_2.png` comes before `frame_10.png`; anything else is compared by its
/// bytes, so capital letters come first. Folders inside are not entered.
public struct ImageFolder: Sendable {
  /// A picture of the folder, recognised by its first bytes; nothing of it is decoded yet.
  public struct Picture: Sendable, Hashable {
    /// The folder's path and the name.
    public let path: String
    /// The file's name in the folder.
    public let name: String
    /// What its first bytes say.
    public let format: ImageFormat
  }

  /// An entry that is not a picture, and why.
  public struct Skipped: Sendable, Hashable {
    /// The entry's name in the folder.
    public let name: String
    /// Why it is not a picture, such as `hidden` or `a folder`.
    public let reason: String
  }

  /// The folder, as it was named.
  public let path: String
  /// The pictures, in the order of their names.
  public let pictures: [Picture]
  /// Everything else in the folder, in the order of names.
  public let skipped: [Skipped]

  /// Looks at the first bytes of each file in the folder at `path`.
  /// - Throws: ``FileError`` when it is not a folder, or cannot be read.
  public init(path: String) throws {
    self.path = path
    var pictures: [Picture] = []
    var skipped: [Skipped] = []
    let folder = path.hasSuffix("/") ? path : path + "/"
    for name in try folderNames(at: path).sorted(by: Self.comesBefore) {
      do {
        guard !name.hasPrefix(".") else {
          skipped.append(Skipped(name: name, reason: "hidden"))
          continue
        }
        let format = try MappedFile(path: folder + name).withUnsafeBytes { try ImageFile.format(of: $0) }
        pictures.append(Picture(path: folder + name, name: name, format: format))
      } catch let error as ImageError {
        skipped.append(Skipped(name: name, reason: "\(error.reason)"))
      } catch FileError.isDirectory {
        skipped.append(Skipped(name: name, reason: "a folder"))
      } catch {
        skipped.append(Skipped(name: name, reason: "\(error)"))
      }
    }
    self.pictures = pictures
    self.skipped = skipped
  }

  /// Whether `a` comes before `b`: see above. Of equal numbers the one with fewer digits comes first.
  public static func comesBefore(_ a: String, _ b: String) -> Bool { NameOrder.comesBefore(a, b) }
}
