import Apus
import ApusCoreML
import ApusGraph

/// What `apus inspect` says of a model.
struct ModelInspection {
  let path: String
  let model: any GraphModel
  private let summary: ModelSummary
  let operators: OperatorCensus
  /// What one run costs; nil when it could not be found out.
  private(set) var cost: RunCost?
  /// What becomes of the operators before they run; nil when nobody asked.
  private(set) var rewriting: RewriteCensus?
  private(set) var warnings: [String]

  init(_ model: any GraphModel, path: String) throws {
    self.path = path
    self.model = model
    operators = try OperatorCensus(model.graph)
    summary = model.summary
    warnings = model.warnings + operators.advice
  }

  /// Whether Apus can run the model, as far as is known without running it.
  var isRunnable: Bool { operators.refusals.isEmpty && operators.entries.allSatisfy(\.isKnown) }

  /// Finds out what a run costs: from shapes or, with `isRun`, by running the model on zeros. What keeps that from being
  /// known becomes a warning.
  mutating func findCost(_ dimensions: DimensionOptions, isRun: Bool, limits: InferenceSession.Limits) throws {
    var inputs = ModelInputs(model, file: path, converts: false, widens: false)
    let sizes = try dimensions.dimensions(of: inputs.declared)
    guard isRunnable else { return }
    let missing = sizes.missing(in: inputs.declared)
    guard missing.isEmpty else {
      let flags = missing.map { "--dim '\($0)=…'" }.joined(separator: " ")
      warnings.append("multiply-adds and memory depend on extents that the model leaves open; give them: \(flags)")
      return
    }
    guard isRun else {
      let declared = model.graph.inputs.map { ($0, model.graph.values[$0]) }
      let shapes = declared.compactMap { id, info in sizes.shape(of: info).map { (id, $0) } }
      cost = try RunCost(
        inferring: model, shapes: Dictionary(shapes, uniquingKeysWith: { first, _ in first }))
      return
    }
    do {
      try inputs.fill(seed: nil, dimensions: sizes)
      var options = InferenceSession.Options()
      options.limits = limits
      cost = try RunCost(measuring: model, on: inputs.values, options: options)
    } catch let error as GraphError where error.fault == .time {
      throw error
    } catch {
      let reason = ErrorReport(error).message ?? "\(error)"
      warnings.append("multiply-adds and memory are not known: the model does not run on zeros: \(reason)")
    }
  }

  /// Finds out what becomes of the operators before they run, of a model that can be run.
  mutating func findRewriting() throws {
    if isRunnable { rewriting = try RewriteCensus(model.graph) }
  }

  /// What must be given, and the states, which may be.
  private var inputs: [Graph.ValueInfo] {
    let graph = model.graph
    let names = Set(graph.requiredInputs.map { graph.values[$0].name })
      .union((model as? CoreMLModel)?.states.map(\.name) ?? [])
    return graph.inputs.map { graph.values[$0] }.filter { names.contains($0.name) }
  }

  private var outputs: [Graph.ValueInfo] { model.graph.outputs.map { model.graph.values[$0] } }
}

// MARK: - Text

extension ModelInspection {
  func text(withMetadata: Bool) -> String {
    let terminal = Terminal.output
    var lines = [terminal.styled(ErrorReport.oneLine(path), .bold), ""]
    lines += table(facts).map { "  " + $0 } + [""]
    lines += values.map { "  " + $0 } + [""]
    lines += operatorTable.map { "  " + $0 } + [""]
    if let rewriting { lines += rewritingTable(rewriting).map { "  " + $0 } + [""] }
    let metadata = summary.metadata
    if !metadata.isEmpty {
      lines += table(metadata.map { ($0.key, shortened($0.value, unless: withMetadata)) }).map { "  " + $0 } + [""]
    }
    for refusal in operators.refusals.prefix(20) {
      lines.append(
        "\(terminal.mark(false)) " + ErrorReport.oneLine("node '\(refusal.node)' (\(refusal.name)): \(refusal.reason)"))
    }
    if operators.refusals.count > 20 {
      lines.append("\(terminal.mark(false)) and \(operators.refusals.count - 20) more")
    }
    lines += warnings.map { terminal.styled("!", .yellow) + " " + ErrorReport.oneLine($0) }
    lines.append("\(terminal.mark(isRunnable)) " + verdict)
    return lines.map { $0 + "\n" }.joined()
  }

  private var verdict: String {
    if isRunnable { return "Apus has every operator of this model" }
    let names = operators.unknown.map(\.description).joined(separator: ", ")
    var parts = names.isEmpty ? [] : ["Apus does not have \(ErrorReport.oneLine(names))"]
    if !operators.refusals.isEmpty { parts.append("\(operators.refusals.count) nodes cannot be prepared") }
    return "this model cannot be run: " + parts.joined(separator: "; ")
  }

