import ApusPlatform
import ApusTestSupport
import Foundation
import Testing

@testable import ApusBase

@Suite("MappedFile")
struct MappedFileTests {
  @Test("reads what was written", arguments: FileAccess.allCases)
  func contents(access: FileAccess) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write([1, 2, 3], to: "three bytes – ünïcode")
    let file = try MappedFile(path: path, access: access)
    #expect(file.withUnsafeBytes { Array($0) } == [1, 2, 3])
    #expect(file.name == path)
  }

  @Test("absent, a folder, a pipe, empty, forbidden", arguments: FileAccess.allCases)
  func refusals(access: FileAccess) throws {
    let folder = try TemporaryFolder()
    func refusal(_ path: String) -> FileError? {
      do {
        _ = try MappedFile(path: path, access: access)
        return nil
      } catch {
        return error as? FileError
      }
    }
    let absent = folder.path + "/absent"
    #expect(refusal(absent) == .notFound(path: absent))
    let empty = try folder.write([], to: "empty")
    #expect(refusal(empty) == .empty(path: empty))
    #expect(refusal(empty + "/below a file") == .notFound(path: empty + "/below a file"))
    #expect(refusal(folder.path) == .isDirectory(path: folder.path))
    #expect(refusal("") == .notFound(path: ""))
    #expect(refusal("a\0b") == .notFound(path: "a\0b"))
    let pipe = folder.path + "/pipe"
    #expect(mkfifo(pipe, 0o600) == 0)
    #expect(refusal(pipe) == .notRegular(path: pipe))
    if geteuid() != 0 {
      let forbidden = try folder.write([1], to: "forbidden")
      #expect(chmod(forbidden, 0) == 0)
      #expect(refusal(forbidden) == .unreadable(path: forbidden, reason: "Permission denied"))
    }
  }

  @Test("a copy stays what it was when the file is cut short")
  func copyIsIndependent() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write([1, 2, 3, 4], to: "file")
    let file = try MappedFile(path: path, access: .copied)
    #expect(truncate(path, 0) == 0)
    #expect(file.withUnsafeBytes { Array($0) } == [1, 2, 3, 4])
  }

  @Test("what files take in memory counts together")
  func memoryOfSeveral() throws {
    let memory = FileMemory()
    try memory.take(60, limit: 100, path: "a")
    #expect(throws: FileError.noRoom(path: "b", byteCount: 41, others: 60, limit: 100)) {
      try memory.take(41, limit: 100, path: "b")
    }
    #expect(throws: FileError.tooLarge(path: "b", byteCount: 101, limit: 100)) {
      try memory.take(101, limit: 100, path: "b")
    }
    try memory.take(40, limit: 100, path: "b")
    memory.give(60)
    #expect(memory.byteCount == 40)
  }

  @Test("a pipe's writer waits for its reader")
  func pipesAreNotOpened() throws {
    let folder = try ApusTestSupport.TemporaryFolder()
    let path = folder.path + "/pipe"
    #expect(mkfifo(path, 0o600) == 0)
    let hasReader = Locked(false)
    Thread.detachNewThread {
      let writer = open(path, O_WRONLY)
      hasReader.withLock { $0 = true }
      close(writer)
    }
    for _ in 0..<50 {
      #expect(throws: FileError.notRegular(path: path)) { try MappedFile(path: path) }
      usleep(1_000)
    }
    #expect(!hasReader.withLock { $0 })
    let reader = open(path, O_RDONLY)
    var byte: UInt8 = 0
    #expect(reader >= 0 && read(reader, &byte, 1) == 0)
    close(reader)
    #expect(hasReader.withLock { $0 })
  }
}
