import Apus
import ApusGraph

/// An input, an output or a state of a Core ML model, as its description declares it.
public struct CoreMLFeature: Sendable, Hashable {
  /// The name, which is that of a value of the graph.
  public let name: String
  /// What it holds.
  public let kind: Kind
  /// Whether it may be left out.
  public let isOptional: Bool
  /// What every element of an array is where it is left out; nil where the file does not say.
  public let defaultNumber: Double?
  /// What the author says of it.
  public let summary: String

  /// What a feature holds.
  public enum Kind: Sendable, Hashable {
    case int64
    case double
    case string
    case image(Image)
    /// `shape` is the one that counts where a model takes several; it may be empty for outputs.
    case multiArray(ElementType, shape: [Int], allowed: AllowedShapes)
    /// Numbers by the texts or integers that they belong to; a graph has them as a list, in the order of the keys.
    case dictionary(keysAreStrings: Bool)
    /// A list of texts or of integers.
    case sequence(ofStrings: Bool)
    /// What a model keeps from one run to the next.
    case state(ElementType, shape: [Int])
  }

  /// The shapes that an array may have.
  public enum AllowedShapes: Sendable, Hashable {
    /// The declared one alone.
    case declared
    /// One of a list.
    case enumerated([[Int]])
    /// A least and a greatest extent for every axis; nil where it may be as large as it likes.
    case ranges([ClosedRange<Int>?])
  }

  /// How large an image is, and of which planes.
  public struct Image: Sendable, Hashable {
    /// The pixels of a row.
    public let width: Int
    /// The rows.
    public let height: Int
    /// The planes.
    public let colors: Colors
    /// The shapes that it may have, as ``shape``.
    public let allowed: AllowedShapes

    /// The planes of an image, in their order.
    public enum Colors: Int, Sendable, Hashable {
      case gray = 10
      case rgb = 20
      case bgr = 30
      /// One plane of sixteen-bit floating-point numbers.
      case grayFloat16 = 40

      /// How many planes there are.
      public var count: Int { self == .gray || self == .grayFloat16 ? 1 : 3 }
    }

    /// `[1, planes, height, width]`, as a graph takes it: numbers from 0 to 255.
    public var shape: [Int] { [1, colors.count, height, width] }
  }

  init(_ fields: Fields) throws {
    name = try fields.string(1)
    summary = try fields.string(2)
    let type = try fields.message(3, "FeatureType") ?? Fields(empty: "FeatureType", of: fields.source)
    isOptional = try type.bool(1000)
    defaultNumber = try type.message(5, "ArrayFeatureType").flatMap { array in
      try array.optionalInt64(41).map(Double.init) ?? array.optionalFloat(51).map(Double.init)
        ?? array.optionalDouble(61)
    }
    do {
      kind = try Kind(type)
    } catch let error as OperatorError {
      throw CoreMLError.Reason.invalid(at: "feature '\(name)'", error.description)
    }
  }
}

extension CoreMLFeature.Kind {
  fileprivate init(_ type: Fields) throws {
    if type.has(1) {
      self = .int64
    } else if type.has(2) {
      self = .double
    } else if type.has(3) {
      self = .string
    } else if let image = try type.message(4, "ImageFeatureType") {
      let (width, height) = try (image.int(1), image.int(2))
      guard let colors = CoreMLFeature.Image.Colors(rawValue: try image.int(3)) else {
        throw OperatorError("the colour space \(try image.int(3)) is not known")
      }
      guard 0...Self.sideLimit ~= width, 0...Self.sideLimit ~= height else {
        throw OperatorError("an image of \(width) × \(height) is declared")
      }
      self = .image(
        .init(width: width, height: height, colors: colors, allowed: try Self.allowed(image, planes: colors.count)))
    } else if let array = try type.message(5, "ArrayFeatureType") {
      let (elementType, shape) = try Self.array(array)
      self = .multiArray(elementType, shape: shape, allowed: try Self.allowed(array))
    } else if let dictionary = try type.message(6, "DictionaryFeatureType") {
      self = .dictionary(keysAreStrings: dictionary.has(2))
    } else if let sequence = try type.message(7, "SequenceFeatureType") {
      self = .sequence(ofStrings: sequence.has(3))
    } else if let state = try type.message(8, "StateFeatureType") {
      let array = try state.message(1, "ArrayFeatureType") ?? Fields(empty: "ArrayFeatureType", of: type.source)
      let (elementType, shape) = try Self.array(array)
      self = .state(elementType, shape: shape)
    } else {
      throw OperatorError("its type is not known")
    }
  }

  private static func array(_ array: Fields) throws -> (ElementType, [Int]) {
    let types: [Int: ElementType] = [
      65552: .float16, 65568: .float, 65600: .double, 131_080: .int8, 131_104: .int32,
    ]
    let number = try array.int(2)
    guard let elementType = types[number] else { throw OperatorError("the data type \(number) is not known") }
    let shape = try array.int64s(1)
    if let wrong = shape.first(where: { $0 < 0 || $0 > Fields.sizeLimit }) {
      throw OperatorError("a dimension of \(wrong) is declared")
    }
    _ = try Shape.elementCount(shape, operation: "feature")
    return (elementType, shape)
  }

