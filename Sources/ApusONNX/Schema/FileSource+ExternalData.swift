import Apus
import ApusGraph

extension FileSource {
  /// The part of an external file that holds a tensor.
  func bytes(
    of data: ExternalData, byteCount: Int, _ elementType: ElementType, _ shape: [Int]
  ) throws -> (file: MappedFile, range: Range<Int>) {
    guard let externalFiles else { throw ONNXFileError.TensorReason.noFolder(location: data.location) }
    let offset = try Self.number(data.offset, key: "offset") ?? 0
    let length = try Self.number(data.length, key: "length") ?? byteCount
    guard length == byteCount else {
      throw ONNXFileError.TensorReason.wrongByteCount(elementType, shape, expected: byteCount, found: length)
    }
    let file = try externalFiles.file(at: data.location)
    guard offset <= file.count, length <= file.count - offset else {
      throw ONNXFileError.TensorReason.beyondExternalFile(
        location: data.location, offset: offset, length: length, fileSize: file.count)
    }
    return (file, offset..<offset + length)
  }

  /// Offsets and lengths are decimal texts.
  private static func number(_ text: String?, key: String) throws -> Int? {
    guard let text else { return nil }
    guard let number = Int(text), number >= 0 else {
      throw ONNXFileError.TensorReason.badExternalNumber(key: key, text: text)
    }
    return number
  }
}
