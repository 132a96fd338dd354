/// The scale of a video while it comes, from the sizes of the plate's boxes.
///
/// It is known after half a second of sightings, and rests on the first three seconds of them: a scale that changed later
/// would change speeds that were told already.
struct LiveScale: Sendable {
  let diameterCm: Double
  private(set) var calibration: BarCalibration?
  private var sizes: [BarSize] = []

  private static let least = 15
  private static let most = 90

  init(diameterCm: Double) { self.diameterCm = diameterCm }

  mutating func add(_ size: BarSize?) {
    guard let size, size.larger > 0, sizes.count < Self.most else { return }
    sizes.append(size)
    guard sizes.count >= Self.least else { return }
    calibration = BarCalibration(
      boxWidths: sizes.map(\.width), heights: sizes.map(\.height), diameterCm: diameterCm)
  }
}
