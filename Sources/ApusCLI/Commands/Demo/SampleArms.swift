import Apus
import ApusMotion
import FoundationEssentials

/// The recording of two arms that ships, held against the angles it was made from.
struct SampleArms {
  /// Of one arm how far it sank, and how far it was made to, in degrees.
  struct Result: Encodable {
    var arm: String
    var drift: Double
    var madeDrift: Double

    /// To a degree: more than the noise of the points leaves in a median.
    var isEqual: Bool { abs(drift - madeDrift) <= 1 }

    enum CodingKeys: String, CodingKey {
      case arm
      case drift = "drift_deg"
      case madeDrift = "made_drift_deg"
    }
  }

  private struct Truth: Decodable {
    struct Arm: Decodable {
      var start: Double
      var end: Double

      enum CodingKeys: String, CodingKey {
        case start = "drop_deg_start"
        case end = "drop_deg_end"
      }
    }
    var left: Arm
    var right: Arm
  }

  private let folder: String

  /// What was made, relative to the folder `Weights`.
  static let file = "arms/samples/truth.json"

  /// Nil where a folder of weights has no recording.
  init?() {
    guard let truth = try? WeightsLocator().path(of: Self.file) else { return nil }
    folder = parentFolder(of: truth)
  }

  /// Both arms; none where the recording is too short.
  func analyze() throws -> [Result] {
    let truth = try JSONDecoder().decode(
      Truth.self, from: Data(ByteInput(path: "\(folder)/truth.json").readAll(limit: 1 << 20)))
    let recording = try ArmRecording(json: ByteInput(path: "\(folder)/recording.jsonl").readAll(limit: 1 << 24))
    guard case .measured(let found) = ArmDriftAnalysis.analyze(recording) else { return [] }
    return [("left", found.left, truth.left), ("right", found.right, truth.right)].map { name, hold, made in
      Result(arm: name, drift: hold.drift, madeDrift: made.end - made.start)
    }
  }
}
