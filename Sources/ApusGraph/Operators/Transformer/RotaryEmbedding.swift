import Apus

extension Operators {
  static let rotaryEmbeddings: [OperatorDefinition] = [
    OperatorDefinition("RotaryEmbedding", .plain(.likeInput), RotaryEmbedding),
    OperatorDefinition("RotaryEmbedding", domain: "com.microsoft", .plain(.likeInput), MicrosoftRotaryEmbedding),
    OperatorDefinition("MRotaryEmbedding", domain: "com.microsoft", .plain(.likeInput), MRotaryEmbedding),
  ]

  /// Pairs of features turned by an angle that grows with the token's place: `(x₁ cos - x₂ sin, x₁ sin + x₂ cos)`. Pairs
  /// are neighbours (`interleaved`) or lie half the rotated features apart; features beyond `rotary_embedding_dim` stay.
  static func RotaryEmbedding(_ node: NodeDescription) throws -> PreparedOperator {
    floating(try RotaryOperator<Float>(node), try RotaryOperator<Double>(node))
  }

  /// The same with the places before the tables, and one place for a whole batch.
  static func MicrosoftRotaryEmbedding(_ node: NodeDescription) throws -> PreparedOperator {
    floating(try MicrosoftRotaryOperator<Float>(node), try MicrosoftRotaryOperator<Double>(node))
  }

  /// The same with three positions for each token, in time, height and width: each turns a section of the pairs.
  static func MRotaryEmbedding(_ node: NodeDescription) throws -> PreparedOperator {
    guard try !node.flag("is_packed_batching") else { throw OperatorError("packed samples are not supported") }
    let sections = try PositionSections(node)
    return floating(
      try MicrosoftRotaryOperator<Float>(node, sections), try MicrosoftRotaryOperator<Double>(node, sections))
  }
}

private struct RotaryOperator<Scalar: FloatingPointScalar>: FloatingOperator {
  let heads: Int
  let features: Int
  let isInterleaved: Bool

  init(_ node: NodeDescription) throws {
    heads = try node.int("num_heads", default: 0)
    features = try node.int("rotary_embedding_dim", default: 0)
    guard features >= 0 else { throw OperatorError("rotary_embedding_dim is \(features); 0 or more is expected") }
    isInterleaved = try node.flag("interleaved")
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let x = try AttentionHeads(arguments.floating(0, as: Scalar.self), heads: heads)
    guard x.tensor.count > 0 else { return [try GraphValue(rounding: x.tensor, to: type)] }
    let tables = try RotaryTables(
      cosines: arguments.floating(1, as: Scalar.self), sines: arguments.floating(2, as: Scalar.self))
    let places = try arguments.optionalIntegers(3)
    let shape = try arguments.optionalTensor(3)?.shape
    guard shape == nil || shape == [x.batch, x.time] else {
      throw OperatorError("position_ids has shape \(shape ?? []); [\(x.batch), \(x.time)] is needed")
    }
    let rows = try tables.rows(places, batch: x.batch, time: x.time)
    return [
      try GraphValue(
        rounding: tables.rotated(x, rows: rows, features: features, isInterleaved: isInterleaved), to: type)
    ]
  }
}

private struct MicrosoftRotaryOperator<Scalar: FloatingPointScalar>: FloatingOperator {
  private let heads: Int
  private let features: Int
  private let isInterleaved: Bool
  /// Where a token has three positions.
  private let sections: PositionSections?

