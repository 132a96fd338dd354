import Apus
import ApusGraph

/// What `apus run` says.
struct RunReport {
  struct Input: Encodable {
    var name: String
    var shape: [Int]?
    var dtype: String
    var source: String
  }

  struct Row {
    var name: String
    var shape: [Int]?
    var dtype: String
    var summary: ValueSummary?
    var file: String?
    /// What a sequence or an optional holds, for people.
    var note = ""
  }

  let model: String
  let precision: Execution.Precision
  let isFloat64: Bool
  let inputs: [Input]
  private(set) var outputs: [Row] = []
  /// Milliseconds of each run that was timed.
  var latencies: [Double] = []
  var profile: RunProfile?
  /// With float64: the nodes whose results are not.
  var narrowNodes: [String]?
  var warnings: [String] = []
  var cache: InferenceSession.CacheUse?

  private let machine = Diagnosis().processor.name
  private let execution = Execution.current

  init(model: String, inputs: ModelInputs, precision: Execution.Precision, isFloat64: Bool) {
    self.model = model
    self.precision = precision
    self.isFloat64 = isFloat64
    self.inputs = inputs.declared.compactMap { info in
      inputs.values[info.name].map {
        Input(name: info.name, shape: $0.shape, dtype: $0.typeName, source: inputs.sources[info.name] ?? "")
      }
    }
  }

  mutating func add(_ value: GraphValue, named name: String, file: String?) throws {
    var row = Row(name: name, shape: value.shape, dtype: value.typeName, summary: try ValueSummary(value), file: file)
    if case .sequence(let values, _) = value { row.note = values.count == 1 ? "1 value" : "\(values.count) values" }
    if case .optional(let value, _) = value { row.note = value == nil ? "nothing" : "a value" }
    outputs.append(row)
  }
}

extension GraphValue {
  /// The name of the element type as NumPy and files have it, `float32`; of a sequence what it is made of.
  fileprivate var typeName: String { elementType?.numPyName ?? "\(type)" }
}

// MARK: - Text

extension RunReport {
  func text() -> String {
    let terminal = Terminal.output
    var lines = [terminal.styled(ErrorReport.oneLine(model), .bold), ""]
    var given = TextTable()
    given.add(["input", "type", "shape", "from"].map { terminal.styled($0, .dim) })
    for input in inputs {
      given.add(
        ErrorReport.oneLine(input.name), input.dtype, input.shape.map { "\($0)" } ?? "–",
        ErrorReport.oneLine(input.source))
    }
    if !inputs.isEmpty { lines += given.lines.map { "  " + $0 } + [""] }
    lines += outputTable.map { "  " + $0 } + [""]
    if let profile { lines += profile.lines + [""] }
    if let narrowNodes, !narrowNodes.isEmpty {
      lines.append("  not in float64:")
      lines += narrowNodes.map { "    " + ErrorReport.oneLine($0) } + [""]
    }
    lines += warnings.map { terminal.styled("!", .yellow) + " " + ErrorReport.oneLine($0) }
    if let cache { lines.append(ErrorReport.oneLine(cache.summary)) }
    lines.append(timing)
    return lines.map { $0 + "\n" }.joined()
  }

  private var outputTable: [String] {
    let terminal = Terminal.output
    var table = TextTable(alignments: [.left, .left, .left, .right, .right, .right, .right, .right])
    let hasOdd = outputs.contains { ($0.summary?.nan ?? 0) + ($0.summary?.infinite ?? 0) > 0 }
    let odd = hasOdd ? ["nan", "inf"] : []
    let headings = ["output", "type", "shape", "min", "max", "mean", "std"] + odd + ["values"]
    table.add(headings.map { terminal.styled($0, .dim) })
    for row in outputs {
      let summary = row.summary
      let numbers = [summary?.min, summary?.max, summary?.mean, summary?.std].map { number in
        number.map { NumberText.short($0, digits: 4) } ?? terminal.styled("–", .dim)
      }
      let beginning = (summary?.beginning ?? []).joined(separator: " ") + (summary?.isLonger == true ? " …" : "")
      let counts = hasOdd ? ["\(summary?.nan ?? 0)", "\(summary?.infinite ?? 0)"] : []
      let about = [ErrorReport.oneLine(row.name), row.dtype, row.shape.map { "\($0)" } ?? "–"]
      table.add(about + numbers + counts + [row.note.isEmpty ? beginning : row.note])
    }
    return table.lines + outputs.compactMap { row in row.file.map { "→ " + ErrorReport.oneLine($0) } }
  }

