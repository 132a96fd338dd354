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
