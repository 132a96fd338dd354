/// What ffmpeg makes of a file that is not read here.
package enum ForeignMedia: Sendable, Hashable {
  case picture
  case video

  /// The command that makes a picture of the file at `path` that is read: of a video its first frame.
  package static func pictureCommand(_ path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    let stem = name.lastIndex(of: ".").map { path.dropLast(name.distance(from: $0, to: name.endIndex)) } ?? path[...]
    return "ffmpeg -i \(argument(path)) -frames:v 1 \(argument(stem + ".png"))"
  }

  /// The command that writes the frames of the video at `path` to standard output as YUV4MPEG2 of 8 bits.
  package static func videoCommand(_ path: String) -> String {
    "ffmpeg -i \(argument(path)) -pix_fmt yuv420p -f yuv4mpegpipe -"
  }

  /// A path that is no option, in quotes.
  private static func argument(_ path: some StringProtocol) -> String {
    shellQuoted((path.hasPrefix("-") && path != "-" ? "./" : "") + path)
  }

  /// A text as a shell takes it, whatever is in it.
  package static func shellQuoted(_ text: String) -> String {
    "'" + text.replacing("'", with: "'\\''") + "'"
  }
}
