import Apus

// Recurrent networks over `[time, batch, inputs]`, or with `layout` 1 `[batch, time, inputs]`.

extension ShapeRules {
  static let recurrent: [ShapeRule] = [
    ShapeRule("LSTM", "GRU", "RNN") { facts in
      let (x, state) = try (facts.input(0), facts.shape(2))
      let batchFirst = try facts.node.flag("layout")
      guard x.shape.count == 3, state.count == 3 else { throw ShapeFacts.Unknown() }
      let (time, batch) = batchFirst ? (x.shape[1], x.shape[0]) : (x.shape[0], x.shape[1])
      let (directions, hidden) = (state[0], state[2])
      let output = batchFirst ? [batch, time, directions, hidden] : [time, directions, batch, hidden]
      let last = InferredType(x.elementType, batchFirst ? [batch, directions, hidden] : [directions, batch, hidden])
      return [InferredType(x.elementType, output), last, last]
    }
  ]
}
