import Apus
import ApusGraph
import FoundationEssentials

/// A conformance test of Core ML in a folder: `model.mlpackage` or `model.mlmodel`, `inputs.npz` and `expected.npz`, and
/// `test.json`.
///
/// The arrays have the names of features. A dictionary feature `D` is `D.keys` and `D.values`, an image is height × width ×
/// colours of bytes. `test.json` may hold:
///
/// - `calls`: how often the model is called, each time with the states that the last call left; the second call has
///   `inputs_1.npz` and `expected_1.npz`.
/// - `rows`: the number of examples along the first axis of all arrays.
/// - `shapes: false` or `compare: "flattened"`: shapes do not count. A scalar and a list of one are always the same.
/// - `precision: "fp16"`: numbers may be off by 3e-2, as may those of answers that have sixteen bits; else by 1e-4.
/// - `rtol` and `atol`: what the test itself grants. It counts for models of FLOAT whose weights have fewer bits: their answers
///   may be those of the weights before these were rounded.
/// - `function`: the function of an ML program that is called.
public struct CoreMLConformanceCase: ConformanceCase {
  /// The name of the test's folder.
  public let name: String
  private let path: String
  private let settings: Settings
  private let arithmetic: CoreMLArithmetic

  private struct Settings: Decodable {
    var precision: String?
    var calls: Int?
    var rows: Int?
    var compare: String?
    var shapes: [String: [Int]]?
    var function: String?
    var ops: [String]?
    var rtol: Double?
    var atol: Double?
  }

  /// - Throws: ``FileError``, ``CoreMLError`` for a folder without a readable `test.json`.
  public init(path: String, arithmetic: CoreMLArithmetic = .float32) throws {
    self.path = path
    self.arithmetic = arithmetic
    name = path.split(separator: "/").last.map(String.init) ?? path
    let file = try MappedFile(path: "\(path)/test.json", limit: 1 << 20)
    do {
      settings = try file.withUnsafeBytes { try JSONDecoder().decode(Settings.self, from: Data($0)) }
    } catch {
      throw CoreMLError("\(path)/test.json", .package("it does not say what a test needs"))
    }
  }

  /// The tests in a folder of such folders, in alphabetical order; nil where there are none.
  /// - Throws: ``FileError`` when it cannot be listed.
  public static func suite(path: String, arithmetic: CoreMLArithmetic = .float32) throws -> [CoreMLConformanceCase]? {
    let names = try folderNames(at: path).filter {
      FileManager.default.fileExists(atPath: "\(path)/\($0)/test.json")
    }
    return names.isEmpty ? nil : try names.sorted().map { try .init(path: "\(path)/\($0)", arithmetic: arithmetic) }
  }

  /// What the file itself calls the operations that it has: the first of them.
  public func subject() throws -> (operator: OperatorName, opset: Int)? {
    settings.ops?.first { $0 != "cast" }.map { (OperatorName(domain: "coreml", type: $0), 1) }
  }

  /// The model of the test.
  public func model() throws -> any GraphModel {
    do {
      return try coreMLModel()
    } catch let error as CoreMLError {
      guard case .unsupported(let place, let what) = error.reason else { throw error }
      throw UnsupportedModel("\(place): \(what) is not supported")
    }
  }

  private func coreMLModel() throws -> CoreMLModel {
    let package = "\(path)/model.mlpackage"
    let isPackage = FileManager.default.fileExists(atPath: package)
    return try CoreMLModel(
      path: isPackage ? package : "\(path)/model.mlmodel", function: settings.function, arithmetic: arithmetic)
  }

  /// The states of one call after the other, and each example, are sets of their own.
  /// - Throws: ``CoreMLError`` for more than a million.
  public func dataSetCount() throws -> Int {
    let (calls, rows) = (max(1, settings.calls ?? 1), max(1, settings.rows ?? 1))
    let (count, overflow) = calls.multipliedReportingOverflow(by: rows)
    guard !overflow, count <= 1_000_000 else {
      throw CoreMLError("\(path)/test.json", .package("\(calls) calls of \(rows) rows are more than a test has"))
    }
    return count
  }

  private func arrays(_ kind: String, _ dataSet: Int) throws -> (file: NPZFile, row: Int?) {
    guard dataSet >= 0 else {
      throw CoreMLError("\(path)/test.json", .package("data set \(dataSet) was asked for; the first is 0"))
    }
    if let rows = settings.rows, rows > 0 {
      return (try NPZFile(path: "\(path)/\(kind).npz"), dataSet % rows)
    }
    return (try NPZFile(path: "\(path)/\(kind)\(dataSet == 0 ? "" : "_\(dataSet)").npz"), nil)
  }

  /// The inputs of a call or example, by name, as the model declares them.
  public func inputs(_ dataSet: Int, of graph: Graph) throws -> [String: GraphValue] {
    let (file, row) = try arrays("inputs", dataSet)
    let model = try coreMLModel()
    var values: [String: GraphValue] = [:]
    for feature in model.inputs {
      guard file.contains(feature.name) || file.contains(feature.name + ".values") else { continue }
      values[feature.name] = try value(of: feature, in: file, row: row, model)
    }
    return values
  }

