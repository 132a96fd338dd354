import Apus
import ApusGraph

/// A graph that reads the tokens of one text: what Core ML and ONNX make of a BERT and its kin.
///
/// It takes the numbers of the tokens, `[1, length]` or `[length]`, and perhaps a mask (1 for tokens, 0 for padding), the
/// segments (all 0) and the positions (0, 1, …), which are told apart by their names; it gives `logits`, or one output.
struct TokenGraph: Sendable {
  /// What the output is called.
  let output: String
  /// The shape of the output for ``trialLength`` tokens.
  let outputShape: [Int]
  /// How many tokens ``outputShape`` is for.
  let trialLength: Int
  private let session: InferenceSession
  private let inputs: [Input]
  /// The one length that it takes; nil where that is open.
  private let length: Int?
  private let paddingID: Int

  private struct Input: Sendable {
    enum Role { case ids, mask, segments, positions }

    let id: Graph.ValueID
    let name: String
    let role: Role
    let elementType: ElementType
    let dimensions: [Int?]
  }

  /// - Parameter kind: what the model was to be, for messages.
  /// - Throws: ``CommandFailure`` for a graph with other inputs and outputs.
  init(
    _ model: any GraphModel, of path: String, as kind: String, paddingID: Int, cacheFolder: String?
  ) throws {
    func failure(_ text: String) -> CommandFailure { CommandFailure(.badData, "\(path): \(text)") }
    session = try InferenceSession(model, options: .init(cacheFolder: cacheFolder))
    self.paddingID = paddingID
    let graph = session.graph
    let inputs = try graph.requiredInputs.map { id -> Input in
      let info = graph.values[id]
      guard let role = Self.role(info.name, isOnly: graph.requiredInputs.count == 1),
        case .tensor(let type?, let dimensions?)? = info.type, 1...2 ~= dimensions.count
      else {
        throw failure(
          "the input '\(info.name)'\(info.type.map { " \($0)" } ?? "") is none of \(kind); input_ids, attention_mask, "
            + "token_type_ids or position_ids, [1, length], was expected")
      }
      return Input(
        id: id, name: info.name, role: role, elementType: type,
        dimensions: dimensions.map(\.extent))
    }
    let lengths = Set(inputs.compactMap { $0.dimensions.last ?? nil })
    guard inputs.filter({ $0.role == .ids }).count == 1, lengths.count <= 1, !lengths.contains(0),
      inputs.allSatisfy({ $0.dimensions.count == 1 || $0.dimensions[0] ?? 1 == 1 })
    else {
      let list = inputs.map { "'\($0.name)'" }.joined(separator: ", ")
      throw failure("the inputs \(list) are not the tokens of one text, and what goes with them")
    }
    self.inputs = inputs
    length = lengths.first
    // Any length shows how many numbers there are.
    trialLength = lengths.first ?? 4
    let trial = trialLength
    let shapes = Dictionary(uniqueKeysWithValues: inputs.map { ($0.id, Self.shape($0, length: trial)) })
    let types = graph.inferredTypes(inputs: shapes)
    let tables = graph.outputs.filter { types[$0]?.shape.count ?? 3 >= 2 }
    guard
      let scores = tables.first(where: { graph.values[$0].name == "logits" }) ?? (tables.count == 1 ? tables[0] : nil)
    else {
      let list = graph.outputs.map { "'\(graph.values[$0].name)'" }.joined(separator: ", ")
      throw failure("which of the outputs \(list) has the scores is not known; 'logits' was expected")
    }
    output = graph.values[scores].name
    // With extents that are open, operators may hide what only running shows.
    let text = [Int](repeating: paddingID, count: trial)
    let shape =
      try types[scores]?.shape
      ?? session.run(Self.values(of: inputs, ids: text, padding: 0, with: paddingID), fetching: [output])[output]?.shape
    guard let shape else { throw failure("the output '\(output)' is no tensor") }
    outputShape = shape
  }

  /// What keeping laid-out weights was worth; nil without a cache.
  var cacheUse: InferenceSession.CacheUse? { session.cacheUse }

  /// The most tokens that it reads; nil where that is open.
  var positionCount: Int? { length }

  /// What it gives for a text, padded to the length that it takes.
  /// - Throws: ``CommandFailure`` for a text that would need padding which nothing tells apart from it.
  func scores(ids: [Int]) throws -> (numbers: [Float], length: Int) {
    let padding = max(0, (length ?? 0) - ids.count)
    guard padding == 0 || inputs.contains(where: { $0.role == .mask }) else {
      throw CommandFailure(
        .badData, "the model takes \(ids.count + padding) tokens and no mask; the text has \(ids.count)")
    }
    let values = try Self.values(of: inputs, ids: ids, padding: padding, with: paddingID)
    guard case .tensor(let found)? = try session.run(values, fetching: [output])[output] else {
      throw CommandFailure(.badData, "the output '\(output)' is no tensor")
    }
    return (try found.converted(to: Float.self).elements, ids.count + padding)
  }

  private static func values(
    of inputs: [Input], ids: [Int], padding: Int, with paddingID: Int
  ) throws -> [String: GraphValue] {
    var values: [String: GraphValue] = [:]
    for input in inputs {
      let numbers: [Int] =
        switch input.role {
        case .ids: ids + Array(repeating: paddingID, count: padding)
        case .mask: Array(repeating: 1, count: ids.count) + Array(repeating: 0, count: padding)
        case .segments: Array(repeating: 0, count: ids.count + padding)
        case .positions: Array(0..<(ids.count + padding))
        }
      let tensor = AnyTensor(try Tensor(numbers.map(Int64.init), shape: shape(input, length: numbers.count)))
      guard let value = try tensor.converted(to: input.elementType) else {
        throw CommandFailure(.badData, "the input '\(input.name)' is \(input.elementType), which holds no tokens")
      }
      values[input.name] = .tensor(value)
    }
    return values
  }

  private static func shape(_ input: Input, length: Int) -> [Int] {
    input.dimensions.count == 1 ? [length] : [1, length]
  }

  private static func role(_ name: String, isOnly: Bool) -> Input.Role? {
    let name = name.lowercased()
    if isOnly { return .ids }
    if name.contains("mask") { return .mask }
    if name.contains("type") || name.contains("segment") { return .segments }
    if name.contains("position") { return .positions }
    return name.contains("ids") || name.contains("token") || name.contains("input") ? .ids : nil
  }
}
