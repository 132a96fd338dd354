import Apus
import ApusGraph
import ApusMedia

/// A detector or a classifier of any format, fed with pictures as what is made of it here feeds it: ``Detector``, or
/// ``PictureClassifier``.
package struct PictureFeed: Sendable {
  /// What finds objects with the model; nil for a classifier.
  package let detector: Detector?
  /// How a picture becomes the model's input, and what that rests on.
  package let preparation: PicturePreparation
  private let graph: PictureGraph

  /// - Parameters:
  ///   - file: where the model lies; what lies beside it counts.
  ///   - layout: how the output of a detector is laid out, where the caller says it.
  ///   - stated: what the caller says of its pictures.
  /// - Returns: nil for a model that is neither, as far as its inputs and outputs show.
  /// - Throws: ``DetectorError`` for a model whose outputs are not of the stated layout, and for pictures that lose their
  ///   proportions; ``PictureModelError`` for a size that the model does not take, and for a configuration beside the
  ///   file that cannot be read; ``FileError``.
  package init?(
    _ model: any GraphModel, file: String, layout: DetectionLayout? = nil,
    stated: PictureStatement = PictureStatement()
  ) throws {
    if let detector = try Self.detector(model, file, layout, stated), let graph = detector.graph {
      (self.detector, self.graph, preparation) = (detector, graph, detector.preparation)
      return
    }
    guard let graph = try? PictureGraph(model, file: file) else { return nil }
    let network = ClassifierNetwork(graph)
    preparation = try network.preparation(file: file, stated: stated)
    // Shapes may be known only when the network runs.
    guard (try? network(Tensor<Float>(zeros: preparation.input.shape))) != nil else { return nil }
    (detector, self.graph) = (nil, graph)
  }

  private static func detector(
    _ model: any GraphModel, _ file: String, _ layout: DetectionLayout?, _ stated: PictureStatement
  ) throws -> Detector? {
    var options = DetectorLoadingOptions()
    options.layout = layout
    (options.inputWidth, options.inputHeight) = (stated.width, stated.height)
    (options.normalization, options.colorOrder, options.fit) = (stated.normalization, stated.order, stated.fit)
    do {
      let detector = try Detector(model, file: file, options: options)
      // A classifier of seven classes has such an output as well.
      let isClear =
        layout != nil || detector.format.layout != .endToEndBatch
        || detector.graph?.contains(operator: "NonMaxSuppression") == true
      return isClear ? detector : nil
    } catch let error as DetectorError {
      guard layout == nil else { throw error }
      guard case .badOption = error.reason, stated != PictureStatement() else { return nil }
      // Options that no detector takes are for a classifier, unless the model is a detector without them.
      guard try self.detector(model, file, nil, PictureStatement()) == nil else { throw error }
      return nil
    } catch {
      if layout != nil { throw error }
      return nil
    }
  }

  /// What the model is fed for a picture.
  /// - Throws: ``ImageError``, ``TensorError``.
  package func inputs(for image: Image<UInt8>) throws -> [String: GraphValue] {
    try graph.inputs(for: preparation.input.tensor(image))
  }
}
