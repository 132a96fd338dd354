import Apus

/// Which YOLO network, how wide and deep, and what it reports of each object.
///
/// The usual networks are a generation and a ``Size``; channels are multiples of eight, repetitions at least one.
public struct YOLOConfiguration: Sendable, Hashable, Codable {
  /// Networks that differ in their blocks.
  public enum Generation: String, Sendable, Hashable, Codable, CaseIterable {
    /// The backbone of v5 with the anchor-free head of v8 ("v5u").
    case v5u
    case v8
    case v11 = "11"
  }

  /// The usual sizes, nano to extra large, and pico, of half the channels of nano.
  public enum Size: String, Sendable, Hashable, Codable, CaseIterable {
    case p, n, s, m, l, x
  }

  /// How many keypoints an object has, and how many numbers each: x and y, or x, y and visibility.
  public struct Keypoints: Sendable, Hashable, Codable {
    /// Keypoints of an object, such as 17 for a person.
    public var count: Int
    /// 2 or 3.
    public var dimensions: Int

    /// Any numbers; ``YOLOConfiguration/init(generation:size:classes:keypoints:)`` checks them.
    public init(count: Int, dimensions: Int = 3) {
      self.count = count
      self.dimensions = dimensions
    }

    /// Numbers per object.
    public var numbers: Int { count * dimensions }
  }

  /// Which of the architectures it is.
  public let generation: Generation
  /// How many channels and repetitions the architecture has.
  public let size: Size
  /// How many classes are distinguished.
  public let classes: Int
  /// For a pose network, what a pose is; nil for one that only finds boxes.
  public let keypoints: Keypoints?

  /// - Throws: ``YOLOConfigurationError`` for numbers out of range.
  public init(
    generation: Generation, size: Size, classes: Int = 80, keypoints: Keypoints? = nil
  ) throws {
    guard (1...Self.mostNumbers).contains(classes) else {
      throw YOLOConfigurationError("\(classes) classes; expected 1 to \(Self.mostNumbers)")
    }
    if let keypoints {
      guard (2...3).contains(keypoints.dimensions), (1...Self.mostNumbers).contains(keypoints.count) else {
        throw YOLOConfigurationError(
          "\(keypoints.count) keypoints of \(keypoints.dimensions) numbers; expected 1 to \(Self.mostNumbers) "
            + "of 2 or 3")
      }
    }
    self.generation = generation
    self.size = size
    self.classes = classes
    self.keypoints = keypoints
  }

  /// Checks the numbers as ``init(generation:size:classes:keypoints:)`` does.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try self.init(
      generation: container.decode(Generation.self, forKey: .generation),
      size: container.decode(Size.self, forKey: .size), classes: container.decode(Int.self, forKey: .classes),
      keypoints: container.decodeIfPresent(Keypoints.self, forKey: .keypoints))
  }

  /// The most classes or keypoints a configuration may have.
  public static let mostNumbers = 10_000
}

// MARK: - What follows from it

extension YOLOConfiguration {
  /// Pixels between the anchors of the three maps.
  static let strides = [8, 16, 32]
  /// How many distances the distribution of a box's side is over: 0, 1, … 15 cells.
  static let bins = 16

  /// Rows of the output: four for the box, one per class, and the keypoints.
  public var outputCount: Int { 4 + classes + (keypoints?.numbers ?? 0) }

  /// Channels for the `base` of the unscaled network.
  func channels(_ base: Int) -> Int {
    Int((Double(min(base, scale.most)) * scale.width / 8).rounded(.up)) * 8
  }

  /// Repetitions of a block for those of the unscaled network.
  func repeats(_ base: Int) -> Int {
    max(1, Int((Double(base) * scale.depth).rounded(.toNearestOrEven)))
  }

  /// Whether all C3k2 blocks of generation 11 are made of C3, not only the deepest.
  var isDeep: Bool { ![.p, .n, .s].contains(size) }

  private var scale: (depth: Double, width: Double, most: Int) {
    switch (generation, size) {
    case (.v8, .p), (.v5u, .p): (0.33, 0.125, 1024)
    case (.v11, .p): (0.5, 0.125, 1024)
    case (.v8, .n), (.v5u, .n): (0.33, 0.25, 1024)
    case (.v8, .s), (.v5u, .s): (0.33, 0.5, 1024)
    case (.v8, .m): (0.67, 0.75, 768)
    case (.v8, .l): (1, 1, 512)
    case (.v8, .x): (1, 1.25, 512)
    case (.v5u, .m): (0.67, 0.75, 1024)
    case (.v5u, .l): (1, 1, 1024)
    case (.v5u, .x): (1.33, 1.25, 1024)
    case (.v11, .n): (0.5, 0.25, 1024)
    case (.v11, .s): (0.5, 0.5, 1024)
    case (.v11, .m): (0.5, 1, 512)
    case (.v11, .l): (1, 1, 512)
    case (.v11, .x): (1, 1.5, 512)
    }
  }
}

extension YOLOConfiguration.Generation {
  /// The index of the head in the list of modules.
  var headIndex: Int {
    switch self {
    case .v8: 22
    case .v11: 23
    case .v5u: 24
    }
  }
}

/// A YOLO network that cannot be, or weights that are those of another.
public struct YOLOConfigurationError: ApusError, Hashable, Sendable, CustomStringConvertible {
  /// The file of the weights, where they are the reason.
  public let file: String?
  /// The parameter that shows it, by its whole name.
  public let parameter: String?
  /// What was found, and what was expected.
  public let reason: String

  init(_ reason: String, file: String? = nil, parameter: String? = nil) {
    self.file = file
    self.parameter = parameter
    self.reason = reason
  }

  /// The file and the parameter, where they are known, and the reason.
  public var description: String {
    (file.map { "\($0): " } ?? "YOLO: ") + (parameter.map { "the parameter \"\($0)\" " } ?? "") + reason
  }
}

extension YOLOConfigurationError {
  /// ``Fault/data``: the weights, or a description of them.
  public var fault: Fault { .data }
}
