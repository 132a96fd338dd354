import Apus
import ApusGraph
import ApusNetworks

/// What a detector runs: a picture as numbers in, boxes as numbers out.
enum DetectorNetwork: Sendable {
  case yolo(YOLO<Float>, Execution.Precision)
  case graph(PictureGraph, BuiltInSuppression?)

  /// - Parameters:
  ///   - picture: `[1, 3, height, width]`.
  ///   - options: what the network drops of its own accord, if that can be said; as its file says when nil.
  /// - Returns: every output, by name.
  func callAsFunction(
    _ picture: Tensor<Float>, options: DetectionOptions? = nil
  ) throws -> [(name: String, tensor: Tensor<Float>)] {
    switch self {
    case .yolo(let network, let precision):
      [("output", try Execution.with(precision: precision) { try network(picture) })]
    case .graph(let model, let suppression):
      try model.outputs(for: picture, with: options.flatMap { try suppression?.inputs(for: $0) } ?? [:])
    }
  }

  /// The options that the model's file asks for.
  var options: DetectionOptions {
    if case .graph(_, let suppression?) = self { suppression.options } else { DetectionOptions() }
  }

  /// What keeping laid-out weights was worth; nil for a network without a cache.
  var cacheUse: InferenceSession.CacheUse? {
    if case .graph(let model, _) = self { model.session.cacheUse } else { nil }
  }

  /// The paths of the files beside the model's own that hold tensors of it.
  var externalFiles: [String] {
    switch self {
    case .yolo: []
    case .graph(let model, _): model.session.model.externalFiles
    }
  }
}
