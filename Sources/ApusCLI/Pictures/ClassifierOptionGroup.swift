import Apus
import ApusMedia
import ApusVision
import ArgumentParser

/// What a classifier of pictures wants, and what its numbers are.
struct ClassifierOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The side of the network's input, where the model leaves it open.", valueName: "pixels"))
  var size: Int?

  @OptionGroup var numbers: NormalizationOptions

  @Option(
    help: ArgumentHelp(
      "What the classes are called: a name a line, or JSON; as the model or config.json beside it says, else ImageNet's "
        + "names where there are 1000 classes.", valueName: "file"),
    completion: .files(.labels))
  var labels: String?

  @Option(
    help: ArgumentHelp(
      "What the network's numbers are: probabilities, logits of them, or auto: as its last operator or they themselves "
        + "show.", valueName: "scale"))
  var scores = ScoresArgument.auto

  @Option(help: "fast, or exact: what direct evaluation gives, bit for bit.")
  var precision = Execution.Precision.fast

  @OptionGroup var cache: CacheOptions

  var options: PictureClassifier.Options {
    get throws {
      var options = PictureClassifier.Options()
      options.side = size
      options.normalization = numbers.normalization
      options.labels = try labels.map { try ClassLabels(path: $0) }
      options.scores = scores.scale
      options.precision = precision
      options.cacheFolder = cache.folder
      return options
    }
  }

  /// Adds what is read and written to a plan.
  func plan(_ files: inout FilePlan) {
    files.reads(labels, as: "--labels")
    cache.plan(&files)
  }

  /// Says what was assumed of a model's pictures, and what it asks for in vain, if anything.
  func warn(of preparation: PicturePreparation, _ model: String) {
    numbers.warn()
    if let doubt = preparation.doubt { ErrorOutput.warning("\(model): \(doubt)") }
    guard preparation.isAssumed else { return }
    ErrorOutput.warning(
      "\(model): nothing says how it wants its pictures; they are brought to \(preparation.summary). If that is "
        + "wrong, so is every answer: --mean and --std say it")
  }
}