  init(_ node: NodeDescription, _ sections: PositionSections? = nil) throws {
    heads = try node.int("num_heads", default: 0)
    features = try node.int("rotary_embedding_dim", default: 0)
    isInterleaved = try node.flag("interleaved")
    self.sections = sections
    guard try node.float("scale", default: 1) == 1 else { throw OperatorError("a scale other than 1 is not supported") }
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let input = try arguments.floating(0, as: Scalar.self)
    guard input.count > 0 else { return [try GraphValue(rounding: input, to: type)] }
    var tables = try RotaryTables(
      cosines: arguments.floating(2, as: Scalar.self), sines: arguments.floating(3, as: Scalar.self))
    // Without a number of heads the tables say how large one is.
    let width = features > 0 ? features : 2 * tables.half
    let count = heads > 0 ? heads : width > 0 ? (input.shape.last ?? 0) / width : 0
    let x = try AttentionHeads(input, heads: count)
    let places: [Int]?
    if let sections {
      let positions = try arguments.tensor(1).converted(to: Int64.self)
      (tables, places) = (try sections.tables(tables, positions, batch: x.batch, time: x.time), nil)
    } else {
      places = try self.places(arguments, of: x)
    }
    let rows = try tables.rows(places, batch: x.batch, time: x.time)
    return [
      try GraphValue(
        rounding: tables.rotated(x, rows: rows, features: features, isInterleaved: isInterleaved), to: type)
    ]
  }

  /// The place of each token, or one from which those of every sample follow each other.
  private func places(_ arguments: Arguments, of x: AttentionHeads<Scalar>) throws -> [Int] {
    let given = try arguments.integers(1)
    if given.count == 1, try arguments.tensor(1).rank == 1 {
      return (0..<x.batch).flatMap { _ in (0..<x.time).map { given[0] &+ $0 } }
    }
    guard try arguments.tensor(1).shape == [x.batch, x.time] else {
      throw OperatorError("position_ids has shape \(try arguments.tensor(1).shape); [\(x.batch), \(x.time)] is needed")
    }
    return given
  }
}

/// Which of three positions, in time, height and width, each pair of features is turned by.
private struct PositionSections: Sendable {
  private let streams: [Int]

  init(_ node: NodeDescription) throws {
    let sections = try node.optionalInts("mrope_section") ?? []
    guard sections.count == 3, sections.allSatisfy({ 0...(1 << 20) ~= $0 }) else {
      throw OperatorError("mrope_section is \(sections); three numbers that are not negative are needed")
    }
    switch try node.int("mrope_layout", default: 0) {
    case 0: streams = (0..<3).flatMap { Array(repeating: $0, count: sections[$0]) }
    // Each third pair, as far as there are such, and the first position for all others.
    case 1:
      streams = (0..<sections.reduce(0, +)).map { pair in
        let stream = pair % 3
        return stream > 0 && pair < 3 * sections[stream] ? stream : 0
      }
    case let layout: throw OperatorError("mrope_layout is \(layout); 0 or 1 is needed")
    }
  }

  /// Tables of a row for each token.
  func tables<Scalar: FloatingPointScalar>(
    _ tables: RotaryTables<Scalar>, _ positions: Tensor<Int64>, batch: Int, time: Int
  ) throws -> RotaryTables<Scalar> {
    guard positions.shape == [3, batch, time], tables.half == streams.count else {
      throw OperatorError(
        "position_ids of shape \(positions.shape) and tables of \(tables.half) pairs do not fit [3, \(batch), \(time)] and "
          + "the \(streams.count) pairs of mrope_section")
    }
    let tokens = batch * time
    let rows = try tables.rows(positions.elements.map { Int($0) }, batch: batch, time: time)
    func chosen(_ table: Tensor<Scalar>) throws -> Tensor<Scalar> {
      let half = streams.count
      // Of large tables few rows are read.
      return try withExtendedLifetime(table) {
        try Tensor.filled([batch, time, half]) { y in
          for token in 0..<tokens {
            for pair in 0..<half {
              let row = table.pointer + rows[streams[pair] * tokens + token] * half
              (y + token * half + pair).initialize(to: row[pair])
            }
          }
        }
      }
    }
    return try RotaryTables(cosines: chosen(tables.cosines), sines: chosen(tables.sines))
  }
}

/// The cosines and sines that features are turned by, one of each for a pair.
struct RotaryTables<Scalar: FloatingPointScalar>: Sendable {
  let cosines: Tensor<Scalar>
  let sines: Tensor<Scalar>
  /// Pairs that are turned.
  var half: Int { cosines.shape.last ?? 0 }