  private static func allowed(_ array: Fields) throws -> CoreMLFeature.AllowedShapes {
    if let enumerated = try array.message(21, "EnumeratedShapes") {
      return .enumerated(try enumerated.messages(1, "Shape").map { try $0.ints(1) })
    }
    guard let range = try array.message(31, "ShapeRange") else { return .declared }
    return .ranges(try range.messages(1, "SizeRange").map(extent))
  }

  /// An extent that lies between two others, or may be as large as it likes.
  private static func extent(_ range: Fields) throws -> ClosedRange<Int>? {
    let (low, high) = try (range.int(1), range.int(2))
    guard high >= 0 else { return nil }
    guard low >= 0, low <= high else { throw OperatorError("an extent lies between \(low) and \(high)") }
    return low...high
  }

  /// The shapes of an image of so many planes.
  private static func allowed(_ image: Fields, planes: Int) throws -> CoreMLFeature.AllowedShapes {
    if let enumerated = try image.message(21, "EnumeratedImageSizes") {
      return .enumerated(
        try enumerated.messages(1, "ImageSize").map { size in
          let (width, height) = try (size.int(1), size.int(2))
          guard 0...Self.sideLimit ~= width, 0...Self.sideLimit ~= height else {
            throw OperatorError("an image of \(width) × \(height) is declared")
          }
          return [1, planes, height, width]
        })
    }
    guard let range = try image.message(31, "ImageSizeRange") else { return .declared }
    let sides = try [2, 1].map { try range.message($0, "SizeRange").map(extent) ?? nil }
    return .ranges([1...1, planes...planes] + sides)
  }

  private static let sideLimit = 1 << 24
}

extension CoreMLFeature {
  /// The type that a graph declares of the feature.
  var graphType: GraphValueType {
    switch kind {
    case .int64: return .tensor(.int64, [.size(1)])
    case .double: return .tensor(.double, [.size(1)])
    case .string: return .tensor(.string, [.size(1)])
    case .image(let image): return Self.graphType(.float, image.shape, image.allowed)
    case .state(let type, let shape): return .tensor(type, shape.map(GraphDimension.size))
    case .dictionary: return .tensor(.double, nil)
    case .sequence(let ofStrings): return .tensor(ofStrings ? .string : .int64, [.unknown])
    case .multiArray(let type, let shape, let allowed): return Self.graphType(type, shape, allowed)
    }
  }

  private static func graphType(_ type: ElementType, _ shape: [Int], _ allowed: AllowedShapes) -> GraphValueType {
    switch allowed {
    case .declared: return .tensor(type, shape.isEmpty ? nil : shape.map(GraphDimension.size))
    case .enumerated(let shapes):
      let ranks = Set(shapes.map(\.count))
      guard ranks.count == 1, let rank = ranks.first else { return .tensor(type, nil) }
      return .tensor(
        type,
        (0..<rank).map { axis in
          let sizes = Set(shapes.map { $0[axis] })
          return sizes.count == 1 ? sizes.first.map(GraphDimension.size) ?? .unknown : .unknown
        })
    case .ranges(let ranges):
      return .tensor(
        type, ranges.map { range in range.map { $0.count == 1 ? .size($0.lowerBound) : .unknown } ?? .unknown })
    }
  }
}

extension CoreMLFeature {
  /// What an optional array is where it is left out: of its usual shape, and of the number that the file says.
  /// - Parameter number: the number where the file says none.
  func defaultValue(otherwise number: Double? = nil) throws -> GraphValue? {
    guard isOptional, case .multiArray(let elementType, _, _) = kind, let number = defaultNumber ?? number else {
      return nil
    }
    let shape = possibleShapes.usual
    try Shape.checkMemory(shape, of: Double.self, operation: "feature '\(name)'")
    return .tensor(try AnyTensor(Tensor(repeating: number, shape: shape)).with(shape: shape, elementType: elementType))
  }
}

extension CoreMLFeature {
  /// The shape that counts where nothing else is said, and others that the feature may have, all of them or so many and so
  /// different that an extent which is the same for all depends on none that is open.
  var possibleShapes: (usual: [Int], others: [[Int]]) {
    let (shape, allowed): ([Int], AllowedShapes)
    switch kind {
    case .multiArray(_, let own, let all): (shape, allowed) = (own, all)
    case .image(let image): (shape, allowed) = (image.shape, image.allowed)
    default:
      guard case .tensor(_, let dimensions?) = graphType else { return ([1], []) }
      return (dimensions.map { if case .size(let size) = $0 { size } else { 1 } }, [])
    }
    switch allowed {
    case .declared: return (shape, [])
    case .enumerated(let shapes):
      let usual = shape.isEmpty ? shapes.first ?? [] : shape
      let alike = shapes.filter { $0.count == usual.count }
      guard alike.count > Self.followedLimit else { return (usual, Self.distinct(alike, besides: usual)) }
      return (
        usual,
        Self.others(
          usual,
          usual.indices.map { axis in
            alike.reduce(usual[axis]...usual[axis]) { min($0.lowerBound, $1[axis])...max($0.upperBound, $1[axis]) }
          })
      )
    case .ranges(let ranges):
      let usual = shape.count == ranges.count ? shape : ranges.map { $0?.lowerBound ?? 1 }
      return (usual, Self.others(usual, ranges))
    }
  }

