import Apus
import ApusPlatform

/// A target that reads several files of a folder: an input holds them all.
///
/// An input is a message of protocol buffers; field `n` holds the file ``files``[n - 1]. A field that is missing is a
/// file that is missing.
protocol FolderFuzzTarget: FuzzTarget {
  /// The files' paths in the folder.
  var files: [String] { get }
  /// The same files as sound inputs have them.
  func soundFiles() throws -> [[[UInt8]?]]
  /// Reads what lies in the folder at `path`.
  func run(folder path: String) throws(FuzzFinding) -> FuzzOutcome
}

extension FolderFuzzTarget {
  var longRun: UInt64 { 100_000 }

  func seeds() throws -> [[UInt8]] {
    try soundFiles().map { files in
      files.enumerated().flatMap { index, file in
        file.map { ProtobufBytes.field(UInt64(index + 1), $0) } ?? []
      }
    }
  }

  func vary(_ input: [UInt8], with other: [UInt8], using random: inout SplitMix64) -> [UInt8]? {
    var parts = ProtobufBytes.parts(of: input)
    guard !parts.isEmpty else { return nil }
    let index = random.below(parts.count)
    let place = Int(clamping: parts[index].number) - 1
    // A file of JSON as such; all else as the messages that it may be.
    if files.indices.contains(place), files[place].hasSuffix(".json") {
      let donors = ProtobufBytes.parts(of: other).filter { $0.number == parts[index].number }
      let donor = donors.first?.bytes ?? parts[index].bytes
      guard let varied = JSONSpans.mutated(parts[index].bytes, with: donor, using: &random) else { return nil }
      parts[index].bytes = varied
      return parts.flatMap { ProtobufBytes.field($0.number, $0.bytes) }
    }
    guard var tree = ProtobufTree(input), let donor = ProtobufTree(other) else { return nil }
    tree.mutate(with: donor, using: &random)
    return tree.bytes
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    let folder = ScratchFolder.path
    for file in files { unlink("\(folder)/\(name)/\(file)") }
    for part in ProtobufBytes.parts(of: Array(input)) where part.number >= 1 && part.number <= UInt64(files.count) {
      try ScratchFolder.write(part.bytes, to: "\(name)/\(files[Int(part.number) - 1])")
    }
    return try run(folder: "\(folder)/\(name)")
  }
}

/// Where the files of inputs lie: in `TMPDIR`, removed at the end of the process.
enum ScratchFolder {
  static let path: String = {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(folder)/apus-fuzz-files-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      complain("no folder can be made in \(folder)")
      exit(74)
    }
    atexit { ScratchFolder.remove(ScratchFolder.path) }
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }()

  static func write(_ bytes: [UInt8], to name: String) throws(FuzzFinding) {
    var descriptor = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    if descriptor < 0 {
      var parent = path
      for component in name.split(separator: "/").dropLast() {
        parent += "/\(component)"
        mkdir(parent, 0o700)
      }
      descriptor = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    }
    guard descriptor >= 0 else { throw FuzzFinding(message: "\(path)/\(name) cannot be written") }
    defer { close(descriptor) }
    guard bytes.withUnsafeBytes({ ApusPlatform.write(descriptor, $0.baseAddress, $0.count) }) == bytes.count else {
      throw FuzzFinding(message: "\(path)/\(name) cannot be written whole")
    }
  }

  private static func remove(_ path: String) {
    for name in (try? folderNames(at: path)) ?? [] { remove("\(path)/\(name)") }
    if unlink(path) != 0 { rmdir(path) }
  }
}
