import Apus
import ApusMotion

/// The readers of poses: lines of JSON, and CSV.
struct PoseFramesTarget: JSONFuzzTarget {
  let name = "poses"
  let summary = "pose frames: JSON Lines and CSV, cut into pieces anywhere"
  let dictionary = [
    "\"t\":", "\"width\":", "\"height\":", "\"space\":", "\"keypoints\":", "\"confidence\":", "\"pixel\"",
    "\"normalized_topleft\"", "\"vision\"", "null", "nan", "1e308", "1e-400", "-0.0", "\u{FEFF}", "\r\n", "\n", "\"\"",
    ",", "[", "]", "{", "}", "nose_x", "nose_y", "nose_confidence",
  ]

  func seeds() -> [[UInt8]] {
    let names = KeypointOrder.cvat.pointNames
    let points = names.indices.map { $0 % 5 == 0 ? "null" : "[\($0 * 7),\($0 * 5).25,0.9]" }.joined(separator: ",")
    let line = #""width":640,"height":480,"space":"pixel","keypoints":[\#(points)]}"#
    let columns = names.flatMap { ["\($0)_x", "\($0)_y"] }.joined(separator: ",")
    let row = names.indices.flatMap { ["\($0 * 7)", "\($0 * 5).5"] }.joined(separator: ",")
    return [
      "{\"t\":0,\(line)\n{\"t\":0.1,\(line)\n\n{\"t\":0.2,\(line)",
      "t,width,height,space,\(columns)\n0,640,480,pixel,\(row)\r\n0.1,640,480,pixel,\(row)\n",
    ].map { Array($0.utf8) }
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    try Self.outcome(of: input, options: PoseReaderOptions())
  }

  /// Reads the frames, whole and in pieces, and compares.
  static func outcome(
    of input: UnsafeRawBufferPointer, options: PoseReaderOptions
  ) throws(FuzzFinding) -> FuzzOutcome {
    let whole = try read(input, pieces: [input.count], options: options)
    // The same bytes in two pieces, or the first ones one by one, which they choose.
    let pieces =
      Adler32.checksum(input).isMultiple(of: 4)
      ? [Int](repeating: 1, count: min(input.count, 100)) + [max(0, input.count - 100)]
      : [input.count / 3, input.count - input.count / 3]
    guard try read(input, pieces: pieces, options: options) == whole else {
      throw FuzzFinding(message: "what is read depends on how the bytes are cut")
    }
    var outcome = FuzzOutcome.refused
    for result in whole {
      switch result {
      case .frame: outcome = .accepted
      case .failure(let text):
        guard !text.isEmpty else { throw FuzzFinding(message: "an error without a text") }
      }
    }
    return outcome
  }

  private enum Result: Equatable {
    case frame(PoseFrame)
    /// An error's text: the error itself may hold a NaN, which equals nothing.
    case failure(String)
  }

  /// Every frame and every error, in order.
  private static func read(
    _ input: UnsafeRawBufferPointer, pieces: [Int], options: PoseReaderOptions
  ) throws(FuzzFinding) -> [Result] {
    guard var reader = try? PoseFrameReader(options: options) else {
      throw FuzzFinding(message: "the default options are refused")
    }
    var results: [Result] = []
    var offset = 0
    for count in pieces + [0] {
      reader.append(input[offset..<offset + count])
      offset += count
      if offset == input.count { reader.finish() }
      while true {
        do throws(PoseReadError) {
          guard let frame = try reader.next() else { break }
          results.append(.frame(frame))
        } catch {
          results.append(.failure("\(error)"))
        }
        guard results.count <= input.count + 1 else {
          throw FuzzFinding(message: "more frames and errors than bytes")
        }
      }
    }
    return results
  }
}
