import Apus
import ApusGraph
import ApusMedia

/// What a model is run on to see which numbers it computes: pictures, or arrays with a sample in each row.
struct CalibrationSamples {
  /// How many there are, where that is known.
  private(set) var total: Int?
  /// What was only assumed, in words, once each.
  private(set) var warnings: [String] = []
  /// What was no picture, or could not be read.
  private(set) var unread = UnreadPictures()
  private let empty: ModelInputs
  private var arrays: [[String: GraphValue]] = []
  private var pictures: PictureSource?

  /// - Parameters:
  ///   - paths: `.npy`, `.npz` and `.safetensors` files and folders of arrays, or pictures and folders, archives and videos
  ///     of them.
  ///   - inputs: the model's, none given yet.
  /// - Throws: ``CommandFailure``, and the errors of the readers.
  init(_ paths: [String], for inputs: ModelInputs) throws {
    empty = inputs
    let areArrays = paths.map(Self.holdsArrays)
    guard let first = areArrays.first, areArrays.allSatisfy({ $0 == first }) else {
      throw CommandFailure(.usage, "--calibrate: pictures or arrays, not both")
    }
    guard first else {
      let source = try PictureSource(paths, limits: .default)
      (pictures, total) = (source, source.total)
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
      for info in empty.declared {
        let isOnly = empty.declared.count == 1 && file.names.count == 1
        guard let name = file.names.contains(info.name) ? info.name : isOnly ? file.names[0] : nil else { continue }
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
      try inputs.give(picture.image, from: picture.name ?? "picture \(picture.index + 1)")
    } else {
      guard !arrays.isEmpty else { return nil }
      for (name, value) in arrays.removeFirst() { try inputs.give(value, for: name, from: "--calibrate") }
    }
    for warning in inputs.warnings where !warnings.contains(warning) { warnings.append(warning) }
    try inputs.checkAllGiven()
    return inputs.values
  }
}
