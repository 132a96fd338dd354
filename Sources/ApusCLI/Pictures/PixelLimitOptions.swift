import ApusMedia
import ArgumentParser

/// `--max-pixels`.
struct PixelLimitOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The most pixels of a picture; larger ones are refused.", valueName: "n"))
  var maxPixels = ImageLimits.default.pixels

  func validate() throws {
    guard maxPixels > 0 else { throw ValidationError("--max-pixels \(maxPixels): a number above 0 was expected.") }
  }

  var limits: ImageLimits { ImageLimits(pixels: maxPixels) }
}
