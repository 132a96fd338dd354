import Apus
import ApusGraph

/// The suppression of boxes that is part of a graph, and what it drops.
struct BuiltInSuppression: Sendable {
  /// Where a threshold stands.
  struct Threshold: Sendable {
    /// What the model's file says.
    let usual: Float
    /// The input that says otherwise for a run; nil where the file has the last word.
    let input: Graph.ValueInfo?
  }

  let overlap: Threshold
  let confidence: Threshold

  /// Nil for a graph without suppression, or with several.
  init?(in graph: Graph) throws {
    let nodes = graph.nodes.filter { $0.operatorName == OperatorName(domain: "apus", type: "BoxSuppression") }
    guard let node = nodes.first, nodes.count == 1, node.inputs.count == 4 else { return nil }
    func threshold(_ index: Int) throws -> Threshold? {
      guard let id = node.inputs[index], case .tensor(let tensor)? = graph.constants[id], tensor.count == 1 else {
        return nil
      }
      return Threshold(
        usual: try tensor.converted(to: Float.self).elements[0],
        input: graph.inputs.contains(id) ? graph.values[id] : nil)
    }
    guard let overlap = try threshold(2), let confidence = try threshold(3) else { return nil }
    (self.overlap, self.confidence) = (overlap, confidence)
  }

  /// What the file asks for, for all that it does not speak of as ever.
  var options: DetectionOptions {
    var options = DetectionOptions()
    options.overlap = min(max(overlap.usual, 0), 1)
    options.confidence = min(max(confidence.usual, 0), 1)
    return options
  }

  /// The inputs by which a run drops no more than `options` do.
  func inputs(for options: DetectionOptions) throws -> [String: GraphValue] {
    var values: [String: GraphValue] = [:]
    for (threshold, value) in [(overlap, options.overlap), (confidence, options.lowestConfidence)] {
      guard let input = threshold.input else { continue }
      values[input.name] = GraphValue(try Tensor([Double(value)], shape: [1]))
    }
    return values
  }
}
