import Apus
import ApusMedia

/// How a picture becomes a model's input, and what that rests on.
///
/// Weights do not show what scale of numbers they were trained with, and a wrong one gives wrong answers that look like
/// right ones. So it is looked for wherever it may be written: what the caller says comes first, then a picture that the
/// model declares, what an exporter wrote into the file, what the graph itself does to its input first, and a
/// configuration beside the file. Only where all are silent it is assumed, and ``isAssumed`` says so.
public struct PicturePreparation: Sendable, Hashable {
  /// What the scale and the order of colours rest on.
  public enum Origin: Sendable, Hashable {
    /// The caller's options.
    case stated
    /// The model declares a picture, and brings its bytes to numbers itself.
    case declared
    /// What an exporter wrote into the model's file; whose or which entries.
    case metadata(String)
    /// A configuration beside the model's file; its name.
    case configuration(String)
    /// The model's input is of bytes.
    case bytes
    /// What the graph does to its input before anything else; the operators.
    case graph(String)
    /// What networks of this kind are usually trained with; which kind.
    case assumed(String)
  }

  /// Everything between the pixels of a file and the numbers of the tensor.
  public var input: ImageInput
  /// What ``input``'s scale of numbers rests on.
  public var origin: Origin
  /// What a configuration beside the model asks for and is not done, in its own keys.
  public var unheeded: [String] = []

  /// A preparation that is known.
  public init(_ input: ImageInput, origin: Origin) {
    (self.input, self.origin) = (input, origin)
  }

  /// The longest side of a network's input.
  static let longestSide = 1 << 14

  /// Whether nothing said which numbers the model wants.
  public var isAssumed: Bool { if case .assumed = origin { true } else { false } }

  /// Why the answers are to be doubted although a configuration says how the model wants its pictures; nil where all of
  /// that is done.
  public var doubt: String? {
    guard !unheeded.isEmpty else { return nil }
    return "the configuration beside the model asks for what is not done to its pictures, so its answers may be wrong: "
      + unheeded.joined(separator: ", ")
  }

  /// What is done, and what that rests on, in a line.
  public var summary: String {
    let numbers =
      switch input.normalization {
      case .bytes: "0 to 255"
      case .unit: "0 to 1"
      case .signed: "-1 to 1"
      case .imageNet: "ImageNet's mean and deviation"
      case let other: "mean \(Self.list(other.mean)), deviation \(Self.list(other.deviation))"
      }
    return "\(input.width) × \(input.height), \(input.order.rawValue.uppercased()), \(numbers), \(input.fit.rawValue) "
      + "(\(origin))"
  }

  private static func list(_ numbers: [Float]) -> String { numbers.map { "\($0)" }.joined(separator: " ") }

  /// - Parameters:
  ///   - usual: what such networks usually want.
  ///   - kind: which networks these are, for ``Origin/assumed(_:)``.
  ///   - clues: what is known, the surest first; of two that speak of the same the first counts.
  init(usual: ImageInput, of kind: String, clues: [PictureClue]) {
    input = usual
    origin = clues.first { $0.normalization != nil }?.origin ?? .assumed(kind)
    func first<Value>(_ part: (PictureClue) -> Value?) -> Value? { clues.lazy.compactMap(part).first }
    input.normalization = first(\.normalization) ?? usual.normalization
    input.order = first(\.order) ?? usual.order
    // Fit, filter and crop belong together: those of different sources make nothing that anybody was trained with.
    if let framing = first(\.framing) {
      (input.fit, input.cropFraction) = (framing.fit, framing.cropFraction)
      input.cutsWholePixels = framing.cutsWholePixels
      input.filter = framing.filter ?? usual.filter
    }
    // Whoever is surer of what becomes of a picture has no need of what a configuration asks for.
    let last = clues.firstIndex { $0.framing != nil } ?? clues.endIndex - 1
    unheeded = clues.prefix(last + 1).flatMap(\.unheeded)
  }
}

extension PicturePreparation.Origin: CustomStringConvertible {
  /// What it rests on, in words.
  public var description: String {
    switch self {
    case .stated: "as stated"
    case .declared: "as the model declares"
    case .metadata(let name): "by the file's metadata: \(name)"
    case .configuration(let name): "by \(name) beside the model"
    case .bytes: "as the model takes bytes"
    case .graph(let operators): "as the graph begins with \(operators)"
    case .assumed(let kind): "assumed, as for \(kind)"
    }
  }
}

/// What one source says of a model's pictures.
struct PictureClue: Sendable, Hashable {
  /// What becomes of a picture of another size.
  struct Framing: Sendable, Hashable {
    var fit: ImageInput.Fit
    var cropFraction = 1.0
    var cutsWholePixels = false
    var filter: ResizeFilter?
  }

  var origin: PicturePreparation.Origin
  var normalization: ImageNormalization?
  var order: ColorOrder?
  var framing: Framing?
  /// The sides of the input, for a model that leaves them open.
  var width: Int?
  var height: Int?
  /// What it says and the rest of this cannot, in its own keys.
  var unheeded: [String] = []
}
