import Apus
import ApusCoreML
import ApusGraph

/// The reader of Core ML models, and a run of what it makes of them on zeros.
struct CoreMLModelTarget: FuzzTarget {
  let name = "coreml-model"
  let summary = "Core ML models: programs, networks, classic models and pipelines, read and run"
  let dictionary = [
    "relu", "reshape", "conv", "while_loop", "cond", "const", "concat", "values", "begin", "CoreML7", "val", "name",
    "\u{8}\u{6}", "\u{12}\u{0}", "\u{B2}\u{1F}\u{0}", "@model_path/weights/weight.bin",
  ]

  func seeds() throws -> [[UInt8]] {
    func feature(_ name: String, _ shape: [UInt64]) -> [UInt8] {
      let sizes = shape.flatMap { Self.field(1, $0) }
      return Self.text(1, name) + Self.field(3, Self.field(5, sizes + Self.field(2, 65568)))
    }
    func model(_ kind: UInt64, _ content: [UInt8], gives shape: [UInt64] = [1, 2, 2]) -> [UInt8] {
      Self.field(1, 6) + Self.field(2, Self.field(1, feature("x", [1, 2, 2])) + Self.field(10, feature("y", shape)))
        + Self.field(kind, content)
    }
    return [
      model(502, Self.program, gives: [2, 2]), model(500, Self.network),
      model(202, Self.field(1, model(604, [])) + Self.field(1, model(900, []))), model(302, Self.trees, gives: [1]),
    ]
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    // A few bytes can ask for any amount of memory, and of work on it.
    let limit = Execution.memoryLimit
    Execution.memoryLimit = min(limit, 4 << 20)
    defer { Execution.memoryLimit = limit }
    return try outcome(allowing: CoreMLError.self, GraphError.self, TensorError.self, FileError.self) {
      let model = try CoreMLModel(bytes: input, name: "input")
      var options = InferenceSession.Options()
      options.limits.iterations = 100
      let session = try InferenceSession(model, options: options)
      var inputs: [String: GraphValue] = [:]
      for port in session.inputs where !port.hasDefault {
        let zeros = try Tensor<Float>(zeros: (port.shape ?? [1]).map { $0 ?? 2 })
        inputs[port.name] = GraphValue(zeros)
      }
      _ = try session.run(inputs)
    }
  }

  // MARK: Messages

  private static func varint(_ value: UInt64) -> [UInt8] {
    value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + varint(value >> 7)
  }

  private static func field(_ number: UInt64, _ value: UInt64) -> [UInt8] { varint(number << 3) + varint(value) }

  private static func field(_ number: UInt64, _ bytes: [UInt8]) -> [UInt8] {
    varint(number << 3 | 2) + varint(UInt64(bytes.count)) + bytes
  }

  private static func text(_ number: UInt64, _ text: String) -> [UInt8] { field(number, Array(text.utf8)) }

  private static func double(_ number: UInt64, _ value: Double) -> [UInt8] {
    varint(number << 3 | 1) + withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) }
  }

  /// A constant, a Reshape, a product, and a branch.
  private static var program: [UInt8] {
    func type(_ element: UInt64, _ shape: [UInt64]) -> [UInt8] {
      field(
        1, field(1, element) + field(2, UInt64(shape.count)) + shape.flatMap { field(3, field(1, field(1, $0))) })
    }
    func port(_ name: String, _ shape: [UInt64]) -> [UInt8] { text(1, name) + field(2, type(11, shape)) }
    func argument(_ name: String, _ value: String) -> [UInt8] {
      field(2, text(1, name) + field(2, field(1, text(1, value))))
    }
    let sizes = field(2, type(23, [2])) + field(3, field(1, field(2, field(1, [2, 2]))))
    let constant =
      text(1, "const") + field(3, text(1, "s") + field(2, type(23, [2]))) + field(5, text(1, "val") + field(2, sizes))
    let reshape = text(1, "reshape") + argument("x", "x") + argument("shape", "s") + field(3, port("m", [2, 2]))
    let product = text(1, "matmul") + argument("x", "m") + argument("y", "m") + field(3, port("y", [2, 2]))
    let block = text(2, "y") + [constant, reshape, product].flatMap { field(3, $0) }
    let function =
      field(1, port("x", [1, 2, 2])) + text(2, "CoreML7") + field(3, text(1, "CoreML7") + field(2, block))
    return field(1, 1) + field(2, text(1, "main") + field(2, function))
  }

  /// A convolution with weights, a Softmax, and a branch.
  private static var network: [UInt8] {
    func layer(_ name: String, _ input: String, _ output: String, _ kind: UInt64, _ parameters: [UInt8]) -> [UInt8] {
      field(1, text(1, name) + text(2, input) + text(3, output) + field(kind, parameters))
    }
    let weights = field(1, [0, 0, 128, 63])
    let convolution =
      field(1, 1) + field(2, 1) + field(20, 1) + field(20, 1) + field(50, []) + field(90, weights)
    let inner = layer("n", "a", "b", 220, field(1, 6))
    let flag = layer("f", "x", "t", 1070, field(1, 1) + field(2, weights))
    return layer("c", "x", "a", 100, convolution) + flag + layer("b", "t", "", 605, field(1, inner) + field(2, inner))
      + layer("s", "b", "y", 175, []) + field(5, 0)
  }

  private static var trees: [UInt8] {
    let root = field(2, 0) + field(10, 1) + double(11, 0.5) + field(12, 1) + field(13, 2)
    func leaf(_ number: UInt64) -> [UInt8] {
      field(2, number) + field(3, 6) + field(20, field(1, 0) + double(2, 1.5))
    }
    return field(1, [root, leaf(1), leaf(2)].flatMap { field(1, $0) } + field(2, 1) + double(3, 0.25))
  }
}
