import Apus
import ApusGraph
import ApusPlatform

// Tensors that come from nothing but their shape.

extension ProgramBuilder {
  static let creation: [String: Lowering] = {
    var result: [String: Lowering] = [:]
    for (name, value) in ofSizes {
      result[name] = { call in
        let e = call.emitter
        return [try e.expand(e.number(value, as: call.outputType), e.list(call.extents("size")))]
      }
    }
    for (name, value) in ofOthers {
      result[name] = { call in
        let e = call.emitter
        return [try e.expand(e.number(value, as: call.outputType), e.node("Shape", [call.x]))]
      }
    }
    for name in ["full", "new_full"] {
      result[name] = { call in
        let e = call.emitter
        return [try e.expand(call.value("fill_value", as: call.outputType), e.list(call.extents("size")))]
      }
    }
    for (name, value) in [("full_like", "fill_value"), ("fill", "value")] {
      result[name] = { call in
        let e = call.emitter
        let number = try call.value(value, as: call.outputType)
        let result = try e.expand(number, e.node("Shape", [call.x]))
        if try e.rank(number) == 0 { e.repeatedNumbers[result] = number }
        return [result]
      }
    }
    result["scalar_tensor"] = { call in [try call.value("s", as: call.outputType)] }
    for name in ["arange", "range"] {
      result[name] = { call in
        let e = call.emitter
        let type = try call.outputType
        // The standard counts in integers of 16 bits and more that have signs.
        let isCounted = type.isFloatingPoint || [.int16, .int32, .int64].contains(type)
        let counted = isCounted ? type : .int64
        let start = try call.has("start") ? call.value("start", as: counted) : e.number(0, as: counted)
        let step = try call.has("step") ? call.value("step", as: counted) : e.number(1, as: counted)
        var end = try call.value("end", as: counted)
        // `range` takes its end too.
        if name == "range" { end = try e.node("Add", [end, step]) }
        // From known numbers, as many as the program says.
        if let count = try call.outputShape.first ?? nil, count <= 1 << 20, type.isFloatingPoint,
          let from = call.has("start") ? numeric(call, "start") : 0,
          let by = call.has("step") ? numeric(call, "step") : 1
        {
          return [try e.row((0..<count).map { from + by * Double($0) }, as: type)]
        }
        let numbers = try e.node("Range", [start, end, step])
        return [isCounted ? numbers : try e.cast(numbers, to: type)]
      }
    }
    result["linspace"] = { call in
      let e = call.emitter
      let type = try call.outputType
      if let from = numeric(call, "start"), let to = numeric(call, "end") {
        return [try e.row(spaced(from, to, call.int("steps")), as: type)]
      }
      return [try e.cast(between(call), to: type)]
    }
    result["logspace"] = { call in
      let e = call.emitter
      let exponents =
        if let from = numeric(call, "start"), let to = numeric(call, "end") {
          try e.row(spaced(from, to, call.int("steps")), as: .double)
        } else {
          try between(call)
        }
      let base = try e.numbers(call.double("base", default: 10), as: .double)
      return [try e.cast(e.node("Pow", [base, exponents]), to: call.outputType)]
    }
    result["eye"] = { call in
      let e = call.emitter
      let shape = try call.knownOutputShape
      guard shape.count == 2 else { throw OperatorError("a matrix of shape \(shape)") }
      let zeros = try e.expand(e.number(0, as: .int32), e.integers(shape))
      return [try e.cast(e.node("EyeLike", [zeros]), to: call.outputType)]
    }
    for (name, window) in windows {
      result[name] = { call in
        let count = try call.int("window_length")
        guard count >= 0 else { throw OperatorError("a window of \(count)") }
        try Shape.checkMemory([count], of: Double.self, operation: name)
        // One that repeats leaves out its last place, which is the first of the next.
        let last = try call.bool("periodic", default: true) ? count : count - 1
        let numbers = try window(call, last)
        return [try call.emitter.row(count == 1 ? [1] : (0..<count).map { numbers(Double($0)) }, as: call.outputType)]
      }
    }
    for (name, isUpper) in [("tril_indices", false), ("triu_indices", true)] {
      result[name] = { call in
        let e = call.emitter
        let (rows, columns) = (try call.int("row"), try call.int("col"))
        let offset = try call.int("offset", default: 0)
        guard rows >= 0, columns >= 0 else { throw OperatorError("\(rows) rows and \(columns) columns") }
        try Shape.checkMemory([rows, columns, 2], of: Int64.self, operation: name)
        var places: [[Int]] = [[], []]
        for row in 0..<rows {
          for column in 0..<columns where isUpper ? column - row >= offset : column - row <= offset {
            places[0].append(row)
            places[1].append(column)
          }
        }
        return [try e.cast(e.places(places), to: call.outputType)]
      }
    }
    for (name, type) in [
      ("rand", "RandomUniformLike"), ("randn", "RandomNormalLike"), ("rand_like", "RandomUniformLike"),
      ("randn_like", "RandomNormalLike"),
    ] {
      result[name] = { call in
        let e = call.emitter
        let out = try call.outputType
        let shape = try name.hasSuffix("_like") ? e.node("Shape", [call.x]) : e.list(call.extents("size"))
        return [try e.node(type, [e.expand(e.number(0, as: out), shape)], ["dtype": .int(Int(out.rawValue))])]
      }
    }
    return result
  }()

