import Apus

extension GraphValue {
  /// Zeros of a declared type: no elements in a sequence, nothing in an optional, empty texts.
  ///
  /// - Parameter shape: of a tensor.
  /// - Throws: ``TensorError`` for too little memory or a shape that cannot be.
  public init(zeros type: GraphValueType, shape: [Int]) throws {
    switch type {
    case .tensor(let elementType, _): try self.init(zeros: elementType ?? .float, shape: shape)
    case .sequence(let element): self = .sequence([], element: element)
    case .optional(let element): self = .optional(nil, element: element)
    case .map, .unsupported: throw OperatorError("a value of type \(type) cannot be made")
    }
  }

  /// Random numbers that suit an element type, the same everywhere for the same `seed`, `name` and shape.
  ///
  /// Element `i` comes from output `i` of SplitMix64, started from `seed` plus the 64-bit FNV-1a hash of the name. Where
  /// `range` is `standard`, floating-point numbers are 2f − 1 in [−1, 1), f being the output's upper 24 bits (DOUBLE: 53)
  /// as a fraction; BOOL is its highest bit. Whole numbers below n are the output times n, by 2⁶⁴, rounded down: n is
  /// 2 for integers of 32 and 64 bits and 128 for narrower ones, or what `range` says. Row `r` of a mask of length `l`
  /// takes output `r`: ⌈l / 2⌉ ones and as many more as a whole number below ⌊l / 2⌋ + 1 says.
  ///
  /// - Throws: ``OperatorError`` for texts and for the types that are widened before use; ``TensorError``;
  ///   ``GraphError/timeLimit(_:)`` and ``GraphError/cancelled``.
  public init(
    random type: ElementType, shape: [Int], seed: UInt64, name: String, range: RandomRange = .standard
  ) throws {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    let start = SplitMix64(seed: seed &+ hash)
    func tensor<Scalar: TensorScalar>(_ element: (UInt64) -> Scalar) throws -> GraphValue {
      GraphValue(
        try Tensor<Scalar>.filled(shape) { destination in
          var generator = start
          for index in 0..<(try Shape.elementCount(shape)) {
            if index.isMultiple(of: 1 << 20) { try TimeLimit.check() }
            destination.advanced(by: index).initialize(to: element(generator.next()))
          }
        })
    }
    func integers<Scalar: TensorScalar & FixedWidthInteger>(_: Scalar.Type, below standard: UInt64) throws -> GraphValue
    {
      let wanted = range.count ?? standard
      let count = wanted - 1 <= UInt64(Scalar.max) ? wanted : UInt64(Scalar.max)
      return try tensor { Scalar(truncatingIfNeeded: $0.multipliedFullWidth(by: count).high) }
    }
    let count = range.count
    func number(_ bits: UInt64) -> Double? { count.map { Double(bits.multipliedFullWidth(by: $0).high) } }
    switch type {
    case .float16, .bfloat16:
      self = try GraphValue(random: .float, shape: shape, seed: seed, name: name, range: range).rounded(to: type)
    case _ where range == .mask: self = try Self.mask(type, shape: shape, start)
    case .double: self = try tensor { number($0) ?? 2 * (Double($0 >> 11) * 0x1p-53) - 1 }
    case .float: self = try tensor { number($0).map { Float($0) } ?? 2 * (Float($0 >> 40) * 0x1p-24) - 1 }
    case .bool: self = try tensor { $0 >> 63 == 1 }
    case .int64: self = try integers(Int64.self, below: 2)
    case .int32: self = try integers(Int32.self, below: 2)
    case .uint64: self = try integers(UInt64.self, below: 2)
    case .uint32: self = try integers(UInt32.self, below: 2)
    case .int16: self = try integers(Int16.self, below: 128)
    case .uint16: self = try integers(UInt16.self, below: 128)
    case .int8: self = try integers(Int8.self, below: 128)
    case .uint8: self = try integers(UInt8.self, below: 128)
    default: throw OperatorError("random numbers are not made for \(type)")
    }
  }

  /// Rows of ones, and zeros behind them.
  private static func mask(_ type: ElementType, shape: [Int], _ generator: SplitMix64) throws -> GraphValue {
    guard let dataType = type.dataType else { throw OperatorError("random numbers are not made for \(type)") }
    let length = shape.last ?? 1
    let isKept = try Tensor<Bool>.filled(shape) { destination in
      var generator = generator
      for row in 0..<(length > 0 ? try Shape.elementCount(shape) / length : 0) {
        let more = generator.next().multipliedFullWidth(by: UInt64(length / 2 + 1)).high
        let ones = length - length / 2 + Int(more)
        let start = destination.advanced(by: row * length)
        start.initialize(repeating: true, count: ones)
        start.advanced(by: ones).initialize(repeating: false, count: length - ones)
      }
    }
    return .tensor(try AnyTensor(isKept).converted(to: dataType))
  }