  private func table(_ rows: [(String, String)]) -> [String] {
    var table = TextTable(separator: "   ")
    for (label, text) in rows {
      table.add(Terminal.output.styled(ErrorReport.oneLine(label), .dim), ErrorReport.oneLine(text))
    }
    return table.lines
  }

  private func shortened(_ text: String, unless isWhole: Bool) -> String {
    isWhole || text.count <= 60 ? text : text.prefix(59) + "…"
  }

  private var facts: [(String, String)] {
    let parameters = summary.parameters
    var rows = [("format", "\(summary.format.name), version \(summary.format.version)")]
    let sets = summary.operatorSets
    rows.append(("operators", sets.map { "\($0.domain) \($0.version)" }.joined(separator: ", ")))
    if !summary.producer.isEmpty { rows.append(("producer", summary.producer)) }
    if !summary.domain.isEmpty { rows.append(("domain", summary.domain)) }
    if summary.version != 0 { rows.append(("version", "\(summary.version)")) }
    if !summary.text.isEmpty { rows.append(("description", shortened(summary.text, unless: false))) }
    rows += summary.facts.map { ($0.label, $0.text) }
    let types = parameters.entries.map { "\($0.type) \(CountText.grouped($0.elements))" }.joined(separator: ", ")
    let kinds =
      switch parameters.entries.count {
      case 0: ""
      case 1: " of \(parameters.entries[0].type)"
      default: " (\(types))"
      }
    let counts = "\(CountText.grouped(parameters.elements)) in \(CountText.grouped(parameters.tensors)) tensors"
    rows.append(("parameters", "\(counts), \(ByteText.size(parameters.bytes))\(kinds)"))
    if !parameters.externalFiles.isEmpty {
      rows.append(("other files", parameters.externalFiles.joined(separator: ", ")))
    }
    var nodes = CountText.grouped(operators.nodeCount)
    if summary.functionCount > 0 {
      nodes += ", with \(CountText.counted(summary.functionCount, "function")) written out"
    }
    if operators.subgraphCount > 0 {
      nodes += ", in \(CountText.counted(operators.subgraphCount, "subgraph")) too"
    }
    rows.append(("nodes", nodes))
    if let cost {
      let left =
        cost.unknownNodeCount == 0
        ? ""
        : "; \(CountText.counted(cost.unknownNodeCount, "node")) left out that depend on values (--run counts them)"
      rows.append(("multiply-adds", "\(CountText.grouped(cost.total)), in one run\(left)"))
      let memory =
        cost.peakMemory.map { "\(ByteText.size($0)) at most, measured in one run on zeros; mapped weights not counted" }
      rows.append(("memory", memory ?? "not measured; --run does"))
    }
    return rows
  }

  private var values: [String] {
    let terminal = Terminal.output
    var table = TextTable()
    for (label, infos) in [("input", inputs), ("output", outputs)] {
      table.add([label, "type"].map { terminal.styled($0, .dim) })
      for info in infos {
        table.add(ErrorReport.oneLine(info.name), ErrorReport.oneLine(info.type.map { "\($0)" } ?? "not declared"))
      }
    }
    return table.lines
  }

  private var operatorTable: [String] {
    let terminal = Terminal.output
    var table = TextTable(alignments: [.left, .left, .right, .right, .right])
    let total = max(1, cost?.total ?? 1)
    table.add(
      (["", "operator", "version", "nodes"] + (cost == nil ? [] : ["multiply-adds"])).map { terminal.styled($0, .dim) })
    for entry in operators.entries.sorted(by: { ($1.count, $0.name.type) < ($0.count, $1.name.type) }) {
      let refused = operators.refusals.contains { $0.name == entry.name }
      var cells = [
        terminal.mark(entry.isKnown && !refused), ErrorReport.oneLine("\(entry.name)"), "\(entry.opset)",
        CountText.grouped(entry.count),
      ]
      if let count = cost?.multiplyAdds[entry.name] {
        let share = NumberText.fixed(100 * Double(count) / Double(total), decimals: 1)
        cells.append("\(CountText.grouped(count))  \(share) %")
      }
      table.add(cells)
    }
    return table.lines
  }
}

extension ModelInspection {
  private func rewritingTable(_ rewriting: RewriteCensus) -> [String] {
    var table = TextTable(alignments: [.left, .right, .right, .right])
    table.add(["as it runs", "in the file", "exact", "fast"].map { Terminal.output.styled($0, .dim) })
    func row(_ label: String, _ counts: [Int]) {
      table.add([ErrorReport.oneLine(label)] + counts.map { $0 == 0 ? "–" : CountText.grouped($0) })
    }
    for entry in rewriting.entries {
      row("\(entry.name)" + (entry.activation.map { ", \($0)" } ?? ""), [entry.inFile, entry.exact, entry.fast])
    }
    let columns = [\RewriteCensus.Entry.inFile, \.exact, \.fast]
    row("together", columns.map { column in rewriting.entries.reduce(0) { $0 + $1[keyPath: column] } })
    return table.lines
  }
}

// MARK: - JSON

