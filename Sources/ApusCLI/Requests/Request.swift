import Apus

/// What a request asks for, beside its `id`.
protocol RequestBody {
  init()
  /// Reads the value of a member; what it does not know it skips.
  mutating func read(_ reader: inout JSONReader, _ key: String) throws
}

/// A line with a JSON object, whose `id` comes back as it was written.
struct Request<Body: RequestBody> {
  private(set) var body = Body()
  /// Any JSON value.
  private var id = "null"

  /// The longest `id`, in bytes.
  private static var idLimit: Int { 4096 }

  /// - Throws: ``CommandFailure`` for what is no JSON object, and what `body` throws.
  mutating func read(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { bytes in
      var reader = JSONReader(bytes)
      var seen: Set<String> = []
      do {
        try reader.object { reader, key in
          guard seen.insert(key).inserted else { throw reader.error(.duplicateKey(key)) }
          guard key == "id" else { return try body.read(&reader, key) }
          _ = try reader.kind()
          let start = reader.offset
          try reader.skip()
          guard reader.offset - start <= Self.idLimit else {
            throw CommandFailure(
              .badData, "the id has \(reader.offset - start) bytes; \(Self.idLimit) at most were expected")
          }
          id = String(decoding: bytes[start..<reader.offset], as: UTF8.self)
        }
        try reader.end()
      } catch let error as JSONError {
        throw CommandFailure(.badData, "\(error)")
      }
    }
  }

  /// An answer with the `id` before its members.
  func framed(_ object: String) -> String {
    let members = object.dropFirst()
    return "{\"id\":\(id)" + (members.first == "}" ? "" : ",") + members
  }

  /// What is said in place of an answer: the message, and the status with which a command would have ended.
  func failed(_ error: any Error, line: Int) -> String {
    let report = ErrorReport(error)
    var object = JSONObject()
    object.add("error", ErrorReport.oneLine(report.message ?? "it failed"))
    object.add("status", Int(report.status.rawValue))
    object.add("line", line)
    return framed(object.text)
  }
}