  private func rounded(to type: ElementType) throws -> GraphValue {
    guard case .tensor(.float32(let tensor)) = self else { return self }
    return try GraphValue(rounding: tensor, to: type)
  }
}

/// What random numbers are drawn from.
public enum RandomRange: Sendable, Hashable {
  /// What suits the element type.
  case standard
  /// The bytes of pictures, 0 to 255.
  case bytes
  /// The rows of a table of so many.
  case rows(Int)
  /// Masks as tokenizers make them: rows of ones, and zeros behind them. There are no holes, as what reads a mask may read
  /// its length alone.
  case mask

  /// The number of whole numbers from 0 on; nil for what goes by the type.
  fileprivate var count: UInt64? {
    switch self {
    case .standard, .mask: nil
    case .bytes: 256
    case .rows(let rows): UInt64(max(1, rows))
    }
  }
}

extension GraphModel {
  /// What random numbers for an input are drawn from, so that they reach all of the model: of a picture its bytes, of
  /// indices all rows of the table that they look up, of a mask of tokens what tokenizers make.
  public func randomRange(of input: String) -> RandomRange {
    if case .picture? = form(of: input) { return .bytes }
    guard let value = graph.value(named: input) else { return .standard }
    return graph.rows(indexedBy: value).map { .rows($0) } ?? (graph.values[value].isTokenMask ? .mask : .standard)
  }
}

extension Graph.ValueInfo {
  /// Whether its name and its rank are those of a mask of tokens; TensorFlow's names have `:0` behind them.
  fileprivate var isTokenMask: Bool {
    guard case .tensor(_, let dimensions?)? = type, dimensions.count == 2 else { return false }
    let name = name.prefix { $0 != ":" }
    return name.hasSuffix("attention_mask") || name == "input_mask"
  }
}

extension Graph {
  /// What moves indices and changes none.
  private static let moving: Set = ["Cast", "Reshape", "Unsqueeze", "Squeeze", "Identity"]
  /// What keeps the extents of a table.
  private static let keeping: Set = ["Cast", "Identity", "DequantizeLinear"]

  /// The rows of the smallest table that a value gives the indices for, moved or not; nil where it gives none, or no
  /// table's extents are known.
  fileprivate func rows(indexedBy value: ValueID) -> Int? {
    var indices: Set = [value]
    // What wrapping negative indices adds the rows to.
    var wrapped: Set<ValueID> = []
    var producers: [ValueID: Node] = [:]
    var least: Int?
    for node in nodes {
      for case let output? in node.outputs { producers[output] = node }
      guard node.operatorName.domain.isEmpty else { continue }
      func reads(_ position: Int, _ values: Set<ValueID>) -> Bool {
        guard node.inputs.indices.contains(position), let input = node.inputs[position] else { return false }
        return values.contains(input)
      }
      let outputs = node.outputs.compactMap { $0 }
      switch node.operatorName.type {
      case let type where Self.moving.contains(type):
        if reads(0, indices) { indices.formUnion(outputs) }
      case "Add":
        if reads(0, indices) || reads(1, indices) { wrapped.formUnion(outputs) }
      case "Where":
        if reads(1, indices), reads(2, wrapped) { indices.formUnion(outputs) }
      case "Gather":
        guard reads(1, indices), let rows = rows(ofTableOf: node, producers) else { continue }
        least = min(least ?? .max, rows)
      default: break
      }
    }
    return least
  }

  /// The extent of what a Gather looks up, along its axis; nil where it is not known, or nothing is there.
  private func rows(ofTableOf node: Node, _ producers: [ValueID: Node]) -> Int? {
    guard var table = node.inputs.first.flatMap({ $0 }) else { return nil }
    // A file may have more in between than anybody writes.
    for _ in 0..<8 where constants[table] == nil {
      guard let node = producers[table], node.operatorName.domain.isEmpty,
        Self.keeping.contains(node.operatorName.type), let input = node.inputs.first.flatMap({ $0 })
      else { break }
      table = input
    }
    guard let shape = constants[table]?.shape ?? values[table].type?.extents else { return nil }
    let axis = if case .int(let axis)? = node.attributes["axis"] { Int(clamping: axis) } else { 0 }
    guard let axis = try? Shape.axis(axis, in: shape, operation: "Gather"), shape[axis] > 0 else { return nil }
    return shape[axis]
  }
}
