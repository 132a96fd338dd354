import Apus
import ApusNetworks

/// What a detector runs: a picture as numbers in, boxes as numbers out.
enum DetectorNetwork: Sendable {
  case yolo(YOLO<Float>, Execution.Precision)
  case graph(PictureGraph)

  /// - Parameter picture: `[1, 3, height, width]`.
  /// - Returns: every output, by name.
  func callAsFunction(_ picture: Tensor<Float>) throws -> [(name: String, tensor: Tensor<Float>)] {
    switch self {
    case .yolo(let network, let precision):
      [("output", try Execution.with(precision: precision) { try network(picture) })]
    case .graph(let model):
      try model.outputs(for: picture)
    }
  }

  /// The paths of the files beside the model's own that hold tensors of it.
  var externalFiles: [String] {
    switch self {
    case .yolo: []
    case .graph(let model): model.session.model.externalFiles
    }
  }
}
