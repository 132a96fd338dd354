import ApusMotion

/// The record of a session, as it is read by `apus history`.
struct RunSessionTarget: JSONFuzzTarget {
  let name = "session"
  let summary = "session.json: what a kept run says of itself, and its comparison"
  let dictionary = [
    "\"apus_session\":1", "\"apus\":", "\"command\":", "\"started\":", "2026-11-22T08:21:03Z", "\"seconds\":",
    "\"machine\":", "\"variant\":", "\"threads\":", "\"inputs\":[", "\"role\":", "\"path\":", "\"kind\":\"folder\"",
    "\"bytes\":", "\"sha256\":", "\"settings\":{", "\"summary\":{", "\"headline\":", "\"status\":\"failed\"",
    "\"error\":", "null", "1e308", "-1e308", "1e999", "9223372036854775807", "\\u0000", "\\u001b[2J",
  ]

  func seeds() -> [[UInt8]] {
    let hash = String(repeating: "0a", count: 32)
    let input = SessionInput(role: "input", path: "a.jsonl", kind: .file, byteCount: 12, sha256: hash)
    let plain = RunSession(
      apusVersion: "1", command: "barpath", started: "2026-11-22T08:21:03Z", seconds: 0.5,
      machine: RunSession.Machine(processor: "a", variant: "avx2", threads: 2))
    var full = plain
    full.inputs = [input]
    full.settings = [SessionEntry("gap", .number(8)), SessionEntry("kind", .text("ema"))]
    full.summary = [SessionEntry("rom", .number(-0.25)), SessionEntry("on", .flag(true))]
    full.headline = "3 reps"
    full.failure = "line 3: malformed"
    return [plain, full].map { Array($0.jsonLine.utf8) }
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    try outcome(allowing: SessionError.self) {
      let session = try RunSession(json: input)
      let line = session.jsonLine
      // Written again a text may be longer than is read: control characters take six bytes.
      if input.count < 8192 {
        guard try Array(line.utf8).withUnsafeBytes({ try RunSession(json: $0) }) == session else {
          throw FuzzFinding(message: "a session comes back different")
        }
      }
      let comparison = SessionComparison(old: session, new: session)
      guard comparison.isEqual, !comparison.jsonLine(old: "a", new: "b").isEmpty else {
        throw FuzzFinding(message: "a session differs from itself")
      }
    }
  }
}
