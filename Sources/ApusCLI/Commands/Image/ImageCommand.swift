import Apus
import ApusMedia
import ArgumentParser

extension ResizeFilter: ExpressibleByArgument {}

struct ImageCommand: WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "image",
    abstract: "Convert a picture, and bring it to another size.",
    discussion: """
      IN is a PNG, JPEG, BMP or PPM file, by its contents, or - for standard input. OUT is written as the end of \
      its name says: .png, .jpg, .ppm, .pgm. A picture that its camera took lying on its side is turned; one with \
      16 bits per channel keeps them in .png, .ppm and .pgm when nothing else is done to it.

      What is done, in this order: --crop, then --resize or --letterbox, then --gray. --max-pixels bounds the picture \
      that is read, and the size that it is brought to.

      FILTERS
        nearest      the pixel at each place
        bilinear     the mean of two by two pixels (OpenCV's INTER_LINEAR); ragged when much smaller
        cubic        four by four, without antialiasing (PyTorch's bicubic)
        box, antialias, bicubic, lanczos   as Pillow's BOX, BILINEAR, BICUBIC, LANCZOS: every pixel has its part

      EXAMPLES
        apus image photo.jpg photo.png
        apus image photo.jpg small.jpg --resize 640x480 --quality 85
        apus image photo.jpg input.png --letterbox 640x640
        apus image photo.jpg face.png --crop 120,80,200,200
      """)

  @Argument(
    help: ArgumentHelp("A picture, or - for standard input.", valueName: "in"),
    completion: .files(.pictures))
  var input: String

  @Argument(
    help: ArgumentHelp("Where it goes.", valueName: "out"), completion: .files(.writtenPictures))
  var output: String

  @Option(help: ArgumentHelp("The part to keep: left, top, width, height in pixels.", valueName: "x,y,w,h"))
  var crop: NumbersArgument?

  @Option(help: ArgumentHelp("The size to bring it to, whatever its proportions.", valueName: "WxH"))
  var resize: SizeArgument?

  @Option(
    help: ArgumentHelp(
      "The size to fit it into, proportions kept, the rest grey, as detectors want it.", valueName: "WxH"))
  var letterbox: SizeArgument?

  @Option(help: ArgumentHelp("How pixels are made of those at their place.", valueName: "filter"))
  var filter: ResizeFilter?

  @Flag(help: "Without colours.")
  var gray = false

  @Option(help: ArgumentHelp("Quality of a JPEG file, 1 to 100.", valueName: "n"))
  var quality = 90

  @OptionGroup var pixelLimit: PixelLimitOptions

  @Flag(help: "Print one line of JSON: what was read and what was written.")
  var json = false

  func validate() throws {
    if resize != nil, letterbox != nil { throw ValidationError("--resize and --letterbox exclude each other.") }
    if filter != nil, resize == nil, letterbox == nil {
      throw ValidationError("--filter needs --resize or --letterbox.")
    }
    guard 1...100 ~= quality else { throw ValidationError("--quality \(quality): 1 to 100 was expected.") }
    let maxPixels = pixelLimit.maxPixels
    for (option, size) in [("--resize", resize), ("--letterbox", letterbox)] {
      // Sides are bounded, and their product cannot overflow.
      guard let size, size.width * size.height > maxPixels else { continue }
      throw ValidationError(
        "\(option) \(size.width)x\(size.height): \(size.width * size.height) pixels; --max-pixels allows \(maxPixels).")
    }
    if let crop, crop.values.count != 4 || !crop.values.allSatisfy({ $0 >= 0 && $0 < 1e9 && $0 == $0.rounded() }) {
      throw ValidationError("--crop: four integers, left,top,width,height, were expected.")
    }
  }

  var files: FilePlan {
    var files = FilePlan()
    files.reads(input, as: "the input")
    files.writes(output, as: "the output")
    return files
  }

  func run() throws {
    guard ImageFile.writableExtensions.contains(FileKind.fileExtension(output)) else {
      let endings = ImageFile.writableExtensions.map { "." + $0 }.joined(separator: ", ")
      throw CommandFailure(.usage, "\(output): is not written by its ending; one of \(endings) was expected")
    }
    let contents = try read()
    let isUntouched = crop == nil && resize == nil && letterbox == nil && !gray && contents.orientation == .upright
    if isUntouched, case .sixteen(let image) = contents.image, ImageFile.holdsSixteenBits(output, color: image.color) {
      try ImageFile.write(image, to: output)
      return try report(contents, width: image.width, height: image.height)
    }
    var image = contents.upright
    if let crop {
      let part = crop.values.map { Int($0) }
      image = try image.cropped(x: part[0], y: part[1], width: part[2], height: part[3])
    }
    if let resize {
      image = try image.resized(width: resize.width, height: resize.height, filter: filter ?? .antialiasedBicubic)
    } else if let letterbox {
      image = image.flattened()
      image = try Letterbox(
        imageWidth: image.width, imageHeight: image.height, width: letterbox.width, height: letterbox.height
      ).applied(to: image, filter: filter ?? .bilinear)
    }
    if gray { image = image.flattened().gray() }
    if image.color.hasAlpha, !ImageFile.holdsOpacity(output) { image = image.flattened() }
    try ImageFile.write(image, to: output, quality: quality)
    try report(contents, width: image.width, height: image.height)
  }

  private func read() throws -> ImageFile.Contents {
    guard input == "-" else { return try ImageFile.contents(path: input, limits: pixelLimit.limits) }
    let bytes = try ByteInput(path: "-").readAll(limit: 1 << 30)
    do {
      return try bytes.withUnsafeBytes { try ImageFile.decode($0, limits: pixelLimit.limits) }
    } catch let error as ImageError {
      throw CommandFailure(.badData, "standard input: \(error)")
    }
  }

  private struct Report: Encodable {
    var format: String
    var width: Int
    var height: Int
    var color: String
    var bits: Int
    var orientation: Int
    var output: String
    var outputWidth: Int
    var outputHeight: Int

    enum CodingKeys: String, CodingKey {
      case format, width, height, color, bits, orientation, output
      case outputWidth = "output_width"
      case outputHeight = "output_height"
    }
  }

  private func report(_ contents: ImageFile.Contents, width: Int, height: Int) throws {
    let image = contents.image
    let bits = if case .sixteen = image { 16 } else { 8 }
    if json {
      return try Output.line(
        jsonText(
          Report(
            format: contents.format.rawValue, width: image.width, height: image.height, color: image.color.rawValue,
            bits: bits, orientation: contents.orientation.rawValue, output: output, outputWidth: width,
            outputHeight: height)))
    }
    let turned = contents.orientation == .upright ? "" : ", turned upright"
    try Output.line(
      ErrorReport.oneLine(
        "\(output)  \(width) × \(height)  from \(contents.format), \(image.width) × \(image.height), \(image.color), "
          + "\(bits) bits\(turned)"))
  }
}
