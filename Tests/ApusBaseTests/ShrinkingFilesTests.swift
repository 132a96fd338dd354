import ApusPlatform
import ApusTestSupport
import Testing

@testable import ApusBase

/// One at a time: the handler of a signal is the whole process'.
@Suite(.serialized) struct ShrinkingFilesTests {
  private let page = Int(sysconf(Int32(_SC_PAGESIZE)))

  @Test func aFileThatIsCutShortIsAnErrorAndNotTheEnd() throws {
    ShrinkingFiles.watch()
    let folder = try TemporaryFolder()
    let path = try folder.write([UInt8](repeating: 7, count: 4 * page), to: "weights")
    let other = try MappedFile(path: folder.write([UInt8](repeating: 8, count: page), to: "other"))
    do {
      let file = try MappedFile(path: path)
      try file.checkIsWhole()
      #expect(file.withUnsafeBytes { $0[3 * page] } == 7)
      file.discard(file.unownedBytes)
      #expect(truncate(path, off_t(page)) == 0)
      // What is still there is what it was; the rest is zeros.
      #expect(file.withUnsafeBytes { $0[page - 1] } == 7)
      #expect(file.withUnsafeBytes { $0.suffix(3 * page).allSatisfy { $0 == 0 } })
      #expect(throws: FileError.shrank(path: path)) { try file.checkIsWhole() }
      #expect(throws: FileError.self) { try ShrinkingFiles.check() }
      try other.checkIsWhole()
    }
    let error = FileError.shrank(path: path)
    #expect("\(error)".contains(path) && "\(error)".contains("void") && error.fault == .inputOutput)
  }

  @Test func mappingsAreTakenOutAndNumbersUsedAgain() throws {
    ShrinkingFiles.watch()
    let folder = try TemporaryFolder()
    let path = try folder.write([UInt8](repeating: 1, count: page), to: "x")
    // More than can be watched at one time, one after the other.
    for _ in 0..<(MappedRanges.capacity + 10) { #expect(try MappedFile(path: path).count == page) }
    // And at one time: what cannot be watched is read.
    let files = try (0..<(MappedRanges.capacity + 10)).map { _ in try MappedFile(path: path) }
    #expect(truncate(path, 0) == 0)
    #expect(files.last?.withUnsafeBytes { $0[0] } == 1)
  }

  @Test func aFaultThatIsNotOursGoesToWhoeverHandledItBefore() async {
    await #expect(processExitsWith: .exitCode(3)) {
      signal(SIGBUS) { _ in _exit(3) }
      ShrinkingFiles.watch()
      try ShrinkingFilesTests.touchMissingPage()
    }
  }

  @Test func aFaultThatNobodyHandlesEndsTheProcess() async {
    await #expect(processExitsWith: .signal(SIGBUS)) {
      signal(SIGBUS, SIG_DFL)
      ShrinkingFiles.watch()
      try ShrinkingFilesTests.touchMissingPage()
    }
  }

  /// Reads a page that a file no longer has, of a mapping that nobody has entered.
  private static func touchMissingPage() throws {
    let descriptor = fileno(tmpfile())
    try #require(ftruncate(descriptor, 64) == 0)
    let address = try #require(mmap(nil, 64, PROT_READ, MAP_SHARED, descriptor, 0))
    try #require(address != MAP_FAILED && ftruncate(descriptor, 0) == 0)
    _exit(Int32(address.load(as: UInt8.self)))
  }
}
