import ApusBase
import ApusPlatform

/// A folder of sessions, each a folder of its own with a `session.json` and the run's results.
///
/// ```swift
/// let folder = SessionFolder(path: "runs")
/// for (name, session) in try folder.contents().sessions { print(name, session.headline) }
/// ```
public struct SessionFolder: Sendable, Hashable {
  /// What is in a folder of sessions.
  public struct Contents: Sendable {
    /// The oldest first.
    public var sessions: [(name: String, session: RunSession)] = []
    /// What cannot be read as a session, and why, by name.
    public var skipped: [(name: String, reason: String)] = []
  }

  /// Where the folder is.
  public let path: String

  private static let recordName = "session.json"
  /// A session that is being written is hidden, and ends so.
  private static let partialSuffix = ".partial"

  /// - Parameter path: the folder; slashes at its end mean nothing.
  public init(path: String) {
    let end = path.utf8.lastIndex { $0 != UInt8(ascii: "/") }
    self.path = end.map { String(path[...$0]) } ?? path
  }

  /// Reads every session in the folder.
  /// - Throws: ``FileError`` when there is no such folder.
  public func contents() throws -> Contents {
    var contents = Contents()
    for name in try folderNames(at: path).sorted(by: Self.comesBefore) {
      if name.hasPrefix(".") {
        if name.hasSuffix(Self.partialSuffix) {
          contents.skipped.append((name, "left behind by a run that was killed, or is being written"))
        }
        continue
      }
      do throws(SessionError) {
        contents.sessions.append((name, try Self.session(at: "\(path)/\(name)")))
      } catch {
        contents.skipped.append((name, "\(error.reason)"))
      }
    }
    contents.sessions.sort { a, b in
      a.session.started == b.session.started
        ? Self.comesBefore(a.name, b.name) : Self.comesBefore(a.session.started, b.session.started)
    }
    return contents
  }

  /// The folder of the session that is called `name`, or whose name alone begins so.
  /// - Throws: ``SessionError``; ``FileError`` when there is no such folder.
  public func path(of name: String) throws -> String {
    let names = try folderNames(at: path).filter { !$0.hasPrefix(".") }
    if names.contains(name) { return "\(path)/\(name)" }
    let matches = name.isEmpty ? [] : names.filter { $0.utf8.starts(with: name.utf8) }.sorted(by: Self.comesBefore)
    guard let match = matches.first else { throw SessionError(.notFound(name: name), path: path) }
    guard matches.count == 1 else {
      throw SessionError(
        .ambiguous(name: name, count: matches.count, examples: Array(matches.prefix(4))), path: path)
    }
    return "\(path)/\(match)"
  }

  /// Reads the session whose folder is at `path`.
  /// - Throws: ``SessionError`` with the path.
  public static func session(at path: String) throws(SessionError) -> RunSession {
    let file = "\(path)/\(recordName)"
    do {
      // A copy: a mapped file that another process cuts short ends this one.
      return try MappedFile(path: file, access: .copied, limit: RunSession.byteLimit).withUnsafeBytes { bytes in
        try RunSession(json: bytes)
      }
    } catch let error as SessionError {
      throw error.naming(file)
    } catch FileError.notFound {
      throw SessionError(.noSession, path: path)
    } catch {
      let (text, prefix) = ("\(error)", "\(file): ")
      throw SessionError(.unreadable(text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text), path: file)
    }
  }

  private static func comesBefore(_ a: String, _ b: String) -> Bool { a.utf8.lexicographicallyPrecedes(b.utf8) }
}

// MARK: - Writing

extension SessionFolder {
  /// Adds a session and its results as a folder that appears whole or not at all, and makes this folder if it is not
  /// there.
  ///
  /// - Parameter files: the results, by their name.
  /// - Returns: what the session's folder is called: ``RunSession/folderName``, with a number where the name is taken.
  /// - Throws: ``FileError`` when the system refuses; ``SessionError`` for a session that could not be read again, as a
  ///   text in it is too long. Nothing is left behind then.
  package func add(_ session: RunSession, files: [(name: String, bytes: [UInt8])]) throws -> String {
    let record = Array((session.jsonLine + "\n").utf8)
    guard record.count <= RunSession.byteLimit else {
      throw FileError.tooLarge(path: Self.recordName, byteCount: record.count, limit: RunSession.byteLimit)
    }
    _ = try record.withUnsafeBytes { try RunSession(json: $0) }
    try makeFolder(at: path)
    let base = session.folderName
    for number in 1...Self.mostNumbers {
      let name = number == 1 ? base : "\(base)-\(number)"
      let partial = "\(path)/.\(name)\(Self.partialSuffix)"
      // The name is taken by a session, or by one that is being written.
      if Self.exists("\(path)/\(name)") { continue }
      guard mkdir(partial.systemBytes, 0o777) == 0 else {
        if errno == EEXIST { continue }
        throw FileError.unwritable(path: path, reason: lastSystemError())
      }
      do {
        for file in files { try Self.write(file.bytes, to: "\(partial)/\(file.name)") }
        // Last: what has no record is no session.
        try Self.write(record, to: "\(partial)/\(Self.recordName)")
        if rename(partial.systemBytes, "\(path)/\(name)".systemBytes) == 0 { return name }
        // Another run was faster: a folder that is not empty is never replaced.
        guard errno == EEXIST || errno == ENOTEMPTY else {
          throw FileError.unwritable(path: "\(path)/\(name)", reason: lastSystemError())
        }
        Self.remove(partial)
      } catch {
        Self.remove(partial)
        throw error
      }
    }
    throw FileError.unwritable(path: "\(path)/\(base)", reason: "the name is taken \(Self.mostNumbers) times")
  }

  /// How many sessions may begin in one second with the same inputs.
  private static let mostNumbers = 10_000

  private static func write(_ bytes: [UInt8], to path: String) throws {
    try AtomicFile.create(at: path) { file in try bytes.withUnsafeBytes { try file.append($0) } }
  }

  private static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path.systemBytes, &status) == 0
  }

  /// Removes a folder that ``add(_:files:)`` has made.
  private static func remove(_ partial: String) {
    for name in (try? folderNames(at: partial)) ?? [] { unlink("\(partial)/\(name)".systemBytes) }
    rmdir(partial.systemBytes)
  }
}
