import Apus
import ApusMedia

/// Refuses pictures and videos where poses are read: a model has to find the joints in them first.
///
/// - Parameter model: a file name that says what kind of model.
/// - Throws: ``CommandFailure`` with the commands to type.
func checkHoldsPoses(_ path: String, model: String) throws {
  guard path != "-", let (kind, isForeign) = picturesKind(path) else { return }
  let (before, source) =
    isForeign ? ("\(ForeignMedia.videoCommand(path)) | ", "-") : ("", ForeignMedia.shellQuoted(path))
  throw CommandFailure(
    .badData,
    "\(path): \(kind); what is read are poses, which a model finds in pictures: "
      + "\(before)apus pose \(source) --model \(model) | \(CommandLineText.reading("-", insteadOf: path))")
}

/// Refuses texts where pictures are read, and another option reads texts.
///
/// - Parameter option: that option.
func checkHoldsPictures(_ path: String, otherwise option: String) throws {
  guard path != "-", !isFolder(path), picturesKind(path) == nil, let format = try? FileFormat(of: path),
    format == .text || format == .json
  else { return }
  throw CommandFailure(
    .badData,
    "\(path): is \(format); what is read are pictures and videos; boxes or positions of the bar: "
      + "\(CommandLineText.reading("\(option)=\(path)", insteadOf: path))")
}

/// What a file looks like that was read for lines of text and cannot be, after a semicolon; empty where nothing is to
/// be said.
func remarkOnText(_ path: String) -> String {
  guard path != "-", let file = try? MappedFile(path: path) else { return "" }
  let remark: String? = file.withUnsafeBytes { bytes in
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      return "the file is text in UTF-16, and UTF-8 is read"
    }
    let line = bytes.prefix(4096).prefix { $0 != 0x0A }
    let isTable = !line.contains(UInt8(ascii: "{")) && !line.contains(UInt8(ascii: ","))
    return isTable && line.count { $0 == UInt8(ascii: ";") } > 1
      ? "columns are separated by semicolons; commas between them and points in numbers are read" : nil
  }
  if let remark { return "; " + remark }
  guard let format = try? FileFormat(of: path), ![.text, .json, .unknown].contains(format) else { return "" }
  return "; the file is \(format)"
}

/// What of pictures or videos is at `path`, in words, and whether ffmpeg has to read it; nil for anything else.
private func picturesKind(_ path: String) -> (kind: String, isForeign: Bool)? {
  if isFolder(path) {
    let count = (try? ImageFolder(path: path).pictures.count) ?? 0
    return count > 0 ? ("a folder of pictures", false) : nil
  }
  guard let file = try? MappedFile(path: path) else { return nil }
  return file.withUnsafeBytes { bytes in
    if let video = ForeignMedia.video(bytes) { return (video, true) }
    if bytes.starts(with: Array("YUV4MPEG2".utf8)) { return ("a video (YUV4MPEG2)", false) }
    return (try? ImageFile.format(of: bytes)) != nil ? ("a picture", false) : nil
  }
}
