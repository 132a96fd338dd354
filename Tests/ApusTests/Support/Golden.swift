import ApusTestSupport
import FoundationEssentials
import Testing

@testable import Apus

// Golden files are written by Tests/Fixtures/generate: operands, PyTorch's result in float64 (the reference) and in
// float32 (the peer), over several seeds. A test names a file and evaluates its cases:
//
//     @Test(arguments: GoldenCase.all(in: "normalization", prefix: "softmax"))
//     func softmaxAgrees(golden: GoldenCase) throws {
//       func evaluate<S: FloatingPointScalar>(_ x: GoldenInputs<S>) throws -> Tensor<S> {
//         try softmax(x["x"], axis: x.attributes.int("axis"))
//       }
//       try golden.check(evaluate, evaluate)
//     }

/// One case of a golden file: an operator with its attributes, over several seeds.
struct GoldenCase: Sendable, CustomTestStringConvertible {
  let name: String
  let attributes: GoldenAttributes
  let seeds: [Int]
  fileprivate let source: Result<SafetensorsFile, any Error>

  var testDescription: String { name }

  /// The cases of `Tests/Fixtures/<file>.safetensors` whose name is `prefix` or starts with it and a full stop.
  ///
  /// A file that cannot be read, or has no such case, gives one case that fails when it is evaluated: no test passes
  /// because there was nothing to do.
  static func all(in file: String, prefix: String = "") -> [GoldenCase] {
    do {
      let golden = try SafetensorsFile(path: fixture("\(file).safetensors"))
      let names = golden.metadata.keys.filter { $0.hasPrefix("case.") }.map { String($0.dropFirst(5)) }.sorted()
      let wanted = names.filter { prefix.isEmpty || $0 == prefix || $0.hasPrefix(prefix + ".") }
      guard !wanted.isEmpty else { throw GoldenError.missing("a case \(prefix) in \(file)") }
      return try wanted.map { name in
        let json = golden.metadata["case.\(name)"] ?? "{}"
        let seeds = Set(
          golden.tensorNames.filter { $0.hasPrefix("\(name)/") }.compactMap {
            Int($0.dropFirst(name.count + 1).prefix(while: { $0 != "/" }))
          })
        return GoldenCase(
          name: name, attributes: try GoldenAttributes(json: json), seeds: seeds.sorted(), source: .success(golden))
      }
    } catch {
      return [
        GoldenCase(name: "\(file): \(error)", attributes: GoldenAttributes(), seeds: [0], source: .failure(error))
      ]
    }
  }

  /// The operands of one seed, floating-point ones as `Scalar`.
  func inputs<Scalar: FloatingPointScalar>(_ seed: Int, as type: Scalar.Type) throws -> GoldenInputs<Scalar> {
    let file = try source.get()
    let prefix = "\(name)/\(seed)/input."
    var tensors: [String: AnyTensor] = [:]
    for key in file.tensorNames where key.hasPrefix(prefix) {
      tensors[String(key.dropFirst(prefix.count))] = try file.anyTensor(named: key)
    }
    return GoldenInputs(attributes: attributes, tensors: tensors)
  }

  /// The names of the outputs.
  func outputNames() throws -> [String] {
    let prefix = "\(name)/\(seeds.first ?? 0)/output."
    return try source.get().tensorNames.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
  }

  /// An output in float64, the reference.
  func truth(_ output: String, seed: Int) throws -> AnyTensor {
    try source.get().anyTensor(named: "\(name)/\(seed)/output.\(output)")
  }

  /// An output of PyTorch's float32.
  func peer(_ output: String, seed: Int) throws -> AnyTensor {
    try source.get().anyTensor(named: "\(name)/\(seed)/output32.\(output)")
  }
}

/// The operands of a case by name, floating-point ones as `Scalar`.
struct GoldenInputs<Scalar: FloatingPointScalar>: Sendable {
  let attributes: GoldenAttributes
  fileprivate let tensors: [String: AnyTensor]

  subscript(name: String) -> Tensor<Scalar> {
    get throws {
      guard let any = tensors[name] else { throw GoldenError.missing("input \(name)") }
      return try any.converted(to: Scalar.self)
    }
  }

  /// The operands named `parameter.…`, as a layer reads them.
  func weights() throws -> Weights {
    let names = tensors.keys.filter { $0.hasPrefix("parameter.") }
    return Weights(
      Dictionary(uniqueKeysWithValues: try names.map { (String($0.dropFirst("parameter.".count)), try self[$0]) }))
  }

  /// An operand that may be absent.
  func optional(_ name: String) throws -> Tensor<Scalar>? {
    tensors[name] == nil ? nil : try self[name]
  }

  /// An operand of integers or Booleans, in its own type.
  func tensor<Other: TensorScalar>(_ name: String, as type: Other.Type) throws -> Tensor<Other> {
    guard let tensor = tensors[name]?.tensor(of: type) else { throw GoldenError.missing("input \(name) as \(type)") }
    return tensor
  }
}

extension AnyTensor {
  fileprivate func converted<Scalar: FloatingPointScalar>(to type: Scalar.Type) throws -> Tensor<Scalar> {
    guard let tensor = try tensor(as: type) else { throw GoldenError.missing("a floating-point tensor") }
    return tensor
  }
}

/// What a case was made with.
struct GoldenAttributes: Sendable {
  private var values: [String: GoldenValue] = [:]

  init() {}

  init(json: String) throws {
    values = try JSONDecoder().decode([String: GoldenValue].self, from: Data(json.utf8))
  }

  func has(_ name: String) -> Bool {
    if case .null? = values[name] { return false }
    return values[name] != nil
  }

  func int(_ name: String) throws -> Int {
    guard case .int(let value)? = values[name] else { throw GoldenError.missing("integer \(name)") }
    return value
  }

  func double(_ name: String) throws -> Double {
    switch values[name] {
    case .int(let value)?: return Double(value)
    case .double(let value)?: return value
    default: throw GoldenError.missing("number \(name)")
    }
  }

  func bool(_ name: String) throws -> Bool {
    guard case .bool(let value)? = values[name] else { throw GoldenError.missing("Boolean \(name)") }
    return value
  }

  func string(_ name: String) throws -> String {
    guard case .string(let value)? = values[name] else { throw GoldenError.missing("text \(name)") }
    return value
  }

  func ints(_ name: String) throws -> [Int] {
    guard case .array(let elements)? = values[name] else { throw GoldenError.missing("list \(name)") }
    return try elements.map {
      guard case .int(let value) = $0 else { throw GoldenError.missing("list of integers \(name)") }
      return value
    }
  }
}

private enum GoldenValue: Decodable, Sendable {
  case null, bool(Bool), int(Int), double(Double), string(String), array([GoldenValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int.self) {
      self = .int(value)
    } else if let value = try? container.decode(Double.self) {
      self = .double(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else {
      self = .array(try container.decode([GoldenValue].self))
    }
  }
}

enum GoldenError: Error, CustomStringConvertible {
  case missing(String)

  var description: String {
    switch self {
    case .missing(let what): "the golden file has no \(what)"
    }
  }
}
