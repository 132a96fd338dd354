import ApusPlatform
import ApusTestSupport
import Foundation
import Testing

@testable import ApusBase

@Suite struct AtomicFileTests {
  private func append(_ text: String, to file: AtomicFile) throws {
    try Array(text.utf8).withUnsafeBytes { try file.append($0) }
  }

  private func text(_ path: String) throws -> String {
    try MappedFile(path: path).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }

  private func write(_ text: String, to path: String) throws {
    try AtomicFile.create(at: path) { try append(text, to: $0) }
  }

  @Test("a file has its name when it is complete, and one ending in .part until then")
  func naming() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/x"
    try write("old", to: path)
    let file = try AtomicFile(path: path, isStream: true)
    try append("new", to: file)
    #expect(try folder.contents() == ["x", "x.part"])
    #expect(try text(path) == "old" && text(path + ".part") == "new")
    try file.commit()
    #expect(try folder.contents() == ["x"])
    #expect(try text(path) == "new")
  }

  @Test("a file that is named like an unfinished one stays")
  func others() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/x"
    try write("mine", to: path + ".part")
    let file = try AtomicFile(path: path, isStream: false)
    #expect(try folder.contents() == ["x-2.part", "x.part"])
    try file.commit()
    #expect(try folder.contents() == ["x", "x.part"])
    #expect(try text(path + ".part") == "mine")
  }

  @Test("names that are too long with something added")
  func longNames() throws {
    let folder = try TemporaryFolder()
    let name = String(repeating: "x", count: 255)
    try write("whole", to: "\(folder.path)/\(name)")
    #expect(try folder.contents() == [name])
  }

  @Test("unfinished files are kept where that was asked for, and removed otherwise")
  func unfinished() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/x"
    let kept = try AtomicFile(path: path, isStream: true)
    try append("row\n", to: kept)
    #expect(kept.keep() == path + ".part")
    let empty = try AtomicFile(path: path, isStream: true)
    #expect(empty.keep() == nil)
    try AtomicFile(path: path, isStream: true).abandon()
    #expect(throws: FileError.empty(path: path)) {
      try AtomicFile.create(at: path, isStream: true) {
        try append("row\n", to: $0)
        throw FileError.empty(path: path)
      }
    }
    #expect(try folder.contents() == ["x.part"])
    #expect(try text(path + ".part") == "row\n")
  }

  @Test("through a link the file it points to is made, also where nothing is there yet")
  func danglingLinks() throws {
    let folder = try TemporaryFolder()
    #expect(mkdir("\(folder.path)/there", 0o777) == 0)
    for (link, place) in [("a", "there/b"), ("b", "x"), ("c", "\(folder.path)/y"), ("d", "c")] {
      #expect(symlink(place, "\(folder.path)/\(link == "b" ? "there/b" : link)") == 0)
    }
    // a → there/b → there/x, and d → c → y.
    for (link, place) in [("a", "there/x"), ("d", "y")] {
      try write("through \(link)", to: "\(folder.path)/\(link)")
      #expect(try text("\(folder.path)/\(place)") == "through \(link)")
      var status = stat()
      #expect(lstat("\(folder.path)/\(link)", &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    }
    #expect(symlink("round", "\(folder.path)/round") == 0)
    #expect(throws: FileError.self) { try write("nowhere", to: "\(folder.path)/round") }
    #expect(try folder.contents() == ["a", "c", "d", "round", "there", "y"])
  }

  @Test(
    "a file that has no name is written where it is, and the link to it stays",
    .enabled(if: fileExists("/proc/self/fd")))
  func filesWithoutNames() throws {
    let folder = try TemporaryFolder()
    let (gone, link) = ("\(folder.path)/gone", "\(folder.path)/link")
    try write("former text, longer than the new one", to: gone)
    let descriptor = open(gone, O_RDWR)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    unlink(gone)
    // What Linux calls the file now, which is another one.
    try write("other", to: gone + " (deleted)")
    #expect(symlink("/dev/fd/\(descriptor)", link) == 0)
    for path in ["/dev/fd/\(descriptor)", link] {
      try write("through \(path.utf8.count)", to: path)
      var bytes = [UInt8](repeating: 0, count: 100)
      let count = pread(descriptor, &bytes, bytes.count, 0)
      #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "through \(path.utf8.count)")
    }
    #expect(try folder.contents() == ["gone (deleted)", "link"])
    #expect(try text(gone + " (deleted)") == "other")
    var status = stat()
    #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
  }

  @Test("no file takes the place of one that is being written")
  func liveTemporaries() throws {
    let folder = try TemporaryFolder()
    let rows = try AtomicFile(path: folder.path + "/a", isStream: true)
    try append("rows", to: rows)
    #expect(throws: FileError.self) { try write("page", to: folder.path + "/a.part") }
    try rows.commit()
    #expect(try folder.contents() == ["a"])
    #expect(try text(folder.path + "/a") == "rows")
  }

  @Test("a file is not made while nothing may end the process")
  func beginning() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/x"
    let (isNear, isDone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    UnfinishedFiles.holding {
      Thread.detachNewThread {
        isNear.signal()
        try? AtomicFile(path: path, isStream: false).abandon()
        isDone.signal()
      }
      isNear.wait()
      // What waits here has had its turn, if it has one.
      for _ in 0..<1000 { sched_yield() }
      let names = try? folder.contents()
      #expect(names == [])
    }
    isDone.wait()
    #expect(try folder.contents().isEmpty)
  }
}