  init(cosines: Tensor<Scalar>, sines: Tensor<Scalar>) throws {
    guard cosines.shape == sines.shape, cosines.rank == 2 || cosines.rank == 3 else {
      throw OperatorError(
        "cos_cache has shape \(cosines.shape) and sin_cache \(sines.shape); two matrices of one shape are needed")
    }
    self.cosines = try cosines.rowMajor
    self.sines = try sines.rowMajor
  }

  /// The row of the tables for every token.
  /// - Parameter places: a row for each token; without, the tables themselves are `[batch, time, half]`, where an extent
  ///   of 1 stands for all samples or times, as in the standard's reference.
  func rows(_ places: [Int]?, batch: Int, time: Int) throws -> [Int] {
    guard let places else {
      let shape = cosines.shape
      guard cosines.rank == 3, shape[0] == batch || shape[0] == 1, shape[1] == time || shape[1] == 1 else {
        throw OperatorError("cos_cache has shape \(shape); [\(batch), \(time), pairs] is needed")
      }
      return (0..<batch).flatMap { sample in
        (0..<time).map { (shape[0] == 1 ? 0 : sample) * shape[1] + (shape[1] == 1 ? 0 : $0) }
      }
    }
    guard cosines.rank == 2 else {
      throw OperatorError("cos_cache has shape \(cosines.shape); with position_ids, [positions, pairs] is needed")
    }
    let count = cosines.shape[0]
    return try places.map { place in
      // A negative place counts from the end, as an index of NumPy's does.
      let row = place < 0 ? place &+ count : place
      guard row >= 0, row < count else {
        throw OperatorError("position \(place) is outside tables of \(count) positions")
      }
      return row
    }
  }

  /// - Parameters:
  ///   - rows: the row of the tables for every token, `[batch, time]`.
  ///   - features: how many of each head's features are turned; 0 for all.
  /// - Returns: the order and shape of `x`.
  func rotated(_ x: AttentionHeads<Scalar>, rows: [Int], features: Int, isInterleaved: Bool) throws -> Tensor<Scalar> {
    let width = features > 0 ? features : x.features
    guard width <= x.features, width == 2 * half, rows.count == x.batch * x.time || x.tensor.count == 0 else {
      throw OperatorError(
        "tables of \(half) pairs do not fit the \(width) features to be turned of \(x.features) in each head")
    }
    guard x.tensor.count > 0 else { return x.tensor }
    let (heads, time, size, half) = (x.heads, x.time, x.features, half)
    let (headStep, timeStep) = x.isSplit ? (time * size, size) : (size, heads * size)
    // Where the two of a pair lie: pair `i` begins at `i * step`, and its second is `apart` further.
    let (step, apart) = isInterleaved ? (2, 1) : (1, half)
    return try withExtendedLifetime((x.tensor, cosines, sines)) {
      nonisolated(unsafe) let source = x.tensor.pointer
      nonisolated(unsafe) let (cosines, sines) = (cosines.pointer, sines.pointer)
      return try Tensor.filled(x.tensor.shape) { destination in
        nonisolated(unsafe) let destination = destination
        parallelRows(rows.count, width: heads * size) { first, count in
          for token in first..<(first + count) {
            let base = token / time * heads * time * size + token % time * timeStep
            let (cosine, sine) = (cosines + rows[token] * half, sines + rows[token] * half)
            for head in 0..<heads {
              let (from, to) = (source + base + head * headStep, destination + base + head * headStep)
              for pair in 0..<half {
                let (a, b) = (from[pair &* step], from[pair &* step &+ apart])
                to[pair &* step] = cosine[pair] * a - sine[pair] * b
                to[pair &* step &+ apart] = sine[pair] * a + cosine[pair] * b
              }
              (to + width).update(from: from + width, count: size - width)
            }
          }
        }
      }
    }
  }
}
