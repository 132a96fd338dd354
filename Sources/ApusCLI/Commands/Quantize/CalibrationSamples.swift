import Apus
import ApusGraph
import ApusMedia
import ApusVision

/// What a model is run on to see which numbers it computes: pictures, or arrays with a sample in each row.
///
/// Pictures are prepared as the command prepares them that the model is for, for levels that other numbers show make
/// another model of it.
struct CalibrationSamples {
  /// How many there are, where that is known.
  private(set) var total: Int?
  /// How pictures become the model's input; nil for arrays, and for a model that declares a picture.
  private(set) var preparation: PicturePreparation?
  /// What was no picture, or could not be read.
  private(set) var unread = UnreadPictures()
  private let empty: ModelInputs
  private var arrays: [[String: GraphValue]] = []
  private var pictures: PictureSource?
  /// The pictures from the first on; nil for those that come but once.
  private var repeatable: PictureSource?
  private let file: String
  /// For a model that 'detect' or 'classify' takes.
  private var feed: PictureFeed?

  /// - Parameters:
  ///   - paths: `.npy`, `.npz` and `.safetensors` files and folders of arrays, or pictures and folders, archives and videos
  ///     of them.
  ///   - file: where the model lies; what lies beside it says how pictures become its numbers.
  ///   - options: what the caller says of that.
  /// - Throws: ``CommandFailure``, also where nothing says how the model wants its pictures; and the errors of the
  ///   readers.
  init(_ paths: [String], for model: any GraphModel, file: String, _ options: CalibrationPictureOptions) throws {
    self.file = file
    empty = ModelInputs(model, file: file, converts: true, widens: false, stated: options.stated)
    let areArrays = paths.map(Self.holdsArrays)
    guard let first = areArrays.first, areArrays.allSatisfy({ $0 == first }) else {
      throw CommandFailure(.usage, "--calibrate: pictures or arrays, not both")
    }
    guard first else {
      let source = try PictureSource(paths, limits: .default)
      (pictures, total) = (source, source.total)
      // A video may come through a pipe.
      repeatable = source.isVideo ? nil : source
      feed = try PictureFeed(model, file: file, layout: options.layout, stated: options.stated)
      if let feed { try take(feed.preparation, isRecognized: feed.detector != nil) }
      return
    }
    for path in paths { try addArrays(path) }
    total = arrays.count
  }

  private static func holdsArrays(_ path: String) -> Bool {
    if isFolder(path) { return (try? folderNames(at: path).contains { $0.hasSuffix(".npy") }) ?? false }
    return (try? FileFormat(of: path)).map { [.npy, .npz, .safetensors, .json].contains($0) } ?? false
  }

  /// Adds the samples of a file: as many rows each as the model declares, one where it leaves that open.
  private mutating func addArrays(_ path: String) throws {
    for file in try TensorFile.iterations(path: path) {
      var parts: [String: [GraphValue]] = [:]
      let isNamed = empty.declared.contains { file.names.contains($0.name) }
      let only = isNamed || file.names.count > 1 ? nil : empty.onlyName
      for info in empty.declared {
        guard
          let name = isNamed ? file.names.first(where: { $0 == info.name }) : info.name == only ? file.names.first : nil
        else { continue }
        let value = try file.value(name)
        do {
          parts[info.name] = try value.samples(of: Self.rows(info, of: value))
        } catch let error as OperatorError {
          throw CommandFailure(.badData, "\(path): '\(info.name)': \(error)")
        }
      }
      let counts = Set(parts.values.map(\.count))
      guard let count = counts.first, counts.count == 1 else {
        let names = empty.declared.map { "'\($0.name)'" }.joined(separator: ", ")
        throw CommandFailure(
          .badData,
          parts.isEmpty
            ? "\(path): none of its arrays is named as an input: \(names)"
            : "\(path): its arrays hold \(counts.sorted().map(String.init).joined(separator: " and ")) samples")
      }
      arrays += (0..<count).map { index in parts.mapValues { $0[index] } }
    }
  }

  /// What finds objects with the model, where it is a detector and the samples are pictures.
  var detector: Detector? { feed?.detector }

  /// Takes a preparation that rests on something.
  /// - Parameter isRecognized: whether what the model gives says what it wants, as that of detectors does.
  private mutating func take(_ preparation: PicturePreparation, isRecognized: Bool) throws {
    guard isRecognized || !preparation.isAssumed else {
      throw CommandFailure(
        .usage,
        "\(file): nothing says how this model wants its pictures, and levels that others show would spoil it: say it "
          + "with --mean and --std, or --pixels 1 or 255, and --colors and --fit where they are not the usual ones. "
          + "Without them it would be \(preparation.summary)")
    }
    if let doubt = preparation.doubt { ErrorOutput.warning("\(file): \(doubt)") }
    self.preparation = preparation
  }

  /// The rows of a sample.
  private static func rows(_ info: Graph.ValueInfo, of value: GraphValue) -> Int {
    guard case .tensor(_, let axes?)? = info.type, let first = axes.first, let rank = value.shape?.count,
      rank == axes.count
    else { return value.shape?.first ?? 1 }
    if case .size(let size) = first { return size }
    return 1
  }

  /// The next sample; nil at the end.
  mutating func next(clearing progress: inout ProgressBar?) throws -> [String: GraphValue]? {
    var inputs = empty
    if pictures != nil {
      guard let picture = try pictures?.nextPicture(&unread, clearing: &progress) else { return nil }
      if let feed { return try feed.inputs(for: picture.image) }
      try inputs.give(picture.image, from: picture.name ?? "picture \(picture.index + 1)")
      if let found = inputs.pictures, preparation == nil { try take(found, isRecognized: false) }
    } else {
      guard !arrays.isEmpty else { return nil }
      for (name, value) in arrays.removeFirst() { try inputs.give(value, for: name, from: "--calibrate") }
    }
    try inputs.checkAllGiven()
    return inputs.values
  }

  /// How far the objects that a quantised model finds in the first pictures are those that the model in floats finds;
  /// nil where it is no detector, and where there are no pictures to look at again.
  func agreement(of quantized: any GraphModel) throws -> DetectionAgreement? {
    guard let detector, var source = repeatable else { return nil }
    let small = try detector.running(quantized)
    var agreement = DetectionAgreement()
    var progress = ProgressBar(total: source.total.map { min($0, Self.comparedPictures) })
    defer { progress?.clear() }
    while agreement.pictures < Self.comparedPictures, let event = try source.nextEvent() {
      // What cannot be read was said when the levels were chosen.
      guard case .picture(let picture) = event else { continue }
      try agreement.add(small.detections(in: picture.image), of: detector.detections(in: picture.image))
      progress?.update(agreement.pictures, note: "comparing what is found")
    }
    return agreement
  }

  private static let comparedPictures = 100
}