  private func value(of feature: CoreMLFeature, in file: NPZFile, row: Int?, _ model: CoreMLModel) throws -> GraphValue
  {
    let form = model.form(of: feature.name)
    if case .dictionary? = form { return try Self.dictionary(feature.name, in: file, row: row, form) }
    let value = try Self.entry(feature.name, in: file, row: row)
    switch feature.kind {
    case .image: return try form?.graphValue(value) ?? value
    case .int64, .double: return try Self.reshaped(value, [1], as: feature.graphType)
    case .multiArray(let type, _, _):
      guard case .tensor(let tensor) = value else { return value }
      return try Self.reshaped(value, tensor.shape.isEmpty ? [1] : tensor.shape, as: .tensor(type, nil))
    default: return value
    }
  }

  /// The right value of an output; nil when the test has none.
  public func expected(_ dataSet: Int, output index: Int, of graph: Graph) throws -> GraphValue? {
    guard graph.outputs.indices.contains(index) else { return nil }
    let (file, row) = try arrays("expected", dataSet)
    let name = graph.values[graph.outputs[index]].name
    if file.contains(name + ".values") {
      return try Self.dictionary(name, in: file, row: row, coreMLModel().form(of: name))
    }
    guard file.contains(name) else { return nil }
    return try Self.entry(name, in: file, row: row)
  }

  /// What the numbers of a test are.
  public enum Numbers: String, Sendable, CaseIterable {
    /// FLOAT throughout.
    case float32 = "FLOAT32"
    /// FLOAT, beside weights that may have been rounded since the answers were computed.
    case roundedWeights = "FLOAT32, weights of sixteen bits or fewer"
    /// Sixteen bits.
    case float16 = "FLOAT16"
  }

  /// What the numbers of the test are, which says how far answers may be off.
  /// - Throws: ``FileError``, ``CoreMLError`` when the test cannot be read.
  public func numbers() throws -> Numbers {
    if try settings.precision == "fp16" || hasHalfAnswers { return .float16 }
    return try hasRoundedWeights ? .roundedWeights : .float32
  }

  /// How far numbers may be from the right ones, of themselves and in all: 3e-2 for what has sixteen bits, 1e-4 for FLOAT, and
  /// between these what the test grants where weights were rounded.
  public func tolerance() throws -> Tolerance {
    switch try numbers() {
    case .float32: Tolerance(relative: 1e-4, absolute: 1e-4)
    case .roundedWeights:
      Tolerance(relative: Self.between(settings.rtol), absolute: Self.between(settings.atol))
    case .float16: Tolerance(relative: 3e-2, absolute: 3e-2)
    }
  }

  private static func between(_ granted: Double?) -> Double { min(max(granted ?? 1e-4, 1e-4), 3e-2) }

  /// Whether weights, and not only single numbers, are stored in fewer bits than FLOAT has.
  private var hasRoundedWeights: Bool {
    get throws {
      let few: Set<ElementType> = [.float16, .int8, .uint8]
      return try coreMLModel().graph.constants.values.contains { value in
        guard let type = value.elementType, few.contains(type) else { return false }
        return value.shape?.contains { $0 > 1 } ?? false
      }
    }
  }

  /// Whether right answers were rounded to sixteen bits.
  private var hasHalfAnswers: Bool {
    get throws {
      let file = try NPZFile(path: "\(path)/expected.npz")
      return file.arrayNames.contains { (try? file.anyTensor(named: $0))?.dataType == .float16 }
    }
  }

  /// The states that a call left, as the inputs that the next one takes.
  public func state(of outputs: [String: GraphValue], after dataSet: Int) -> [String: GraphValue] {
    guard settings.calls != nil else { return [:] }
    var result: [String: GraphValue] = [:]
    let suffix = ".updated"
    for (name, value) in outputs where name.hasSuffix(suffix) { result[String(name.dropLast(suffix.count))] = value }
    return result
  }

  /// What counts as the same: numbers and shapes, or numbers alone.
  public var comparison: ConformanceComparison {
    settings.compare == "flattened" || settings.shapes != nil ? .elements : .shapes
  }
}

// MARK: - Arrays

extension CoreMLConformanceCase {
  /// An array, or one example of it.
  private static func entry(_ name: String, in file: NPZFile, row: Int?) throws -> GraphValue {
    let value = try file.value(named: name)
    guard let row else { return value }
    switch value {
    case .strings(let texts):
      let width = texts.shape.dropFirst().reduce(1, *)
      guard row < texts.shape.first ?? 0 else { return value }
      return .strings(
        try StringTensor(
          Array(texts.elements[(row * width)..<((row + 1) * width)]), shape: Array(texts.shape.dropFirst())))
    case .tensor(let tensor):
      guard row < tensor.shape.first ?? 0 else { return value }
      return .tensor(try tensor.slice(row))
    default: return value
    }
  }

  private static func reshaped(_ value: GraphValue, _ shape: [Int], as type: GraphValueType) throws -> GraphValue {
    guard case .tensor(let tensor) = value, case .tensor(let elementType?, _) = type else { return value }
    return .tensor(try tensor.with(shape: shape, elementType: elementType))
  }

  /// The numbers of a dictionary in the order of the model's keys.
  private static func dictionary(_ name: String, in file: NPZFile, row: Int?, _ form: ValueForm?) throws -> GraphValue {
    let values = try entry(name + ".values", in: file, row: row)
    return try form?.dictionary(keys: file.value(named: name + ".keys"), values: values) ?? values
  }
}