  private var timing: String {
    let threads = execution.threads == 1 ? "1 thread" : "\(execution.threads) threads"
    let how = isFloat64 ? "float64" : precision.rawValue
    let setting = "\(execution.variant.rawValue) kernels, \(threads), \(how)"
    let sorted = latencies.sorted()
    guard let least = sorted.first, let greatest = sorted.last else { return setting }
    func text(_ milliseconds: Double) -> String { NumberText.short(milliseconds, digits: 4) + " ms" }
    if sorted.count == 1 { return "\(text(least)); \(setting)" }
    let quantiles = LatencyQuantiles(sorted)
    return
      "median \(text(quantiles.p50)), p90 \(text(quantiles.p90)), p99 \(text(quantiles.p99)), minimum \(text(least)), "
      + "maximum \(text(greatest)) of \(sorted.count) runs; " + setting
  }
}

/// How long the quicker half, nine tenths and 99 of 100 of some runs take at most, interpolated between neighbours.
struct LatencyQuantiles: Encodable, Equatable {
  let p50: Double
  let p90: Double
  let p99: Double

  /// - Parameter sorted: one time or more, from the least to the greatest.
  init(_ sorted: [Double]) {
    func quantile(_ part: Double) -> Double {
      let place = part * Double(sorted.count - 1)
      let below = Int(place)
      let above = min(below + 1, sorted.count - 1)
      return sorted[below] + (sorted[above] - sorted[below]) * (place - Double(below))
    }
    (p50, p90, p99) = (quantile(0.5), quantile(0.9), quantile(0.99))
  }
}

// MARK: - JSON

extension RunReport: Encodable {
  enum CodingKeys: String, CodingKey {
    case model, machine, variant, threads, precision, float64, inputs, outputs, profile, warnings, cache
    case latencies = "latency_ms"
    case quantiles = "latency_quantiles_ms"
    case narrowNodes = "not_float64"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(model, forKey: .model)
    try container.encode(machine, forKey: .machine)
    try container.encode(execution.variant.rawValue, forKey: .variant)
    try container.encode(execution.threads, forKey: .threads)
    try container.encode(precision.rawValue, forKey: .precision)
    try container.encode(isFloat64, forKey: .float64)
    try container.encode(inputs, forKey: .inputs)
    try container.encode(outputs, forKey: .outputs)
    try container.encode(latencies, forKey: .latencies)
    if !latencies.isEmpty { try container.encode(LatencyQuantiles(latencies.sorted()), forKey: .quantiles) }
    try container.encodeIfPresent(profile, forKey: .profile)
    try container.encodeIfPresent(narrowNodes, forKey: .narrowNodes)
    try container.encode(warnings, forKey: .warnings)
    try container.encodeIfPresent(cache.map(Cache.init), forKey: .cache)
  }

  /// What the cache was worth.
  private struct Cache: Encodable {
    let file: String
    let found: Int
    let made: Int

    init(_ use: InferenceSession.CacheUse) { (file, found, made) = (use.path, use.found, use.made) }
  }
}

extension RunReport.Row: Encodable {
  enum CodingKeys: String, CodingKey { case name, shape, dtype, statistics, file }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(shape, forKey: .shape)
    try container.encode(dtype, forKey: .dtype)
    try container.encode(dtype == "string" ? nil : summary, forKey: .statistics)
    try container.encode(file, forKey: .file)
  }
}
