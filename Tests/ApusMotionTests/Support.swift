@testable import ApusMotion

/// A classifier whose answer a test writes itself. It is not a model: it exists to see what the stream hands it.
struct ScriptedClassifier: BehaviorClassifying {
  let modelInfo: BehaviorModelInfo
  let answer: @Sendable ([Float]) throws -> [Float]

  init(
    labels: [String] = DogBehavior.labels, windowLength: Int = 100, framesPerSecond: Double? = nil,
    answer: @escaping @Sendable ([Float]) throws -> [Float]
  ) throws {
    modelInfo = try BehaviorModelInfo(
      name: "scripted", labels: labels, windowLength: windowLength, framesPerSecond: framesPerSecond)
    self.answer = answer
  }

  /// Answers with 21 probabilities that put `confidence` on `label` and share the rest out evenly.
  init(confidence: Float, label: Int = 0, windowLength: Int = 100) throws {
    try self.init(windowLength: windowLength) { _ in Self.peak(confidence, at: label) }
  }

  func probabilities(forWindow window: [Float]) throws -> [Float] { try answer(window) }

  static func peak(_ confidence: Float, at label: Int, count: Int = 21) -> [Float] {
    var result = [Float](repeating: (1 - confidence) / Float(count - 1), count: count)
    result[label] = confidence
    return result
  }
}

/// A frame with every point at the same place, in fractions of a 200 x 400 image.
func frame(_ timestamp: Double, x: Double = 0.5, y: Double = 0.5, count: Int = 24) -> PoseFrame {
  PoseFrame(
    timestamp: timestamp, width: 200, height: 400, space: .normalizedTopLeft,
    points: Array(repeating: PosePoint(x: x, y: y), count: count))
}

extension BehaviorSettings {
  /// No throttle: every frame counts.
  static var everyFrame: BehaviorSettings {
    var options = BehaviorSettings()
    options.framesPerSecond = nil
    return options
  }
}

extension BehaviorStream {
  /// Pushes frames 0.1 s apart and returns the predictions.
  mutating func push(count: Int, from start: Int = 0) throws -> [BehaviorPrediction] {
    try (start..<start + count).compactMap { try push(frame(Double($0) / 10)) }
  }
}

/// One line of JSON with 24 points, each written by `point`.
func jsonLine(
  head: String = #""t":0.5,"width":200,"height":400"#, count: Int = 24, tail: String = "",
  point: (Int) -> String = { "[\($0),\(2 * $0)]" }
) -> String {
  let points = (0..<count).map(point).joined(separator: ",")
  return "{\(head),\"keypoints\":[\(points)]\(tail)}"
}

/// A reader of lines that come in pieces.
protocol ReaderOfFrames {
  associatedtype Options: Changeable
  associatedtype Frame
  associatedtype Failure: Error
  init(options: Options) throws(SettingsError)
  mutating func append(_ bytes: some Sequence<UInt8>)
  mutating func finish()
  mutating func next() throws(Failure) -> Frame?
}

extension PoseFrameReader: ReaderOfFrames {}
extension PoseReaderOptions: Changeable {}
extension BehaviorSettings: Changeable {}

extension ReaderOfFrames {
  /// Reads everything in `text`, fed in chunks of `chunk` bytes.
  static func frames(in text: String, chunk: Int = .max, options: Options = Options()) throws -> [Frame] {
    var reader = try Self(options: options)
    var frames: [Frame] = []
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      reader.append(rest.prefix(chunk))
      rest = rest.dropFirst(chunk)
      while let frame = try reader.next() { frames.append(frame) }
    }
    reader.finish()
    while let frame = try reader.next() { frames.append(frame) }
    return frames
  }

  /// The error that reading `text` ends in.
  static func failure(in text: String, options: Options = Options()) -> Failure? {
    do {
      _ = try frames(in: text, options: options)
      return nil
    } catch {
      return error as? Failure
    }
  }
}

/// A value that starts from defaults.
protocol Changeable {
  init()
}

extension Changeable {
  func with(_ change: (inout Self) -> Void) -> Self {
    var changed = self
    change(&changed)
    return changed
  }
}
