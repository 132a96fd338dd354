import Apus
import ApusVision
import ArgumentParser

struct BreedCommand: WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "breed",
    abstract: "Tell a dog's breed from a photo, with any classifier of ImageNet's classes.",
    discussion: """
      No weights ship for this. MODEL is an .onnx file, a Core ML model, or safetensors of a ResNet, MobileNetV2 or InceptionV3 with \
      torchvision's names, of ImageNet's 1000 classes (1001 with a background), of the 120 breeds alone, or of any \
      classes that it or --labels names as breeds are called.

      How the model wants its pictures is read from its metadata (Ultralytics', Image.* of ONNX, a Core ML image), from the \
      graph's first operators, or from preprocessor_config.json or timm's config.json beside it. Where nothing says it, \
      ImageNet's mean and deviation are assumed, and standard error says so.

      Unless told otherwise the picture is cut to the largest square in its middle and resampled once. The probabilities of the 120 breeds \
      among the classes are divided by their sum, dog_mass: below 0.3 there is probably no dog in the picture. Breeds \
      with at least 1 % are listed. With --json a line for each picture has them all, as label, display_name, api_path \
      (where dog.ceo has pictures; nothing is fetched) and probability.

      EXAMPLES
        apus breed dog.jpg --model resnet50.safetensors
        apus breed photos --model mobilenet_v2.onnx --mean 0.5,0.5,0.5 --std 0.5,0.5,0.5 --json
        apus breed --features features.npy --regression weights.safetensors
      """)

  @Argument(
    help: "Photos, a folder or .zip of them, or - for standard input.",
    completion: .files(.pictures, .archives))
  var images: [String] = []

  @Option(
    help: ArgumentHelp("The classifier: .onnx, .mlpackage, .mlmodel, .pt2 or .safetensors.", valueName: "file"),
    completion: .files(.models, .weights))
  var model: String?

  @OptionGroup(title: "Network") var network: ClassifierOptions

  @Option(help: ArgumentHelp("Breeds below are not listed; JSON has all.", valueName: "percent"))
  var minPercent = 1.0

  @Option(
    help: ArgumentHelp(
      "dog.ceo's answer to /api/breeds/list/all, for paths as they are now; else those of 2021.", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var breedList: String?

  @Option(
    help: ArgumentHelp("Numbers that something else has computed of a picture, as .npy.", valueName: "file"),
    completion: .file(extensions: ["npy"]))
  var features: String?

  @Option(
    help: ArgumentHelp("A logistic regression over them: weights [119, n] and offset [119].", valueName: "file"),
    completion: .files(.weights))
  var regression: String?

  @OptionGroup var pixelLimit: PixelLimitOptions

  @Flag(help: "Print JSON, one object a picture.")
  var json = false

  func validate() throws {
    guard (features == nil) == (regression == nil) else {
      throw ValidationError("--features and --regression need each other.")
    }
    if features != nil {
      guard images.isEmpty, model == nil else { throw ValidationError("--features takes no pictures and no --model.") }
    } else {
      if images.isEmpty { throw ValidationError("Missing expected argument '<images> ...', photos or '-'.") }
      if model == nil { throw ValidationError("Missing expected argument '--model <file>', a classifier.") }
    }
    guard 0...100 ~= minPercent else { throw ValidationError("--min-percent \(minPercent): 0 to 100 was expected.") }
  }

  var files: FilePlan {
    var files = FilePlan()
    for image in images { files.readsPictures(image, as: "the input") }
    files.readsModel(model, as: "--model")
    network.plan(&files)
    files.reads(breedList, as: "--breed-list")
    files.reads(features, as: "--features")
    files.reads(regression, as: "--regression")
    return files
  }

  func run() throws {
    let index = try breedList.map { path in
      do {
        return try DogPictureIndex(
          json: String(decoding: ByteInput(path: path).readAll(limit: 1 << 24), as: UTF8.self))
      } catch let error as JSONError {
        throw CommandFailure(.badData, "\(path): \(error)")
      } catch let error as BreedError {
        throw CommandFailure(.badData, "\(path): \(error)")
      }
    }
    if let features, let regression {
      let ranking = try BreedFeatureModel(path: regression)(Self.numbers(features))
      return try write(BreedReport(image: features, ranking, dogMass: nil, index: index))
    }
    guard let model else { return }
    let file = try modelFile(model)
    let classifier = try namingModel(file) { try BreedClassifier(path: file, options: network.options) }
    try CheckedFiles.current.addData(classifier.classifier.externalFiles)
    let preparation = classifier.preparation
    network.warn(of: preparation, model)
    defer { network.cache.warn(classifier.classifier.cacheUse) }
    var source = try PictureSource(images, limits: pixelLimit.limits)
    var unread = UnreadPictures()
    var progress = ProgressBar(total: source.total)
    defer { progress?.clear() }
    while let picture = try source.nextPicture(&unread, clearing: &progress) {
      progress?.clear()
      let found = try classifier(picture.image)
      var report = BreedReport(image: picture.name, found.ranking, dogMass: found.dogMass, index: index)
      report.explain(found, preparation)
      try write(report)
      progress?.update(picture.index + 1, note: "\(picture.index + 1) pictures")
    }
    try unread.check()
  }

  private func write(_ report: BreedReport) throws {
    if json { return try Output.line(jsonText(report)) }
    for line in report.rows(minimumPercent: minPercent) { try Output.line(line) }
  }

  private static func numbers(_ path: String) throws -> [Double] {
    guard let tensor = try NPYFile.read(path: path).tensor(as: Double.self, converting: true) else {
      throw CommandFailure(.badData, "\(path): numbers were expected")
    }
    return try tensor.elements
  }
}
