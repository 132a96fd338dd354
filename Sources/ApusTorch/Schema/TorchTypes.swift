import Apus
import ApusGraph

/// PyTorch's types of elements, numbered as archives do.
enum TorchScalarType: Int, Sendable, Hashable {
  case unknown, byte, char, short, int, long, half, float, double, complexHalf, complexFloat, complexDouble, bool
  case bfloat16
  case uint16 = 28, float8e4m3fn, float8e5m2, float8e4m3fnuz, float8e5m2fnuz, float8e8m0fnu, uint32, uint64

  /// The type in the graph; nil for complex numbers and those of eight bits, which nothing computes in.
  var elementType: ElementType? {
    switch self {
    case .byte: .uint8
    case .char: .int8
    case .short: .int16
    case .int: .int32
    case .long: .int64
    case .half: .float16
    case .float: .float
    case .double: .double
    case .bool: .bool
    case .bfloat16: .bfloat16
    case .uint16: .uint16
    case .uint32: .uint32
    case .uint64: .uint64
    default: nil
    }
  }
}

/// A size that may be known only when the program runs.
enum TorchSize: Sendable, Hashable {
  case known(Int)
  /// An expression as PyTorch prints it, and the size that the example had from which the program was made.
  case expression(String, hint: Int?)

  /// Sizes and places beyond this are cut to it: memory has no tensor as long.
  static let limit = 1 << 40

  var known: Int? { if case .known(let size) = self { size } else { nil } }

  /// The size in the example.
  var example: Int? {
    switch self {
    case .known(let size): size
    case .expression(_, let hint): hint
    }
  }

  /// The size in the example, or in one of which the data say the sizes: each such size is taken to be as large.
  var likely: Int {
    if let example { return example }
    guard case .expression(let text, _) = self else { return Self.unknownCount }
    var expression = SizeExpression(text: text[...])
    guard let size = expression.value(depth: 0), 0...Self.limit ~= size else { return Self.unknownCount }
    return size
  }

  /// The expression as the program's ranges are found by: `s0`, `2*s0 + 1`; nil where it is none of one symbol.
  var rangeKey: String? {
    guard case .expression(let text, _) = self else { return nil }
    var expression = SizeExpression(text: text[...])
    return expression.line(depth: 0)?.key
  }

  /// What stands for how many elements there are, where only the data say: it can be divided by most that sizes are
  /// divided by.
  static let unknownCount = 12

  init(_ reader: inout JSONReader) throws {
    self = try reader.union("a size") { reader, key in
      switch key {
      case "as_int": return .known(try reader.integer())
      case "as_expr":
        var text = ""
        var hint: Int?
        try reader.members { reader, key in
          switch key {
          case "expr_str": text = try reader.string(limit: 1 << 16)
          case "hint":
            hint = try reader.union("a hint") { reader, key in
              guard key == "as_int" else {
                try reader.skip()
                return nil
              }
              return try reader.integer()
            }
          default: try reader.skip()
          }
        }
        return .expression(text, hint: hint)
      default: throw reader.error(.expected("as_int or as_expr"))
      }
    }
  }

  /// The extent as a graph declares it: a single symbol by its name.
  var dimension: GraphDimension {
    switch self {
    case .known(let size): return .size(size)
    case .expression(let text, _):
      let quoted = text.split(separator: "'", omittingEmptySubsequences: false)
      guard text.hasPrefix("Symbol('"), quoted.count == 3 else { return .unknown }
      return .symbol(String(quoted[1]))
    }
  }
}

/// Sums and products as PyTorch prints them: `Add(Mul(Integer(2), Symbol('u0', integer=True)), Integer(3))`.
private struct SizeExpression {
  var text: Substring

  /// The value with ``TorchSize/unknownCount`` for every symbol; nil of what is not read.
  mutating func value(depth: Int) -> Int? {
    guard depth < 32, let open = text.firstIndex(of: "(") else { return nil }
    let function = text[..<open]
    text = text[open...].dropFirst()
    switch function {
    case "Integer": return rest().flatMap { Int($0) }
    case "Symbol": return rest().map { _ in TorchSize.unknownCount }
    case "Add", "Mul":
      var result = function == "Add" ? 0 : 1
      repeat {
        guard let term = value(depth: depth + 1) else { return nil }
        let (next, overflow) =
          function == "Add"
          ? result.addingReportingOverflow(term) : result.multipliedReportingOverflow(by: term)
        if overflow { return nil }
        result = next
      } while skip(", ")
      return skip(")") ? result : nil
    default: return nil
    }
  }

