import Apus
import ApusMedia
import ApusNetworks

/// A network that turns a picture into a number for each class.
enum ClassifierNetwork: Sendable {
  case layers(any ImageClassifier<Float>, Execution.Precision)
  case graph(PictureGraph)

  /// Reads a model, or safetensors; the names of the parameters say which network they belong to.
  /// - Throws: ``PictureModelError`` for a file of no known network, and the errors of the files' readers.
  init(path: String, precision: Execution.Precision) throws {
    guard try FileFormat(of: path) == .safetensors else {
      self = .graph(try PictureGraph(path: path, precision: precision))
      return
    }
    let file = try SafetensorsFile(path: path)
    let configuration = try ImageClassifierConfiguration(metadata: file.metadata, file: path)
    let weights = Weights(file)
    let kinds: [(String, any ImageClassifier<Float>.Type)] = [
      ("layer1.0.conv1.weight", ResNet<Float>.self), ("features.0.0.weight", MobileNetV2<Float>.self),
      ("Conv2d_1a_3x3.conv.weight", InceptionV3<Float>.self),
    ]
    guard let (_, kind) = kinds.first(where: { weights.contains($0.0) }) else {
      throw PictureModelError(
        "\(path): not the parameters of a known classifier: of \(kinds.map(\.0).joined(separator: ", ")) there must be "
          + "one")
    }
    self = .layers(try kind.init(weights, configuration: configuration), precision)
  }

  /// The sides of a picture, where the file says.
  var declaredSize: (width: Int?, height: Int?) {
    if case .graph(let model) = self { (model.width, model.height) } else { (nil, nil) }
  }

  /// The side of a picture that such a network is usually trained with.
  var usualSide: Int {
    if case .layers(let network, _) = self, network is InceptionV3<Float> { 299 } else { 224 }
  }

  var isChannelsLast: Bool {
    if case .graph(let model) = self { model.isChannelsLast } else { false }
  }

  /// What is known of the pictures that the network was trained with, the surest first.
  /// - Throws: ``PictureModelError`` for a configuration beside the file that cannot be read, ``FileError``.
  func clues(file: String) throws -> [PictureClue] {
    if case .graph(let model) = self { return try model.clues(file: file) }
    return try [PictureClue(besideModel: file)].compactMap(\.self)
  }

  /// The numbers of a picture's classes.
  /// - Throws: ``PictureModelError`` for a model with other outputs.
  func callAsFunction(_ picture: Tensor<Float>) throws -> [Float] {
    switch self {
    case .layers(let network, let precision):
      return try Execution.with(precision: precision) { try network(picture).elements }
    case .graph(let model):
      let all = try model.outputs(for: picture)
      // A classifier's label, which may be a number, says nothing new.
      let named = all.filter { model.isDictionary($0.name) }
      let outputs = named.isEmpty ? all : named
      guard let classes = outputs.first?.tensor, outputs.count == 1, classes.count == classes.shape.last else {
        throw PictureModelError(
          "the model gives \(outputs.map { "\"\($0.name)\" \($0.tensor.shape)" }.joined(separator: ", ")); one number "
            + "for each class, [1, classes], was expected")
      }
      return try classes.elements
    }
  }
}
