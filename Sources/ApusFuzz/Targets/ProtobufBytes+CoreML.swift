/// Small Core ML models.
extension ProtobufBytes {
  /// A program, a network, a pipeline, and trees; each takes `x` and gives `y`.
  static let coreMLModels: [[UInt8]] = [
    coreMLModel(502, program([constant("s", sizes), reshape, product("m")]), gives: [2, 2]),
    coreMLModel(500, network),
    coreMLModel(202, field(1, coreMLModel(604, [])) + field(1, coreMLModel(900, []))),
    coreMLModel(302, trees, gives: [1]),
  ]

  /// A program with a constant that lies in a package's file of weights.
  static let coreMLProgramWithWeights: [UInt8] = {
    let place = field(5, text(1, "@model_path/weights/weight.bin") + field(2, 64))
    let weight = constant("w", field(2, type(11, [2, 2])) + place, type: type(11, [2, 2]))
    return coreMLModel(502, program([constant("s", sizes), reshape, weight, product("w")]), gives: [2, 2])
  }()

  private static func coreMLModel(
    _ kind: UInt64, _ content: [UInt8], gives shape: [UInt64] = [1, 2, 2]
  ) -> [UInt8] {
    func feature(_ name: String, _ shape: [UInt64]) -> [UInt8] {
      let sizes = shape.flatMap { field(1, $0) }
      return text(1, name) + field(3, field(5, sizes + field(2, 65568)))
    }
    return field(1, 6) + field(2, field(1, feature("x", [1, 2, 2])) + field(10, feature("y", shape)))
      + field(kind, content)
  }

  // MARK: Programs

  private static func program(_ operations: [[UInt8]]) -> [UInt8] {
    let block = text(2, "y") + operations.flatMap { field(3, $0) }
    let function =
      field(1, port("x", [1, 2, 2])) + text(2, "CoreML7") + field(3, text(1, "CoreML7") + field(2, block))
    return field(1, 1) + field(2, text(1, "main") + field(2, function))
  }

  private static func type(_ element: UInt64, _ shape: [UInt64]) -> [UInt8] {
    field(1, field(1, element) + field(2, UInt64(shape.count)) + shape.flatMap { field(3, field(1, field(1, $0))) })
  }

  private static func port(_ name: String, _ shape: [UInt64]) -> [UInt8] {
    text(1, name) + field(2, type(11, shape))
  }

  private static func argument(_ name: String, _ value: String) -> [UInt8] {
    field(2, text(1, name) + field(2, field(1, text(1, value))))
  }

  private static let sizes = field(2, type(23, [2])) + field(3, field(1, field(2, field(1, [2, 2]))))

  private static func constant(_ name: String, _ value: [UInt8], type: [UInt8] = type(23, [2])) -> [UInt8] {
    text(1, "const") + field(3, text(1, name) + field(2, type)) + field(5, text(1, "val") + field(2, value))
  }

  private static let reshape =
    text(1, "reshape") + argument("x", "x") + argument("shape", "s") + field(3, port("m", [2, 2]))

  private static func product(_ other: String) -> [UInt8] {
    text(1, "matmul") + argument("x", "m") + argument("y", other) + field(3, port("y", [2, 2]))
  }

  // MARK: Networks and trees

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
