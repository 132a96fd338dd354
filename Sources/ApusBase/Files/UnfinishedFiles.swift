import ApusPlatform

/// A file that is being written.
package struct UnfinishedFile: Sendable {
  /// Where it will be.
  package var path: String
  /// Where it is until then.
  package var part: String
  /// Whether a part of it is worth something.
  package var isKept: Bool

  /// Removes the file where a part of it is worth nothing, or there is nothing in it.
  /// - Returns: whether it is still there.
  fileprivate func remains() -> Bool {
    if isKept, let status = fileStatus(part), status.st_size > 0 { return true }
    unlink(part.systemBytes)
    return false
  }
}

/// The files that are being written, to be removed when the process ends before they are complete.
package enum UnfinishedFiles {
  /// What an unfinished file is known by.
  package struct Ticket: Sendable {
    fileprivate var number: Int
  }

  private struct State: Sendable {
    var files: [Int: UnfinishedFile] = [:]
    var next = 0
  }

  private static let state = Locked(State())

  /// Begins a file. Nothing ends the process between its being made and its being known here.
  /// - Parameter open: makes the file beside its place.
  static func begin(
    path: String, isKept: Bool, _ open: () throws -> (descriptor: Int32, part: String)
  ) rethrows -> (descriptor: Int32, part: String, ticket: Ticket) {
    try state.withLock { state in
      let (descriptor, part) = try open()
      state.next += 1
      state.files[state.next] = UnfinishedFile(path: path, part: part, isKept: isKept)
      return (descriptor, part, Ticket(number: state.next))
    }
  }

  /// Runs `body`, which gives the file its name or takes it away; it is unfinished no longer, unless `body` throws.
  /// - Parameter body: gets the other unfinished files.
  static func finish(_ ticket: Ticket?, _ body: (_ others: [UnfinishedFile]) throws -> Void) rethrows {
    guard let ticket else { return try body([]) }
    try state.withLock { state in
      try body(state.files.filter { $0.key != ticket.number }.map(\.value))
      state.files[ticket.number] = nil
    }
  }

  /// Leaves a file where it is, or removes it when there is nothing in it.
  /// - Returns: where it is.
  static func keep(_ ticket: Ticket?) -> String? {
    guard let ticket else { return nil }
    return state.withLock { state in
      state.files.removeValue(forKey: ticket.number).flatMap { $0.remains() ? $0.part : nil }
    }
  }

  /// Runs `body` while nothing may end the process.
  static func holding(_ body: () throws -> Void) rethrows {
    try state.withLock { _ in try body() }
  }

  /// Removes every unfinished file that is worth nothing, and runs `end` with the others, in the order in which they
  /// began. No file is finished meanwhile: `end` is meant to end the process.
  package static func end(_ end: ([UnfinishedFile]) -> Void) {
    state.withLock { state in
      let files = state.files.sorted { $0.key < $1.key }.map(\.value)
      end(files.filter { $0.remains() })
    }
  }
}