  /// One number over and over in the sizes that are given.
  static let ofSizes = [
    ("zeros", 0), ("ones", 1), ("empty", 0), ("new_zeros", 0), ("new_ones", 1), ("new_empty", 0),
    ("empty_strided", 0), ("new_empty_strided", 0), ("empty_permuted", 0),
  ]

  /// One number over and over in the shape of another tensor.
  static let ofOthers = [("zeros_like", 0), ("ones_like", 1), ("empty_like", 0), ("zero", 0)]

  /// What windows weigh a place with, by the number of the last.
  private static let windows: [String: @Sendable (Call, Int) throws -> (Double) -> Double] = [
    "hann_window": { _, last in waves([0.5, 0.5], last) },
    "hamming_window": { call, last in
      waves([try call.double("alpha", default: 0.54), try call.double("beta", default: 0.46)], last)
    },
    "blackman_window": { _, last in waves([0.42, 0.5, 0.08], last) },
    "bartlett_window": { _, last in { 1 - abs(2 * $0 / Double(last) - 1) } },
    "kaiser_window": { call, last in
      let beta = try call.double("beta", default: 12)
      let most = bessel(beta)
      return { place in
        let x = 2 * place / Double(last) - 1
        return bessel(beta * max(0, 1 - x * x).squareRoot()) / most
      }
    },
  ]

  /// a − b · cos(2πi/n) + c · cos(4πi/n) …
  private static func waves(_ parts: [Double], _ last: Int) -> (Double) -> Double {
    { place in
      var (sum, sign) = (0.0, 1.0)
      for (count, part) in parts.enumerated() {
        sum += sign * part * cos(2 * .pi * Double(count) * place / Double(last))
        sign = -sign
      }
      return sum
    }
  }

  /// The modified Bessel function of order 0: Σ (x²/4)ᵏ / k!²
  private static func bessel(_ x: Double) -> Double {
    var (term, sum, k) = (1.0, 1.0, 1.0)
    while term > sum * 1e-18, k < 1000 {
      term *= x * x / (4 * k * k)
      sum += term
      k += 1
    }
    return sum
  }

  /// Numbers at equal distances between ends of which one is known only when the program runs, DOUBLE.
  private static func between(_ call: Call) throws -> Graph.ValueID {
    let e = call.emitter
    let (from, to) = (try call.value("start", as: .double), try call.value("end", as: .double))
    let parts = try e.row(spaced(0, 1, call.int("steps")), as: .double)
    return try e.node("Add", [from, e.node("Mul", [e.node("Sub", [to, from]), parts])])
  }

  /// A number that is known before the program runs.
  private static func numeric(_ call: Call, _ name: String) -> Double? {
    switch call.argument(name) {
    case .int(let value)?: Double(value)
    case .float(let value)?: value
    default: nil
    }
  }

  /// Numbers at equal distances, from both ends towards the middle.
  private static func spaced(_ from: Double, _ to: Double, _ count: Int) throws -> [Double] {
    guard count >= 0 else { throw OperatorError("\(count) steps") }
    try Shape.checkMemory([count], of: Double.self, operation: "linspace")
    if count <= 1 { return [Double](repeating: from, count: count) }
    let step = (to - from) / Double(count - 1)
    return (0..<count).map { index in
      if index < count / 2 { return from + step * Double(index) }
      return to - step * Double(count - 1 - index)
    }
  }
}

extension Emitter {
  /// A list of numbers of any element type.
  func row(_ values: [Double], as type: ElementType) throws -> Graph.ValueID {
    guard let dataType = type.dataType else { throw OperatorError("\(type) is no type of numbers here") }
    let exact = AnyTensor(try Tensor(values, shape: [values.count]))
    return constant(.tensor(try exact.converted(to: dataType)))
  }
}