extension ModelInspection: Encodable {
  enum CodingKeys: String, CodingKey {
    case path, format, opsets, producer, domain, version, description, metadata, inputs, outputs, parameters, operators
    case facts, unsupported, refused, nodes, functions, subgraphs, runnable, warnings
    case formatName = "format_name"
    case optimized
    case externalFiles = "external_files"
    case multiplyAdds = "multiply_adds"
    case peakMemory = "peak_memory_bytes"
  }

  private struct Declared: Encodable {
    var name: String
    var type: String?
    var dtype: String?
    /// Numbers, names, and null where nothing is known.
    var shape: [Extent]?

    init(_ info: Graph.ValueInfo) {
      name = info.name
      type = info.type.map { "\($0)" }
      guard case .tensor(let elementType, let dimensions)? = info.type else { return }
      dtype = elementType?.numPyName
      shape = dimensions?.map(Extent.init)
    }
  }

  private struct Extent: Encodable {
    let dimension: GraphDimension

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch dimension {
      case .size(let size): try container.encode(size)
      case .symbol(let name): try container.encode(name)
      case .unknown: try container.encodeNil()
      }
    }
  }

  private struct Parameters: Encodable {
    struct Entry: Encodable {
      var type: String
      var tensors: Int
      var elements: Int
      var bytes: Int
    }

    var tensors: Int
    var elements: Int
    var bytes: Int
    var types: [Entry]
  }

  private struct Operator: Encodable {
    var name: String
    var opset: Int
    var nodes: Int
    var supported: Bool
  }

  private struct Refusal: Encodable {
    var node: String
    var `operator`: String
    var reason: String
  }

  private struct Rewritten: Encodable {
    var `operator`: String
    var activation: String?
    var nodes: Int
    var exact: Int
    var fast: Int
  }

  private struct MultiplyAdds: Encodable {
    var total: Int
    var operators: [String: Int]
    /// Nodes that are not counted, as their shapes depend on values.
    var unknownNodes: Int

    enum CodingKeys: String, CodingKey {
      case total, operators
      case unknownNodes = "unknown_nodes"
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    let parameters = summary.parameters
    try container.encode(path, forKey: .path)
    try container.encode(summary.format.name, forKey: .formatName)
    try container.encode(summary.format.version, forKey: .format)
    try container.encode(
      Dictionary(summary.operatorSets.map { ($0.domain, $0.version) }, uniquingKeysWith: { max($0, $1) }),
      forKey: .opsets)
    try container.encode(summary.producer, forKey: .producer)
    try container.encode(summary.domain, forKey: .domain)
    try container.encode(summary.version, forKey: .version)
    try container.encode(summary.text, forKey: .description)
    try container.encode(
      Dictionary(summary.metadata.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first }),
      forKey: .metadata)
    if !summary.facts.isEmpty {
      try container.encode(
        Dictionary(summary.facts.map { ($0.label, $0.text) }, uniquingKeysWith: { first, _ in first }), forKey: .facts)
    }
    try container.encode(inputs.map(Declared.init), forKey: .inputs)
    try container.encode(outputs.map(Declared.init), forKey: .outputs)
    try container.encode(
      Parameters(
        tensors: parameters.tensors, elements: parameters.elements, bytes: parameters.bytes,
        types: parameters.entries.map {
          .init(type: $0.type, tensors: $0.tensors, elements: $0.elements, bytes: $0.bytes)
        }), forKey: .parameters)
    try container.encode(
      operators.entries.map { Operator(name: "\($0.name)", opset: $0.opset, nodes: $0.count, supported: $0.isKnown) },
      forKey: .operators)
    try container.encode(
      Set(operators.entries.filter { !$0.isKnown }.map { "\($0.name)" }).sorted(), forKey: .unsupported)
    try container.encode(
      operators.refusals.map { Refusal(node: $0.node, operator: "\($0.name)", reason: $0.reason) }, forKey: .refused)
    try container.encode(operators.nodeCount, forKey: .nodes)
    try container.encode(summary.functionCount, forKey: .functions)
    try container.encode(operators.subgraphCount, forKey: .subgraphs)
    try container.encode(parameters.externalFiles, forKey: .externalFiles)
    try container.encode(isRunnable, forKey: .runnable)
    try container.encode(warnings, forKey: .warnings)
    if let rewriting {
      try container.encode(
        rewriting.entries.map {
          Rewritten(
            operator: "\($0.name)", activation: $0.activation, nodes: $0.inFile, exact: $0.exact, fast: $0.fast)
        }, forKey: .optimized)
    }
    if let cost {
      let counts = Dictionary(cost.multiplyAdds.map { ("\($0.key)", $0.value) }, uniquingKeysWith: { $0 + $1 })
      try container.encode(
        MultiplyAdds(total: cost.total, operators: counts, unknownNodes: cost.unknownNodeCount), forKey: .multiplyAdds)
      try container.encodeIfPresent(cost.peakMemory, forKey: .peakMemory)
    }
  }
}
