import ApusMedia
import ArgumentParser

/// Which numbers the bytes of a picture become.
struct NormalizationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What is subtracted from red, green, blue, 0 to 1; as the model or what lies beside it says, else as is usual.",
      valueName: "r,g,b"))
  var mean: NumbersArgument?

  @Option(help: ArgumentHelp("What they are divided by after that; likewise.", valueName: "r,g,b"))
  var std: NumbersArgument?

  func validate() throws {
    for case (let name, let numbers?) in [("--mean", mean), ("--std", std)] where numbers.values.count != 3 {
      throw ValidationError("\(name): three numbers, for red, green and blue, were expected.")
    }
    guard mean?.values.allSatisfy({ 0...1 ~= $0 }) ?? true else {
      throw ValidationError("--mean: 0 to 1 was expected; of a mean on the scale 0 to 255 the 255th part.")
    }
    guard std?.values.allSatisfy({ $0 != 0 }) ?? true else {
      throw ValidationError("--std: nothing can be divided by 0.")
    }
  }

  /// Says what was taken for the one of the two that is missing.
  func warn() {
    func list(_ values: [Float]) -> String { values.map { "\($0)" }.joined(separator: ",") }
    let usual = ImageNormalization.imageNet
    if mean != nil, std == nil {
      ErrorOutput.warning("--mean without --std: ImageNet's, \(list(usual.deviation)), is taken")
    }
    if std != nil, mean == nil {
      ErrorOutput.warning("--std without --mean: ImageNet's, \(list(usual.mean)), is taken")
    }
  }

  /// What is said of it; of the two ImageNet's where only one is. Nil where neither is.
  var normalization: ImageNormalization? {
    guard mean != nil || std != nil else { return nil }
    let usual = ImageNormalization.imageNet
    return ImageNormalization(mean: mean?.values ?? usual.mean, deviation: std?.values ?? usual.deviation)
  }
}

/// Numbers separated by commas.
struct NumbersArgument: ExpressibleByArgument {
  var values: [Float]

  init(_ values: [Float]) { self.values = values }

  init?(argument: String) {
    let values = argument.split(separator: ",", omittingEmptySubsequences: false).map {
      Float(String($0.filter { $0 != " " }))
    }
    guard values.allSatisfy({ $0?.isFinite == true }) else { return nil }
    self.values = values.compactMap { $0 }
  }

  var defaultValueDescription: String { values.map { "\($0)" }.joined(separator: ",") }
}
