import Apus
import ApusGraph
import ApusMedia
import ApusNetworks

/// A network that turns a picture into a number for each class.
enum ClassifierNetwork: Sendable {
  case layers(any ImageClassifier<Float>, Execution.Precision)
  /// With the output that has a number for each class, where it is known before the graph runs.
  case graph(PictureGraph, classes: String?)

  /// Reads a model, or safetensors; the names of the parameters say which network they belong to.
  /// - Throws: ``PictureModelError`` for a file of no known network, and the errors of the files' readers.
  init(path: String, precision: Execution.Precision, cacheFolder: String?) throws {
    guard try FileFormat(of: path) == .safetensors else {
      try self.init(PictureGraph(path: path, precision: precision, cacheFolder: cacheFolder))
      return
    }
    let file = try SafetensorsFile(path: path)
    let configuration = try ImageClassifierConfiguration(metadata: file.metadata, file: path)
    let weights = Weights(file)
    guard let kind = Kind.all.first(where: { weights.contains($0.parameter) }) else {
      let known = Kind.all.map(\.parameter).joined(separator: ", ")
      throw PictureModelError("\(path): not the parameters of a known classifier: of \(known) there must be one")
    }
    self = .layers(try kind.network.init(weights, configuration: configuration), precision)
  }

  init(_ model: PictureGraph) { self = .graph(model, classes: model.classOutput) }

  /// A kind of network, and a parameter that no other kind has.
  private struct Kind {
    let parameter: String
    let network: any ImageClassifier<Float>.Type

    static var all: [Kind] {
      [
        Kind(parameter: "layer1.0.conv1.weight", network: ResNet<Float>.self),
        Kind(parameter: "features.0.0.weight", network: MobileNetV2<Float>.self),
        Kind(parameter: "Conv2d_1a_3x3.conv.weight", network: InceptionV3<Float>.self),
      ]
    }
  }

  /// What keeping laid-out weights was worth; nil for a network without a cache.
  var cacheUse: InferenceSession.CacheUse? {
    if case .graph(let model, _) = self { model.session.cacheUse } else { nil }
  }

  /// The paths of the files beside the model's own that hold tensors of it.
  var externalFiles: [String] {
    if case .graph(let model, _) = self { model.session.model.externalFiles } else { [] }
  }

  /// The sides of a picture, where the file says.
  var declaredSize: (width: Int?, height: Int?) {
    if case .graph(let model, _) = self { (model.width, model.height) } else { (nil, nil) }
  }

  /// The side of a picture that such a network is usually trained with.
  var usualSide: Int {
    if case .layers(let network, _) = self, network is InceptionV3<Float> { 299 } else { 224 }
  }

  var isChannelsLast: Bool {
    if case .graph(let model, _) = self { model.isChannelsLast } else { false }
  }

  /// What is known of the pictures that the network was trained with, the surest first.
  /// - Throws: ``PictureModelError`` for a configuration beside the file that cannot be read, ``FileError``.
  func clues(file: String) throws -> [PictureClue] {
    if case .graph(let model, _) = self { return try model.clues(file: file) }
    return try [PictureClue(besideModel: file)].compactMap(\.self)
  }

  /// What the file itself calls the classes.
  var labels: [String]? {
    guard case .graph(let model, let classes) = self else { return nil }
    return classes.flatMap(model.keys)
      ?? model.metadata["names"].flatMap { text in
        var reader = LiteralReader(text)
        return try? reader.names()
      }
  }

  /// What the numbers are, where the file shows it: a layer network ends before its softmax; of a graph the last
  /// operator says it.
  var scale: ScoreScale? {
    switch self {
    case .layers: .logits
    case .graph(let model, let classes):
      classes.flatMap { ScoreScale(ofOutput: $0, in: model.session.model.graph) }
    }
  }

  /// The numbers of a picture's classes.
  /// - Throws: ``PictureModelError`` for a model with other outputs.
  func callAsFunction(_ picture: Tensor<Float>) throws -> [Float] {
    switch self {
    case .layers(let network, let precision):
      return try Execution.with(precision: precision) { try network(picture).elements }
    case .graph(let model, let classes):
      let outputs = try model.outputs(for: picture).filter { classes == nil || $0.name == classes }
      guard let numbers = outputs.first?.tensor, outputs.count == 1, numbers.count == numbers.shape.max() else {
        throw PictureModelError(
          "the model gives \(outputs.map { "\"\($0.name)\" \($0.tensor.shape)" }.joined(separator: ", ")); one number "
            + "for each class, [1, classes], was expected")
      }
      return try numbers.elements
    }
  }
}

extension ClassifierNetwork {
  /// How a picture becomes the network's input. Unless something says otherwise it is cut to the largest square in its
  /// middle, and brought to ImageNet's mean and deviation.
  ///
  /// - Throws: ``PictureModelError`` for a size that the model does not take, and for a configuration beside the file
  ///   that cannot be read; ``FileError``.
  func preparation(file: String, stated: PictureStatement) throws -> PicturePreparation {
    let clues = try clues(file: file)
    let declared = declaredSize
    let written = clues.first { $0.width != nil }
    func side(_ declared: Int?, _ asked: Int?, _ written: Int?) throws -> Int {
      let side = asked ?? usualSide
      guard 1...PicturePreparation.longestSide ~= side else {
        throw PictureModelError(
          "\(file): a picture of \(side) pixels; 1 to \(PicturePreparation.longestSide) were expected")
      }
      if let declared, let asked, declared != asked {
        throw PictureModelError("\(file): the model takes pictures of \(declared) pixels; it cannot be \(asked)")
      }
      return declared ?? asked ?? written ?? side
    }
    let usual = ImageInput(
      width: try side(declared.width, stated.width, written?.width),
      height: try side(declared.height, stated.height, written?.height), fit: .centerCrop,
      filter: .antialiasedBilinear, layout: isChannelsLast ? .nhwc : .nchw, normalization: .imageNet)
    var own = stated.clue
    // What a model does with bytes itself is nobody else's to say.
    if clues.first?.origin == .declared { (own.normalization, own.order) = (nil, nil) }
    return PicturePreparation(usual: usual, of: "a classifier of torchvision", clues: [own] + clues)
  }
}

extension PictureGraph {
  /// The output that has a number for each class: numbers under the names of the classes, since the label beside them
  /// says nothing new; else the only output, or the one that is called `logits`.
  fileprivate var classOutput: String? {
    let graph = session.model.graph
    let names = graph.outputs.map { graph.values[$0].name }
    return names.first { keys($0) != nil } ?? (names.count == 1 ? names[0] : names.first { $0 == "logits" })
  }

  /// The names under which an output has its numbers; nil for an output that is no dictionary.
  fileprivate func keys(_ output: String) -> [String]? {
    guard case .dictionary(let keys)? = session.model.form(of: output) else { return nil }
    return switch keys {
    case .strings(let texts): texts.elements
    case .tensor(let numbers): try? numbers.converted(to: Int64.self).elements.map { "\($0)" }
    default: nil
    }
  }
}
