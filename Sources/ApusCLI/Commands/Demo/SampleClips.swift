import Apus
import ApusMotion
import FoundationEssentials

/// The clips of synthetic motion that ship, and what is to be seen in them.
struct SampleClips {
  struct Clip: Decodable {
    var name: String
    /// The poses, relative to the list.
    var file: String
    /// The behaviour in the first window.
    var label: String
    /// The behaviour in the last one, where it is another.
    var then: String?
  }

  /// What the classifier said of a clip.
  struct Result: Encodable {
    var clip: String
    var expected: String
    var found: String
    var confidence: Float
    var isEqual: Bool

    enum CodingKeys: String, CodingKey {
      case clip, expected, found, confidence
      case isEqual = "equal"
    }
  }

  private struct List: Decodable {
    var clips: [Clip]
  }

  let clips: [Clip]
  private let folder: String

  /// The list of clips, relative to the folder `Weights`.
  static let file = "behavior/samples/samples.json"

  /// - Throws: ``WeightsLocatorError`` when the list of clips is nowhere to be found.
  init(locator: WeightsLocator = WeightsLocator()) throws {
    let path = try locator.path(of: Self.file)
    let bytes = try ByteInput(path: path).readAll(limit: 1 << 20)
    do {
      clips = try JSONDecoder().decode(List.self, from: Data(bytes)).clips
    } catch {
      throw CommandFailure(.badData, "\(path): is not a list of clips")
    }
    folder = String(path.dropLast("samples.json".count))
  }

  /// Classifies every clip: its first window, and its last where the behaviour changes.
  func classify(with classifier: some BehaviorClassifying) throws -> [Result] {
    try clips.flatMap { clip in
      let predictions = try predictions(for: clip, classifier)
      guard let first = predictions.first, let last = predictions.last else {
        throw CommandFailure(.badData, "\(folder)\(clip.file): has fewer frames than a window")
      }
      var results = [Self.result(clip.name, expected: clip.label, first)]
      if let then = clip.then { results.append(Self.result("\(clip.name), its end", expected: then, last)) }
      return results
    }
  }

  private static func result(_ name: String, expected: String, _ prediction: BehaviorPrediction) -> Result {
    Result(
      clip: name, expected: expected, found: prediction.label, confidence: prediction.confidence,
      isEqual: prediction.label == expected)
  }

  private func predictions(for clip: Clip, _ classifier: some BehaviorClassifying) throws -> [BehaviorPrediction] {
    let input = try ByteInput(path: folder + clip.file)
    var reader = try PoseFrameReader()
    var stream = try BehaviorStream(classifier: classifier)
    var predictions: [BehaviorPrediction] = []
    func take() throws {
      do {
        while let frame = try reader.next() {
          if let prediction = try stream.push(frame) { predictions.append(prediction) }
        }
      } catch let error as PoseReadError {
        throw CommandFailure(.badData, "\(input.name): \(error)")
      }
    }
    while let chunk = try input.next() {
      reader.append(chunk)
      try take()
    }
    reader.finish()
    try take()
    return predictions
  }
}
