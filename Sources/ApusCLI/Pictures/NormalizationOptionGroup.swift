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
    guard std?.values.allSatisfy({ $0 != 0 }) ?? true else {
      throw ValidationError("--std: nothing can be divided by 0.")
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
