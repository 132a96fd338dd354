import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

@Suite struct ShapeInferenceTests {
  /// As the file has it, as it runs fastest, and with everything in float64.
  static let options: [InferenceSession.Options] = {
    var (plain, fast, wide) = (InferenceSession.Options(), InferenceSession.Options(), InferenceSession.Options())
    plain.optimizes = false
    fast.precision = .fast
    wide.optimizes = false
    wide.computesInFloat64 = true
    return [plain, fast, wide]
  }()

  /// What is inferred of a fixture's values is what they turn out to be when every node runs.
  @Test(arguments: FixtureCase.all)
  func inferredTypesAreThoseOfTheValues(fixture: FixtureCase) throws {
    let test = try fixture.test.get()
    let model = try test.model()
    for options in Self.options {
      let session = try InferenceSession(model, options: options)
      for inputs in try test.dataSets(of: model.graph) {
        let inferred = session.inferredTypes(inputs: inputs)
        func run() throws {
          _ = try session.run(inputs) { name, value in
            guard let id = session.graph.value(named: name), let type = inferred[id] else { return }
            #expect(type.shape == value.shape, "\(name)")
            if let elementType = type.elementType { #expect(elementType == value.elementType, "\(name)") }
          }
        }
        // The bits of a number in float64 are not those that BitCast would read.
        if options.computesInFloat64 { try? run() } else { try run() }
      }
    }
  }

  /// The shape of a Reshape as exporters compute it: the batch taken of the input, the rest left over.
  private func reshape(_ dimensions: [GraphDimension]) throws -> ONNXModel {
    var graph = SmallGraph()
    graph.input("x", dimensions)
    try graph.constant("zero", GraphValue(Tensor<Int64>([0], shape: [1])))
    try graph.constant("rest", GraphValue(Tensor<Int64>([-1], shape: [1])))
    graph.node("Shape", ["x"], ["shape"])
    graph.node("Gather", ["shape", "zero"], ["batch"])
    graph.node("Concat", ["batch", "rest"], ["wanted"], ["axis": .int(0)])
    graph.node("Reshape", ["x", "wanted"], ["y"])
    return try graph.model(outputs: ["y"])
  }

  @Test func shapesAreFollowedByValue() throws {
    let graph = try reshape([.symbol("batch"), .size(3), .size(4)]).graph
    let input = try #require(graph.value(named: "x"))
    let output = try #require(graph.value(named: "y"))
    #expect(graph.inferredTypes(inputs: [input: [5, 3, 4]])[output] == InferredType(.float, [5, 12]))
    #expect(graph.inferredTypes()[output] == nil)
  }

  @Test func shapesOfDeclaredInputsAreFolded() throws {
    let whole = try reshape([.size(2), .size(3), .size(4)]).graph.foldingShapes()
    #expect(whole.nodes.map(\.operatorName.type) == ["Reshape"])
    let open = try reshape([.symbol("batch"), .size(3), .size(4)]).graph.foldingShapes()
    #expect(open.nodes.count == 4)
  }

  @Test func foldedShapesGiveTheSameResult() throws {
    let session = try InferenceSession(reshape([.size(2), .size(3), .size(4)]))
    let x = try Tensor<Float>(range: 24)
    let y = try #require(try session.run(["x": GraphValue(x.reshaped([2, 3, 4]))])["y"])
    #expect(y.shape == [2, 12])
    #expect(try y.hasSameBits(as: GraphValue(x.reshaped([2, 12]))))
  }

  @Test func windowsAreCounted() throws {
    var graph = SmallGraph()
    graph.input("x", [.size(1), .size(3), .size(224), .size(225)])
    try graph.constant("weight", GraphValue(Tensor<Float>(zeros: [8, 3, 7, 7])))
    graph.node("Conv", ["x", "weight"], ["map"], ["strides": .ints([2, 2]), "pads": .ints([3, 3, 3, 3])])
    graph.node(
      "MaxPool", ["map"], ["y"], ["kernel_shape": .ints([3, 3]), "strides": .ints([2, 2]), "ceil_mode": .int(1)])
    let built = try graph.model(outputs: ["y"]).graph
    // PyTorch: conv2d(stride=2, padding=3) gives 112 × 113, max_pool2d(3, 2, ceil_mode=True) 56 × 56.
    let output = try #require(built.value(named: "y"))
    #expect(built.inferredTypes()[output] == InferredType(.float, [1, 8, 56, 56]))
  }

  @Test func shapesBeyondReasonAreIgnored() throws {
    var graph = SmallGraph()
    graph.input("x", [.size(1 << 40), .size(1 << 40)])
    try graph.constant("repeats", GraphValue(Tensor<Int64>([Int64.max, 2])))
    graph.node("Tile", ["x", "repeats"], ["tiled"])
    graph.node("Concat", ["x", "x"], ["y"], ["axis": .int(Int64.min)])
    graph.node("Unsqueeze", ["x", "repeats"], ["z"])
    let built = try graph.model(outputs: ["tiled", "y", "z"]).graph
    let inferred = built.inferredTypes()
    for id in built.outputs { #expect(inferred[id] == nil) }
  }
}

extension InferenceSession {
  /// What follows for the values of ``graph`` from the shapes of `inputs`.
  func inferredTypes(inputs: [String: GraphValue]) -> [Graph.ValueID: InferredType] {
    var shapes: [Graph.ValueID: [Int]] = [:]
    for id in graph.inputs { shapes[id] = inputs[graph.values[id].name]?.shape }
    return graph.inferredTypes(inputs: shapes)
  }
}
