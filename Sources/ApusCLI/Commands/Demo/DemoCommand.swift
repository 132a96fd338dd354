import Apus
import ApusMotionModels
import ApusNetworks
import ApusText
import ArgumentParser

struct DemoCommand: WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Check this installation and classify the sample clips.",
    discussion: """
      On one page: what Apus found on this machine; every model that ships, held against its golden outputs; the \
      sample clips, classified; a rendered squat, followed from its pixels; two arms held out, one of which sinks; and a \
      keyboard's suggestions. The clips and the arms are synthetic motion, and so is all that the classifier has \
      learned; the detector has seen rendered gyms only, and the keyboard has learned from made-up messages.

      Ends with 0 when everything is as it should be, with 1 when something is not.
      """)

  @Flag(help: "Print one line of JSON.")
  var json = false

  var files: FilePlan {
    var files = FilePlan()
    let samples = [SampleClips.file, SampleArms.file, SampleLift.file("squat"), LanguageModelOptions.shippedFile]
    let folders = samples.compactMap { try? WeightsLocator().path(of: $0) }.map { parentFolder(of: $0) }
    for path in trained.flatMap({ $0.files() }) + folders { files.reads(path, as: "what ships,") }
    return files
  }

  /// The networks without weights of their own are for `apus verify`: they would fill pages.
  private var trained: [ShippedModel] { ShippedModel.all.filter { $0.weights != nil } }

  func run() throws {
    let verification = VerificationReport(try trained.flatMap { try $0.verify() })
    let clips = try SampleClips().classify(with: BehaviorModel.shipped())
    let report = DemoReport(
      verification: verification, clips: clips, lifts: try ["squat"].compactMap { try SampleLift(name: $0)?.analyze() },
      arms: try SampleArms()?.analyze(), keyboard: try keyboard())
    try Output.write(json ? jsonText(report) + "\n" : report.text)
    if !report.isEqual { throw CommandStatus.different }
  }

  /// Suggestions of the model that ships; none where a folder of weights has no such model.
  private func keyboard() throws -> [SuggestionReport] {
    guard let configuration = try? WeightsLocator().path(of: LanguageModelOptions.shippedFile) else { return [] }
    let suggester = try KeyboardSuggester(folder: parentFolder(of: configuration))
    return try ["how are ", "see you tom", "thank you so ", "i will be there in ten "].map {
      SuggestionReport(text: $0, try suggester.suggestions(for: KeyboardRequest($0)))
    }
  }
}
