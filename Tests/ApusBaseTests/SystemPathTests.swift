import ApusPlatform
import ApusTestSupport
import Testing

@testable import ApusBase

@Suite struct SystemPathTests {
  private func bytes(_ text: String) -> [UInt8] { text.systemBytes.dropLast().map { UInt8(bitPattern: $0) } }

  static let paths: [[UInt8]] = [
    Array("plain".utf8), Array("größer/日本.onnx".utf8), [], [0xFF], [0x61, 0xE9, 0x62], [0xC3], [0xC3, 0xA9],
    [0xF0, 0x9F, 0x98], [0xED, 0xA0, 0x80], [0x80, 0x80, 0x2F, 0xFE],
    // U+10FEE9 itself, which stands for a byte.
    Array("\u{10FEE9}".utf8), Array("a\u{10FE80}b".utf8) + [0xE9],
  ]

  @Test(arguments: paths)
  func bytesComeBack(path: [UInt8]) {
    #expect(bytes(String(systemBytes: path)) == path)
    #expect(String(systemBytes: path).systemBytes.last == 0)
  }

  @Test func textIsItself() {
    #expect(String(systemBytes: Array("größer".utf8)) == "größer")
    #expect(bytes("größer") == Array("größer".utf8))
  }

  /// Two names of different bytes are two texts, whatever they look like.
  @Test func differentNamesStayApart() {
    #expect(Set(Self.paths.map { String(systemBytes: $0) }).count == Self.paths.count)
  }

  @Test func filesWhoseNamesAreNotUTF8AreWrittenReadAndListed() throws {
    let folder = try TemporaryFolder()
    let name = String(systemBytes: [0x61, 0xE9, 0x62, 0xFF])
    let path = "\(folder.path)/\(name)"
    try AtomicFile.create(at: path) { file in try [UInt8](1...3).withUnsafeBytes { try file.append($0) } }
    #expect(try folderNames(at: folder.path) == [name])
    #expect(try MappedFile(path: path).withUnsafeBytes { Array($0) } == [1, 2, 3])
    #expect(isRegularFile(path) && !isFolder(path) && fileExists(path) && !fileExists(path + "x"))
    #expect(realPath(path)?.hasSuffix(name) == true)
    let inner = "\(folder.path)/\(String(systemBytes: [0xFE]))/b"
    try makeFolder(at: inner)
    try makeFolder(at: inner)
    #expect(isFolder(inner))
    #expect(throws: FileError.self) { try makeFolder(at: path) }
  }

  /// The C library says the same as the standard library, where that can tell.
  @Test func theArgumentsOfTheProcessAreKnown() throws {
    #if os(Linux)
      // Nil on most threads, and once a variable was set, as loading OpenBLAS does; the command's tests run it fresh.
      guard let arguments = processArguments() else { return }
      #expect(arguments.map { String(decoding: $0, as: UTF8.self) } == CommandLine.arguments)
    #endif
  }
}
