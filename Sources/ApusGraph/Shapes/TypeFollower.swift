import Apus

/// Follows types through a graph while it is being written: each value and node is shown once, in order.
package struct TypeFollower {
  private var inference: ShapeInference

  package init() { inference = ShapeInference(Graph(name: ""), inputs: [:]) }

  /// Shows a constant.
  package mutating func enter(_ value: GraphValue, as id: Graph.ValueID) { inference.enter(value, as: id) }

  /// Shows a value that comes from outside.
  package mutating func enter(_ elementType: ElementType?, _ shape: [Int], as id: Graph.ValueID) {
    inference.enter(InferredType(elementType, shape), as: id)
  }

  /// Shows a node, whose inputs were shown.
  package mutating func visit(_ node: Node) { inference.visit(node) }

  /// What follows for a value; nil where nothing does.
  package func type(of id: Graph.ValueID) -> InferredType? { inference.types[id] }

  /// What a value is, where it is small and follows from shapes and constants.
  package func value(of id: Graph.ValueID) -> GraphValue? { inference.known[id] }
}
