import Apus

/// The matrices and tables of a graph by how its file stores them: as numbers, or compressed and with what it takes to
/// widen them.
package struct StoredWeights: Sendable {
  /// All that is stored in one way.
  package struct Form: Sendable, Hashable {
    /// `FLOAT16`, `scales`, `tables`, `sparse tables`: codes with scales, codes that are places in tables, or these of
    /// what is not zero alone; `INT8` for codes whose scales the operator has apart.
    package let name: String
    /// Whether they are floating-point numbers as they are.
    package let isPlain: Bool
    /// How many there are.
    package fileprivate(set) var tensors = 0
    /// How many numbers they stand for.
    package fileprivate(set) var elements = 0
    /// The bytes that they take, scales, tables and masks included.
    package fileprivate(set) var bytes = 0

    /// The bits that a number takes.
    package var bits: Double { elements > 0 ? 8 * Double(bytes) / Double(elements) : 0 }
  }

  private var byName: [String: Form] = [:]

  /// By form, what takes most room first.
  package var forms: [Form] { byName.values.sorted { ($1.bytes, $0.name) < ($0.bytes, $1.name) } }

  /// Of a graph with its subgraphs. Values of two axes and more count that follow from constants alone, that something else
  /// is computed of, and that are floating-point numbers or codes.
  package init(_ graph: Graph) { add(graph) }

  private mutating func add(_ graph: Graph) {
    let types = graph.inferredTypes()
    let captured = Set(graph.captures.map(\.inner))
    let given = Set(graph.inputs).union(captured)
    // Of each value that follows from constants alone: the constants, and the operators between.
    var origins: [Graph.ValueID: Origin] = [:]
    for id in graph.constants.keys where !given.contains(id) { origins[id] = Origin(constants: [id]) }
    var used: Set<Graph.ValueID> = Set(graph.outputs)
    for node in graph.nodes {
      let inputs = node.inputs.compactMap(\.self)
      let known = inputs.compactMap { origins[$0] }
      if !inputs.isEmpty, known.count == inputs.count, node.subgraphs.isEmpty {
        let origin = known.reduce(into: Origin(operators: [node.operatorName.type])) { $0.merge($1) }
        for output in node.outputs.compactMap(\.self) { origins[output] = origin }
      } else {
        used.formUnion(inputs)
      }
      for subgraph in node.subgraphs.values {
        used.formUnion(subgraph.captures.map(\.outer))
        add(subgraph)
      }
    }
    var counted: Set<Graph.ValueID> = []
    for id in used.sorted() {
      guard let origin = origins[id], let shape = graph.constants[id]?.shape ?? types[id]?.shape, shape.count > 1,
        let kind = origin.form(in: graph)
      else { continue }
      var form = byName[kind.name] ?? Form(name: kind.name, isPlain: kind.isPlain)
      form.tensors += 1
      form.elements = form.elements.addingClamped(shape.reduce(1) { $0.multipliedClamped(by: $1) })
      for constant in origin.constants where counted.insert(constant).inserted {
        form.bytes = form.bytes.addingClamped(graph.constants[constant]?.byteCount ?? 0)
      }
      byName[kind.name] = form
    }
  }
}

/// What a value is made of.
private struct Origin {
  var constants: Set<Graph.ValueID> = []
  var operators: Set<String> = []

  mutating func merge(_ other: Origin) {
    constants.formUnion(other.constants)
    operators.formUnion(other.operators)
  }

  /// The form; nil for indices, Booleans and texts.
  func form(in graph: Graph) -> (name: String, isPlain: Bool)? {
    let values = constants.sorted().compactMap { graph.constants[$0] }
    guard let largest = values.max(by: { $0.byteCount < $1.byteCount })?.elementType else { return nil }
    guard values.contains(where: { $0.elementType?.isFloatingPoint == true }) else {
      return largest != .bool && 1...8 ~= largest.bitCount ?? 0 ? ("\(largest)", false) : nil
    }
    let coding =
      operators.contains("LookUp")
      ? "tables"
      : operators.contains("BlockDequantize") || operators.contains("DequantizeLinear") || !largest.isFloatingPoint
        ? "scales" : nil
    if operators.contains("Densify") { return (coding.map { "sparse " + $0 } ?? "sparse", false) }
    return coding.map { ($0, false) } ?? ("\(largest)", true)
  }
}