  /// The expression as a multiple of one symbol and an integer more; nil of others.
  mutating func line(depth: Int) -> SizeLine? {
    guard depth < 32, let open = text.firstIndex(of: "(") else { return nil }
    let function = text[..<open]
    text = text[open...].dropFirst()
    switch function {
    case "Integer": return rest().flatMap { Int($0) }.map { SizeLine(factor: 0, symbol: "", offset: $0.bounded) }
    case "Symbol":
      let parts = rest()?.split(separator: "'", omittingEmptySubsequences: false) ?? []
      return parts.count >= 3 ? SizeLine(factor: 1, symbol: String(parts[1]), offset: 0) : nil
    case "Add", "Mul":
      guard var result = line(depth: depth + 1) else { return nil }
      while skip(", ") {
        guard let term = line(depth: depth + 1), let next = result.combined(with: term, isSum: function == "Add") else {
          return nil
        }
        result = next
      }
      return skip(")") ? result : nil
    default: return nil
    }
  }

  /// What stands before the next parenthesis, which is passed.
  private mutating func rest() -> Substring? {
    guard let close = text.firstIndex(of: ")") else { return nil }
    defer { text = text[close...].dropFirst() }
    return text[..<close]
  }

  private mutating func skip(_ part: String) -> Bool {
    guard text.hasPrefix(part) else { return false }
    text = text.dropFirst(part.count)
    return true
  }
}

/// A multiple of a symbol, and an integer more.
private struct SizeLine {
  var factor: Int
  /// Empty where the factor is 0.
  var symbol: String
  var offset: Int

  /// The sum or the product; nil where it is no line, or of numbers beyond any that can be meant.
  func combined(with other: SizeLine, isSum: Bool) -> SizeLine? {
    guard symbol.isEmpty || other.symbol.isEmpty || (isSum && symbol == other.symbol) else { return nil }
    let (constant, line) = symbol.isEmpty ? (self, other) : (other, self)
    let result =
      isSum
      ? SizeLine(factor: factor + other.factor, symbol: line.symbol, offset: offset + other.offset)
      : SizeLine(
        factor: line.factor.multipliedClamped(by: constant.offset), symbol: line.symbol,
        offset: line.offset.multipliedClamped(by: constant.offset))
    let limits = -TorchSize.limit...TorchSize.limit
    return limits.contains(result.factor) && limits.contains(result.offset) ? result : nil
  }

  /// As PyTorch writes it; nil without a symbol.
  var key: String? {
    guard factor != 0 else { return nil }
    let multiple = factor == 1 ? symbol : "\(factor)*\(symbol)"
    return offset == 0 ? multiple : "\(multiple) \(offset < 0 ? "-" : "+") \(abs(offset))"
  }
}

extension Int {
  /// A size, a place or a count, cut at a number beyond any that can be meant.
  var bounded: Int { Swift.min(Swift.max(self, -TorchSize.limit), TorchSize.limit) }
}

/// What a program says of a tensor.
struct TorchTensorType: Sendable {
  var scalar = TorchScalarType.unknown
  var sizes: [TorchSize] = []
  var strides: [TorchSize] = []
  var offset = TorchSize.known(0)
  /// Whether elements lie as sizes and strides say: not sparse, for example.
  var isStrided = true

  var elementType: ElementType? { scalar.elementType }

  /// The extents, nil within where one is known only when the program runs.
  var extents: [Int?] { sizes.map(\.known) }

  init() {}

  init(_ reader: inout JSONReader) throws {
    try reader.members { reader, key in
      switch key {
      case "dtype": scalar = TorchScalarType(rawValue: try reader.integer()) ?? .unknown
      case "sizes": sizes = try reader.list { try TorchSize(&$0) }
      case "strides": strides = try reader.list { try TorchSize(&$0) }
      case "storage_offset": offset = try TorchSize(&reader)
      case "layout": isStrided = try reader.integer() == 7
      default: try reader.skip()
      }
    }
    guard sizes.count <= 64, sizes.allSatisfy({ 0...TorchSize.limit ~= $0.example ?? 0 }) else {
      throw reader.error(.expected("at most 64 sizes, none negative"))
    }
  }
}

/// Where a tensor of the program lies in the archive.
struct TorchPayload: Sendable {
  var path = ""
  var isPickled = false
  var type: TorchTensorType?

  init(_ reader: inout JSONReader) throws {
    try reader.members { reader, key in
      switch key {
      case "path_name": path = try reader.shortString()
      case "use_pickle": isPickled = try reader.boolean()
      case "tensor_meta": type = try TorchTensorType(&reader)
      default: try reader.skip()
      }
    }
  }
}
