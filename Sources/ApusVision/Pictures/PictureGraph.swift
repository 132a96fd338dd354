import Apus
import ApusFormats
import ApusGraph
import ApusMedia

/// A model of any format that takes one picture and nothing else.
struct PictureGraph: Sendable {
  private(set) var session: InferenceSession
  /// The one input without a default.
  let inputName: String
  /// Whether the input is `[1, height, width, 3]`; else `[1, 3, height, width]`.
  let isChannelsLast: Bool
  /// The sides of the input, where the model declares them.
  let height: Int?
  let width: Int?
  private let elementType: ElementType

  /// - Throws: ``PictureModelError`` for inputs that are not one picture of three channels; ``FileError``,
  ///   ``GraphError``, and the errors of the format's reader.
  init(path: String, precision: Execution.Precision, cacheFolder: String?) throws {
    try self.init(ModelFile.open(path), file: path, precision: precision, cacheFolder: cacheFolder)
  }

  /// - Parameter path: where the model lies.
  /// - Throws: as ``init(path:precision:cacheFolder:)``.
  init(
    _ model: any GraphModel, file path: String, precision: Execution.Precision = .fast, cacheFolder: String? = nil
  ) throws {
    let options = InferenceSession.Options(precision: precision, cacheFolder: cacheFolder)
    session = try InferenceSession(model, options: options)
    let graph = session.graph
    let inputs = graph.requiredInputs.map { graph.values[$0] }
    guard let input = inputs.first, inputs.count == 1 else {
      throw PictureModelError("\(path): the model has \(inputs.count) inputs; one picture was expected")
    }
    guard case .tensor(let elementType, let dimensions?)? = input.type, dimensions.count == 4 else {
      throw PictureModelError(
        "\(path): the input \"\(input.name)\" is \(input.type.map { "\($0)" } ?? "of no declared type"); a picture, "
          + "[1, 3, height, width] or [1, height, width, 3], was expected")
    }
    guard let axes = PictureAxes(dimensions) else {
      throw PictureModelError(
        "\(path): the input \"\(input.name)\" is \(dimensions); one picture, [1, 3, height, width] or "
          + "[1, height, width, 3], was expected")
    }
    let declared: PictureForm? =
      if case .picture(let form)? = session.model.form(of: input.name) { form } else { nil }
    isChannelsLast = axes.isChannelsLast
    // Of several sizes that a picture may have one is declared to count.
    (height, width) = (axes.height ?? declared?.size.height, axes.width ?? declared?.size.width)
    guard [nil, .float, .double, .float16, .bfloat16, .uint8].contains(elementType) else {
      throw PictureModelError(
        "\(path): the input \"\(input.name)\" takes \(elementType.map { "\($0)" } ?? "?"); floating-point numbers or "
          + "UINT8 were expected")
    }
    self.elementType = elementType ?? .float
    inputName = input.name
  }

  /// What exporters wrote into the file.
  var metadata: [String: String] {
    session.model.metadata
  }

  /// The same with another model, which has the same inputs and outputs.
  func running(_ model: any GraphModel) throws -> PictureGraph {
    var other = self
    other.session = try InferenceSession(model, options: session.options)
    return other
  }

  /// What the model is fed: the picture, in the layout that the input asks for, as numbers of its type.
  func inputs(for picture: Tensor<Float>) throws -> [String: GraphValue] {
    let input: GraphValue =
      switch elementType {
      case .double: try GraphValue(picture.converted(to: Double.self))
      case .bfloat16: try GraphValue(picture.converted(to: BFloat16.self))
      case .uint8: try GraphValue(picture.converted(to: UInt8.self))
      #if !(os(macOS) && arch(x86_64))
        case .float16: try GraphValue(picture.converted(to: Float16.self))
      #endif
      default: GraphValue(picture)
      }
    return [inputName: input]
  }

  /// Runs the model; the picture has the layout that the input asks for.
  /// - Parameter others: inputs that have defaults, by name.
  /// - Returns: the outputs that are numbers, in the model's order.
  func outputs(
    for picture: Tensor<Float>, with others: [String: GraphValue] = [:]
  ) throws -> [(name: String, tensor: Tensor<Float>)] {
    let values = try session.run(others.merging(inputs(for: picture)) { $1 })
    let graph = session.model.graph
    return try graph.outputs.compactMap { id in
      let name = graph.values[id].name
      guard case .tensor(let tensor)? = values[name] else { return nil }
      return (name, try tensor.converted(to: Float.self))
    }
  }

  /// What is known of the pictures that the model was trained with, the surest first.
  /// - Throws: ``PictureModelError`` for a configuration beside the file that cannot be read, ``FileError``.
  func clues(file: String) throws -> [PictureClue] {
    try PictureClue.all(of: session.model, input: inputName, file: file)
  }

  /// What the columns of an output that is a table are called; nil where the file does not say.
  var columnLabels: [String]? {
    let graph = session.model.graph
    return graph.outputs.lazy.compactMap { id -> [String]? in
      if case .table(let labels)? = session.model.form(of: graph.values[id].name) { labels } else { nil }
    }.first
  }

  /// Whether the graph has an operator of this name.
  func contains(operator name: String) -> Bool {
    session.model.graph.nodes.contains { $0.operatorName.type == name }
  }
}

/// Why a model cannot be given a picture.
public struct PictureModelError: ApusError, Hashable, Sendable, CustomStringConvertible {
  /// The file, what its model takes, and what was expected.
  public let description: String

  init(_ description: String) { self.description = description }
}

extension PictureModelError {
  /// ``Fault/data``: the model takes no picture.
  public var fault: Fault { .data }
}
