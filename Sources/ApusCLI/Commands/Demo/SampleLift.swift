import Apus
import ApusMedia
import ApusMotion
import ApusMotionModels
import ApusVision
import FoundationEssentials

/// The rendered squats that ship, looked at from their pixels and held against what was rendered.
struct SampleLift {
  /// What was found, and what was rendered.
  struct Result: Encodable {
    struct Rep: Encodable {
      var romCm: Double
      var renderedRomCm: Double
      var velocity: Double
      var renderedVelocity: Double

      enum CodingKeys: String, CodingKey {
        case velocity = "mean_concentric_velocity_cm_s"
        case romCm = "rom_cm"
        case renderedRomCm = "rendered_rom_cm"
        case renderedVelocity = "rendered_mean_concentric_velocity_cm_s"
      }

      /// Two percent of the range, three of the velocity.
      var isEqual: Bool {
        abs(romCm - renderedRomCm) <= 0.02 * renderedRomCm
          && abs(velocity - renderedVelocity) <= 0.03 * renderedVelocity
      }
    }

    var clip: String
    var frames: Int
    /// How far the plate was from where it was rendered, the median in pixels.
    var centerError: Double
    var reps: [Rep]
    var renderedReps: Int
    var isEqual: Bool

    enum CodingKeys: String, CodingKey {
      case clip, frames, reps
      case isEqual = "equal"
      case centerError = "center_error_px"
      case renderedReps = "rendered_reps"
    }
  }

  private struct Truth: Decodable {
    struct Frame: Decodable {
      var t: Double
      var bar: [Double]
    }
    struct Rep: Decodable {
      var romCm: Double
      var velocity: Double

      enum CodingKeys: String, CodingKey {
        case romCm = "rom_cm"
        case velocity = "mean_concentric_velocity_cm_s"
      }
    }
    var frames: [Frame]
    var reps: [Rep]
  }

  private let name: String
  /// The archive of the frames, and what was rendered.
  private let (clip, truth): (String, String)

  /// What was rendered, relative to the folder `Weights`.
  static func file(_ name: String) -> String { "detector/samples/\(name).json" }

  /// The clip that ships under this name; nil where a folder of weights has none.
  init?(name: String) {
    let locator = WeightsLocator()
    guard let truth = try? locator.path(of: Self.file(name)),
      let clip = try? locator.path(of: "detector/samples/\(name).zip")
    else { return nil }
    (self.name, self.clip, self.truth) = (name, clip, truth)
  }

  func analyze() throws -> Result {
    let bytes = try ByteInput(path: truth).readAll(limit: 1 << 24)
    let truth = try JSONDecoder().decode(Truth.self, from: Data(bytes))
    var loading = DetectorLoadingOptions()
    (loading.inputWidth, loading.inputHeight) = (320, 320)
    let detector = try Detector.shipped(options: loading)
    let options = detector.barOptions()
    var stream = try BarPathStream()
    var errors: [Double] = []
    let archive = try ImageArchive(path: clip)
    for (picture, frame) in zip(archive.pictures, truth.frames) {
      let image = try archive.read(picture)
      let found = try detector.detections(in: image, options: options)
      let update = try stream.push(
        detector.barFrame(found, timestamp: frame.t, width: image.width, height: image.height))
      if let bar = update.bar, frame.bar.count == 2 {
        let (dx, dy) = (bar.x - frame.bar[0], bar.y - frame.bar[1])
        errors.append((dx * dx + dy * dy).squareRoot())
      }
    }
    let result = stream.finish()
    let reps = zip(result.reps, truth.reps).map { found, rendered in
      Result.Rep(
        romCm: found.rom, renderedRomCm: rendered.romCm, velocity: found.meanConcentricVelocity,
        renderedVelocity: rendered.velocity)
    }
    let isEqual = result.isCalibrated && result.reps.count == truth.reps.count && reps.allSatisfy(\.isEqual)
    return Result(
      clip: name, frames: archive.pictures.count,
      centerError: errors.sorted().dropFirst(errors.count / 2).first ?? .infinity, reps: reps,
      renderedReps: truth.reps.count, isEqual: isEqual)
  }
}
