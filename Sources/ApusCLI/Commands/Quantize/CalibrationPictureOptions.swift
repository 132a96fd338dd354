import ApusMedia
import ApusVision
import ArgumentParser

extension ImageInput.Fit: ExpressibleByArgument {}

/// How pictures are prepared for a model, where the model does not say it.
struct CalibrationPictureOptions: ParsableArguments {
  @OptionGroup var numbers: NormalizationOptions

  @Option(
    help: ArgumentHelp(
      "The numbers that the network wants, in place of --mean and --std: 1 for 0 to 1, 255 for 0 to 255 (--range of "
        + "'detect').", valueName: "most"))
  var pixels: Int?

  @Option(help: ArgumentHelp("The order of colours that the network wants: rgb, or bgr.", valueName: "order"))
  var colors: ColorOrder?

  @Option(
    help: ArgumentHelp(
      "What becomes of a picture of other proportions: stretch, letterbox, letterbox-top-left, center-crop.",
      valueName: "fit"))
  var fit: ImageInput.Fit?

  @Option(help: ArgumentHelp("The network's input, where the model leaves it open.", valueName: "WxH"))
  var size: SizeArgument?

  @Option(
    help: ArgumentHelp(
      "Of a detector: how its output is laid out, where shapes and metadata do not say (as for 'detect').",
      valueName: "layout"))
  var layout: DetectionLayout?

  func validate() throws {
    guard let pixels else { return }
    guard [1, 255].contains(pixels) else { throw ValidationError("--pixels \(pixels): 1 or 255 was expected.") }
    guard numbers.mean == nil, numbers.std == nil else {
      throw ValidationError("--pixels and --mean or --std exclude each other.")
    }
  }

  var stated: PictureStatement {
    var stated = PictureStatement(
      normalization: numbers.normalization ?? pixels.map { $0 == 255 ? .bytes : .unit }, width: size?.width,
      height: size?.height)
    (stated.order, stated.fit) = (colors, fit)
    return stated
  }
}
