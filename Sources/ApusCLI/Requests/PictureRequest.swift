import Apus
import ApusMedia

/// A picture, as a file or as its bytes; or a text.
struct PictureRequest: RequestBody {
  private var path: String?
  private var base64: String?
  private(set) var text: String?

  mutating func read(_ reader: inout JSONReader, _ key: String) throws {
    switch key {
    case "path": path = try reader.string(limit: JSONReader.keyLimit)
    case "base64": base64 = try reader.string()
    case "text": text = try reader.string()
    default: try reader.skip()
    }
  }

  /// The picture, upright.
  /// - Parameter number: which request it is.
  /// - Throws: ``CommandFailure`` where there is none, or what stands there is no base64; ``ImageError``, ``FileError``.
  func picture(_ number: Int, limits: ImageLimits) throws -> SourcePicture {
    switch (path, base64) {
    case (let path?, nil):
      // A request comes from elsewhere: what may never end is for a command line to name.
      guard isRegularFile(path) || isFolder(path) || !fileExists(path) else { throw FileError.notRegular(path: path) }
      return SourcePicture(name: path, index: number, image: try ImageFile.read(path: path, limits: limits))
    case (nil, let base64?):
      guard let bytes = Base64.bytes(of: base64) else {
        throw CommandFailure(.badData, "\"base64\" is not base64, with letters, digits, + and /, padded by =")
      }
      let image = try bytes.withUnsafeBytes { try ImageFile.decode($0, limits: limits) }.upright
      return SourcePicture(name: nil, index: number, image: image)
    case (nil, nil): throw CommandFailure(.badData, "a picture was expected, as \"path\" or \"base64\"")
    default: throw CommandFailure(.badData, "\"path\" and \"base64\" are both given; one picture was expected")
    }
  }

  /// The text.
  /// - Throws: ``CommandFailure`` where there is none.
  func requiredText() throws -> String {
    guard let text else { throw CommandFailure(.badData, "a text was expected, as \"text\"") }
    return text
  }
}
