import Apus

/// The file that a model's messages are read from, with the weights beside it.
final class CoreMLSource: ProtobufSource {
  let file: MappedFile
  /// nil for a model that is a single file.
  let weights: WeightFiles?

  init(file: MappedFile, weights: WeightFiles? = nil) {
    self.file = file
    self.weights = weights
  }
}
