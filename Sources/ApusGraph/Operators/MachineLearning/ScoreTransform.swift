import Apus
import ApusPlatform

/// What a classifier or regressor of `ai.onnx.ml` does with its scores at the end (`post_transform`).
enum ScoreTransform: String, Sendable {
  case none = "NONE"
  case softmax = "SOFTMAX"
  case logistic = "LOGISTIC"
  case softmaxZero = "SOFTMAX_ZERO"
  case probit = "PROBIT"

  init(_ node: NodeDescription) throws {
    let name = try node.string("post_transform", default: "NONE")
    guard let transform = ScoreTransform(rawValue: name) else {
      throw OperatorError("post_transform '\(name)' is not known")
    }
    self = transform
  }

  /// As `TreeEnsemble` numbers them.
  init(number: Int) throws {
    let all: [ScoreTransform] = [.none, .softmax, .logistic, .softmaxZero, .probit]
    guard all.indices.contains(number) else { throw OperatorError("post_transform \(number) is not known") }
    self = all[number]
  }

  /// Puts what comes of the scores of one row in their place.
  func apply(to scores: UnsafeMutableBufferPointer<Double>) {
    func replace(_ function: (Double) -> Double) {
      for index in scores.indices { scores[index] = function(scores[index]) }
    }
    switch self {
    case .none: return
    case .logistic: replace(Self.logistic)
    case .probit: replace { 1.4142135623730951 * Self.inverseErrorFunction(2 * $0 - 1) }
    case .softmax, .softmaxZero:
      let largest = scores.max() ?? 0
      // Softmax that keeps zeros: they are scaled and not raised to a power.
      replace { self == .softmaxZero && abs($0) <= 1e-7 ? $0 * exp(-largest) : exp($0 - largest) }
      let sum = scores.reduce(0, +)
      if sum != 0 { replace { $0 / sum } }
    }
  }

  static func logistic(_ x: Double) -> Double {
    let value = 1 / (1 + exp(-abs(x)))
    return x < 0 ? 1 - value : value
  }

  /// Winitzki's approximation, which is what the runtimes compute.
  private static func inverseErrorFunction(_ x: Double) -> Double {
    let logarithm = log((1 - x) * (1 + x))
    let a = 2 / (Double.pi * 0.147) + 0.5 * logarithm
    let root = (-a + (a * a - logarithm / 0.147).squareRoot()).squareRoot()
    return x < 0 ? -root : root
  }
}

/// The names of a classifier's classes.
enum ClassLabels: Sendable {
  case numbers([Int64])
  case texts([String])

  init(_ node: NodeDescription, numbers: String, texts: String) throws {
    if let labels = try node.optionalStrings(texts), !labels.isEmpty {
      self = .texts(labels)
    } else {
      self = .numbers(try node.ints(numbers, default: []).map { Int64($0) })
    }
  }

  var elementType: ElementType {
    switch self {
    case .numbers: .int64
    case .texts: .string
    }
  }

  var count: Int {
    switch self {
    case .numbers(let labels): labels.count
    case .texts(let labels): labels.count
    }
  }

  /// All of them.
  func values() throws -> GraphValue { try values(Array(0..<count)) }

  /// The labels of the classes named, a row each.
  func values(_ classes: [Int]) throws -> GraphValue {
    switch self {
    case .numbers(let labels):
      GraphValue(try Tensor(classes.map { labels.indices.contains($0) ? labels[$0] : Int64($0) }))
    case .texts(let labels):
      .strings(try StringTensor(classes.map { labels.indices.contains($0) ? labels[$0] : "" }, shape: [classes.count]))
    }
  }
}

/// The place of the largest number, the first of several; 0 when there is none.
func indexOfLargest(_ numbers: UnsafeMutableBufferPointer<Double>) -> Int {
  var best = 0
  for index in numbers.indices where numbers[index] > numbers[best] { best = index }
  return best
}
