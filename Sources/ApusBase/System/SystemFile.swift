import ApusPlatform

/// The text of a small file that the kernel writes; nil when there is none.
package func contentsOfSystemFile(_ path: String) -> String? {
  guard let file = fopen(path, "r") else { return nil }
  defer { fclose(file) }
  var contents: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 4096)
  // A machine with a thousand processors describes itself in two megabytes.
  while contents.count < 4 << 20 {
    let count = fread(&chunk, 1, chunk.count, file)
    if count == 0 { break }
    contents += chunk[..<count]
  }
  return String(decoding: contents, as: UTF8.self)
}
