import Apus
import ApusMedia
import ApusMotion
import ApusVision
import ArgumentParser

struct PoseCommand: WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "pose",
    abstract: "Find the joints of people or animals in pictures and videos.",
    discussion: """
      Any YOLO that finds poses, as .onnx or Core ML; without --model the detector that ships, for people in a gym. INPUT is as \
      for 'apus detect'.

      OUTPUT is a line of JSON for each frame, for a program that measures: of people what 'apus detect --json' prints, \
      which 'apus arm-drift' reads, and 'apus barpath --detections' where plates are found too; of an animal what 'apus \
      behavior' reads: t, width, height, space, keypoints, 24 points of a dog as [x, y, confidence] or null, of the animal with \
      the highest score, and points, all that the model finds under its own names. --csv writes a table as well: of the \
      person or the animal with the highest score x, y and confidence of each point, empty where there is none.

      What the points are called is read from the model (kpt_names), or is COCO's where there are 17 of a person, and those \
      of AP-10K (17) or StanfordExtra (24) where an animal is found, which is said; --points says it.

      EXAMPLES
        ffmpeg -i arms.mp4 -pix_fmt yuv420p -f yuv4mpegpipe - | apus pose - --model yolo11n-pose.onnx | apus arm-drift -
        apus pose dog.y4m --model dog-pose.onnx | apus behavior -
        apus pose photos --model yolo11n-pose.onnx --csv joints.csv > joints.jsonl
      """)

  @Argument(
    help: "Pictures, a folder or .zip of them, a .y4m video, or - for standard input.",
    completion: .files(.pictures, .videos, .archives))
  var inputs: [String]

  @OptionGroup(title: "Network") var network: DetectorOptions

  @OptionGroup(title: "Boxes") var boxes: BoxOptions

  @Option(
    help: ArgumentHelp(
      "What the points are called: coco, stanford-extra, ap-10k, names separated by commas, or a file with a name a line.",
      valueName: "names"))
  var points: String?

  @OptionGroup(title: "Pictures") var pictures: PictureOptions

  @Option(
    help: ArgumentHelp("Write a table, a row a frame.", valueName: "file"), completion: .file(extensions: ["csv"]))
  var csv: String?

  @Flag(help: "Print JSON, as without it: there is nothing else.")
  var json = false

  func validate() throws {
    if inputs.isEmpty { throw ValidationError("Missing expected argument '<inputs> ...', pictures or '-'.") }
  }

  var files: FilePlan {
    var files = FilePlan()
    for input in inputs { files.readsPictures(input, as: "the input") }
    network.plan(&files)
    if let points { PosePoints.plan(points, &files) }
    pictures.plan(&files)
    files.writes(csv, as: "--csv")
    return files
  }

  func run() throws {
    let detector = try network.detector()
    defer { network.cache.warn(detector.cacheUse) }
    let options = try boxes.options(of: detector)
    let joints = try PosePoints(of: detector, stated: points)
    if let assumed = joints.assumed { ErrorOutput.warning("\(detector.file): \(assumed)") }
    var source = try PictureSource(inputs, options: pictures)
    var unread = UnreadPictures()
    var progress = ProgressBar(total: source.total)
    defer { progress?.clear() }
    try RowFile.create(at: csv) { table in
      try table?.line(joints.header)
      while let picture = try source.nextPicture(&unread, clearing: &progress) {
        let found = try detector.detections(in: picture.image, options: options)
        progress?.clear()
        try Output.line(joints.line(found, in: picture, by: detector))
        if source.total == nil { try Output.flush() }
        try table?.line(joints.row(found, in: picture))
        progress?.update(
          picture.index + 1,
          note: source.total.map { "\(picture.index + 1) of \($0) pictures" } ?? "\(picture.index + 1) frames")
      }
    }
    try unread.check()
  }
}
