/// The values that each step of a plan reads, gives, and is the last to read.
///
/// They lie in the order in which a run goes through them, in one piece of memory. When a step has run, its weights have
/// pushed everything else out of the caches: a list for each step and kind would be waited for at every step, where what
/// lies in order is fetched ahead by the processor.
struct StepTraffic: Sendable {
  private var values: [Value] = []
  private var ends: [Ends] = []

  private struct Ends {
    let inputs: Int
    let outputs: Int
    let lastUses: Int
  }

  /// A value, or none where an input or an output is left out.
  struct Value: Sendable {
    private let code: Int

    init(_ id: Graph.ValueID?, isRead: Bool = true) { code = id.map { isRead ? $0 : ~$0 } ?? .min }

    var id: Graph.ValueID? { code >= 0 ? code : code == .min ? nil : ~code }

    /// Whether a later step, or whoever runs the plan, reads it.
    var isRead: Bool { code >= 0 }
  }

  /// Adds a step.
  mutating func append(inputs: [Graph.ValueID?], outputs: [Graph.ValueID?], lastUses: [Graph.ValueID]) {
    values += inputs.map { Value($0) }
    let inputs = values.count
    values += outputs.map { output in Value(output, isRead: !lastUses.contains { $0 == output }) }
    let outputs = values.count
    values += lastUses.map { Value($0) }
    ends.append(Ends(inputs: inputs, outputs: outputs, lastUses: values.count))
  }

  /// Where the values lie that a step reads, for ``subscript(_:)``: slices would hold on to the list at every step.
  func inputs(of step: Int) -> Range<Int> { (step == 0 ? 0 : ends[step - 1].lastUses)..<ends[step].inputs }

  func outputs(of step: Int) -> Range<Int> { ends[step].inputs..<ends[step].outputs }

  /// The values that no later step reads; an output that none reads is among them.
  func lastUses(of step: Int) -> Range<Int> { ends[step].outputs..<ends[step].lastUses }

  subscript(place: Int) -> Value { values[place] }
}