  /// As many shapes as Core ML takes in a list; a longer one is followed as the ranges that it lies in.
  private static let followedLimit = 128

  /// Shapes in which every open extent is another than usual: those at the ends of the ranges, where what grows with an
  /// extent differs most, and multiples and parts of the usual ones, which networks that halve and double take as well.
  /// In two of them extents go different ways, for what depends on several.
  private static func others(_ usual: [Int], _ ranges: [ClosedRange<Int>?]) -> [[Int]] {
    let axes = usual.indices.filter { axis in ranges[axis].map { $0.lowerBound < $0.upperBound } ?? true }
    let sizes = axes.map { axis in
      let (low, high) = (max(1, ranges[axis]?.lowerBound ?? 1), ranges[axis]?.upperBound ?? Int.max)
      let size = max(1, usual[axis])
      let far = size.multipliedClamped(by: 16)
      let candidates = [min(high, far), low, size.multipliedClamped(by: 2), size / 2, size.multipliedClamped(by: 3)]
      let others = distinct(candidates.filter { $0 >= low && $0 <= high }, besides: usual[axis])
      return others.isEmpty ? [size + 1] : others
    }
    func shape(_ choice: Int, shiftingBy shift: Int) -> [Int] {
      var shape = usual
      for (place, axis) in axes.enumerated() {
        shape[axis] = sizes[place][(choice + place * shift) % sizes[place].count]
      }
      return shape
    }
    let alike = (0..<(sizes.map(\.count).max() ?? 0)).map { shape($0, shiftingBy: 0) }
    return distinct(alike + (0..<2).map { shape($0, shiftingBy: 1) }, besides: usual)
  }

  /// The elements of a list once each, without one of them.
  private static func distinct<Element: Hashable>(_ list: [Element], besides other: Element) -> [Element] {
    var seen: Set = [other]
    return list.filter { seen.insert($0).inserted }
  }
}

extension CoreMLFeature {
  /// What the feature stands for.
  /// - Parameter keys: those of a dictionary, or the labels of a table's columns, where the model says.
  func form(keys: [String]?) throws -> ValueForm? {
    switch kind {
    case .int64, .double, .string: return .number
    case .image(let image): return .picture(image.form)
    case .dictionary(let keysAreStrings):
      guard let keys else { return nil }
      guard keysAreStrings else {
        return .dictionary(keys: GraphValue(try Tensor(keys.map { Int64($0) ?? 0 })))
      }
      return .dictionary(keys: .strings(try StringTensor(keys, shape: [keys.count])))
    case .multiArray where keys?.isEmpty == false: return .table(labels: keys ?? [])
    // The format has no arrays without axes.
    case .multiArray(_, let shape, .declared) where shape == [1]: return .number
    case .multiArray, .sequence, .state: return nil
    }
  }
}

extension CoreMLFeature.Image {
  fileprivate var form: PictureForm {
    let colors: PictureForm.Colors =
      switch self.colors {
      case .gray, .grayFloat16: .gray
      case .rgb: .rgb
      case .bgr: .bgr
      }
    let size = PictureForm.Size(width: width, height: height)
    func range(_ extent: ClosedRange<Int>?) -> PictureForm.Range {
      .init(least: max(1, extent?.lowerBound ?? 1), greatest: extent?.upperBound)
    }
    let sizes: PictureForm.Sizes =
      switch allowed {
      case .declared: .declared
      case .enumerated(let shapes): .enumerated(shapes.map { .init(width: $0[3], height: $0[2]) })
      case .ranges(let extents): .ranges(width: range(extents[3]), height: range(extents[2]))
      }
    return PictureForm(colors: colors, size: size, sizes: sizes)
  }
}

/// What a model, or one of its functions, takes, gives and keeps.
struct ModelDescription: Sendable {
  var inputs: [CoreMLFeature]
  var outputs: [CoreMLFeature]
  var states: [CoreMLFeature]
  var predictedFeature: String
  var predictedProbabilities: String

  /// - Parameter numbers: the fields of inputs, outputs, states, and of the two names.
  private init(_ fields: Fields, _ numbers: (inputs: Int, outputs: Int, states: Int, label: Int, scores: Int)) throws {
    inputs = try fields.messages(numbers.inputs, "FeatureDescription").map { try CoreMLFeature($0) }
    outputs = try fields.messages(numbers.outputs, "FeatureDescription").map { try CoreMLFeature($0) }
    states = try fields.messages(numbers.states, "FeatureDescription").map { try CoreMLFeature($0) }
    predictedFeature = try fields.string(numbers.label)
    predictedProbabilities = try fields.string(numbers.scores)
  }

  init(model fields: Fields) throws { try self.init(fields, (1, 10, 13, 11, 12)) }

  init(function fields: Fields) throws { try self.init(fields, (2, 3, 6, 4, 5)) }
}
