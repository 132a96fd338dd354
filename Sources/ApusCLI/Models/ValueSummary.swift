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
    case .coded(let tensor): try self.init(tensor)
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
    isLonger = tensor.count > Self.beginningLimit
    switch tensor {
    case .float64(let tensor): try add(tensor, { $0 }) { NumberText.short($0, digits: 5) }
    case .float32(let tensor): try add(tensor, { Double($0) }) { NumberText.short(Double($0), digits: 5) }
    #if !(os(macOS) && arch(x86_64))
      case .float16(let tensor): try add(tensor, { Double($0) }) { NumberText.short(Double($0), digits: 4) }
    #endif
    case .bfloat16(let tensor):
      try add(tensor, { Double(Float($0)) }) { NumberText.short(Double(Float($0)), digits: 3) }
    case .int8(let tensor): try add(tensor, { Double($0) }) { "\($0)" }
    case .int16(let tensor): try add(tensor, { Double($0) }) { "\($0)" }
    case .int32(let tensor): try add(tensor, { Double($0) }) { "\($0)" }
    case .int64(let tensor): try add(tensor, { Double($0) }) { "\($0)" }
    case .uint8(let tensor): try add(tensor, { Double($0) }) { "\($0)" }
    case .uint16(let tensor): try add(tensor, { Double($0) }) { "\($0)" }
    case .uint32(let tensor): try add(tensor, { Double($0) }) { "\($0)" }
    case .uint64(let tensor): try add(tensor, { Double($0) }) { "\($0)" }
    case .bool(let tensor): try add(tensor, { $0 ? 1 : 0 }) { "\($0)" }
    }
  }

  private init(_ tensor: CodedTensor) throws {
    self.init()
    isLonger = tensor.codes.count > Self.beginningLimit
    // A code has eight bits: all that it can mean is a short list.
    let codes = CodedTensor(elementType: tensor.elementType, codes: try Tensor((0...255).map { UInt8($0) }))
    let values = try codes.widened().elements
    try add(tensor.codes, { Double(values[Int($0)]) }) { NumberText.short(Double(values[Int($0)]), digits: 5) }
  }

  /// Takes the elements as they lie, one after the other: no copy is made of a tensor of any size.
  @inline(__always)
  private mutating func add<Scalar>(
    _ tensor: Tensor<Scalar>, _ number: (Scalar) -> Double, _ text: (Scalar) -> String
  ) throws {
    try tensor.withUnsafeBufferPointer { elements in
      add(elements, number)
      beginning = elements.prefix(Self.beginningLimit).map(text)
    }
  }

  @inline(__always)
  private mutating func add<Scalar>(_ elements: UnsafeBufferPointer<Scalar>, _ number: (Scalar) -> Double) {
    var (least, greatest) = (Double.infinity, -Double.infinity)
    var (sum, count) = (0.0, 0)
    for element in elements {
      let element = number(element)
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
    for element in elements {
      let difference = number(element) - center
      if number(element).isFinite { squares += difference * difference }
    }
    let deviation = (squares / Double(count)).squareRoot()
    // Sums of the largest numbers there are may leave their range.
    if center.isFinite { mean = center }
    if deviation.isFinite { std = deviation }
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
