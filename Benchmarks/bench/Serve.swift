import Apus

/// Runs workloads as standard input asks for them, so that another program can measure in turn with something else.
///
/// A request is a line, and so is the answer:
///
///     NAME CALLS          the median and the least time of so many calls, in seconds
///     values NAME         `values COUNT`, followed by that many little-endian float32 numbers: the result of a call
///
/// An answer that starts with `error` says what was wrong. A workload is prepared when first asked for and kept.
func serve(_ workloads: [Workload]) throws {
  var bodies: [String: Workload.Body] = [:]
  func body(_ name: String) throws -> Workload.Body {
    if let body = bodies[name] { return body }
    guard let workload = workloads.first(where: { $0.name == name }) else {
      throw BenchmarkUnavailable("there is no workload \(name)")
    }
    let body = try workload.prepare()
    bodies[name] = body
    return body
  }

  while let line = readLine() {
    let words = line.split(separator: " ").map(String.init)
    do {
      guard words.count == 2 else { throw BenchmarkUnavailable("expected two words, found '\(line)'") }
      if words[0] == "values" {
        guard let values = try body(words[1])() else {
          throw BenchmarkUnavailable("\(words[1]) has no result to compare")
        }
        try printLine("values \(values.count)")
        for value in try values.elements {
          try withUnsafeBytes(of: value.bitPattern.littleEndian) { try write($0, to: 1) }
        }
      } else {
        guard let calls = Int(words[1]), 1...1_000_000 ~= calls else {
          throw BenchmarkUnavailable("expected a number of calls, found '\(words[1])'")
        }
        let body = try body(words[0])
        let timing = try Timing.of(calls: calls) { _ = try body() }
        try printLine("\(timing.median) \(timing.minimum)")
      }
    } catch let error as OutputError {
      throw error
    } catch {
      try printLine("error \(error)")
    }
  }
}
