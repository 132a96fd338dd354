import Apus
import ApusGraph

/// Numbers about the numbers of a tensor: least, greatest, mean and standard deviation of those that are finite, and
/// how many are not.
struct ValueSummary {
  var min: Double?
  var max: Double?
  var mean: Double?
  /// Of the whole population, as NumPy's `std` has it.
  var std: Double?
  var nan = 0
  var infinite = 0
  /// The first elements, as text.
  var beginning: [String] = []
  /// Whether there are more elements than those.
  var isLonger = false

  private static let beginningLimit = 4

  /// Nil for values that are not tensors of numbers.
  init?(_ value: GraphValue) throws {
    switch value {
    case .tensor(let tensor): try self.init(tensor)
    case .coded(let tensor): try self.init(AnyTensor(tensor.widened()))
    case .strings(let tensor):
      self.init()
      beginning = tensor.elements.prefix(Self.beginningLimit).map { "\"\(ErrorReport.oneLine($0))\"" }
      isLonger = tensor.elements.count > Self.beginningLimit
    case .sequence, .optional: return nil
    }
  }

  private init() {}

  private init(_ tensor: AnyTensor) throws {
    self.init()
    try tensor.converted(to: Double.self).withUnsafeBufferPointer { add($0) }
    isLonger = tensor.count > Self.beginningLimit
    beginning = try Self.texts(tensor)
  }

  private mutating func add(_ elements: UnsafeBufferPointer<Double>) {
    var (least, greatest) = (Double.infinity, -Double.infinity)
    var (sum, count) = (0.0, 0)
    for element in elements {
      guard element.isFinite else {
        if element.isNaN { nan += 1 } else { infinite += 1 }
        continue
      }
      least = Swift.min(least, element)
      greatest = Swift.max(greatest, element)
      sum += element
      count += 1
    }
    guard count > 0 else { return }
    (min, max) = (least, greatest)
    let center = sum / Double(count)
    var squares = 0.0
    for element in elements where element.isFinite { squares += (element - center) * (element - center) }
    let deviation = (squares / Double(count)).squareRoot()
    // Sums of the largest numbers there are may leave their range.
    if center.isFinite { mean = center }
    if deviation.isFinite { std = deviation }
  }

  private static func texts(_ tensor: AnyTensor) throws -> [String] {
    func beginning<Scalar>(_ tensor: Tensor<Scalar>, _ text: (Scalar) -> String) throws -> [String] {
      try tensor.withUnsafeBufferPointer { $0.prefix(beginningLimit).map(text) }
    }
    switch tensor {
    case .float64(let tensor): return try beginning(tensor) { NumberText.short($0, digits: 5) }
    case .float32(let tensor): return try beginning(tensor) { NumberText.short(Double($0), digits: 5) }
    #if !(os(macOS) && arch(x86_64))
      case .float16(let tensor): return try beginning(tensor) { NumberText.short(Double($0), digits: 4) }
    #endif
    case .bfloat16(let tensor): return try beginning(tensor) { NumberText.short(Double(Float($0)), digits: 3) }
    case .int8(let tensor): return try beginning(tensor) { "\($0)" }
    case .int16(let tensor): return try beginning(tensor) { "\($0)" }
    case .int32(let tensor): return try beginning(tensor) { "\($0)" }
    case .int64(let tensor): return try beginning(tensor) { "\($0)" }
    case .uint8(let tensor): return try beginning(tensor) { "\($0)" }
    case .uint16(let tensor): return try beginning(tensor) { "\($0)" }
    case .uint32(let tensor): return try beginning(tensor) { "\($0)" }
    case .uint64(let tensor): return try beginning(tensor) { "\($0)" }
    case .bool(let tensor): return try beginning(tensor) { "\($0)" }
    }
  }
}

extension ValueSummary: Encodable {
  enum CodingKeys: String, CodingKey { case min, max, mean, std, nan, infinite = "inf" }

  /// All keys are there, null where there is no number.
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(min, forKey: .min)
    try container.encode(max, forKey: .max)
    try container.encode(mean, forKey: .mean)
    try container.encode(std, forKey: .std)
    try container.encode(nan, forKey: .nan)
    try container.encode(infinite, forKey: .infinite)
  }
}
