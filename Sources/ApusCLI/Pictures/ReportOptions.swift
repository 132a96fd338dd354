import ApusMedia
import ArgumentParser

/// Where reports, charts and frames that were drawn on go; the same for every analysis over time.
struct ReportOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("A page with summary, charts and frames.", valueName: "file"),
    completion: .file(extensions: ["html"]))
  var report: String?

  @Option(help: ArgumentHelp("A folder for the charts, as .svg and .png.", valueName: "folder"), completion: .directory)
  var charts: String?

  @Option(
    help: ArgumentHelp("Every frame with what was found drawn on it: a folder, or a .y4m video.", valueName: "out"),
    completion: .file())
  var overlay: String?

  @Option(help: ArgumentHelp("The charts' colours on .png: light or dark. (default: light)", valueName: "theme"))
  var theme: String?

  @OptionGroup var kept: SessionOptions

  func validate() throws {
    if let theme {
      guard Theme.all.contains(where: { $0.name == theme }) else {
        throw ValidationError("--theme \(theme): light or dark was expected.")
      }
      if charts == nil {
        throw ValidationError("--theme needs --charts: reports are for light and dark screens alike.")
      }
    }
  }

  /// Adds what is written to a plan.
  func plan(_ files: inout FilePlan) {
    files.writes(report, as: "--report", endings: FileKind.pages.extensions)
    files.writes(charts, as: "--charts", .folder)
    files.writesPictures(overlay, as: "--overlay", .pictures)
    kept.plan(&files)
  }

  /// Whether there is going to be a page, as a file or inside a session.
  var needsPage: Bool { report != nil || kept.isWanted }

  /// Whether a whole recording must be kept for what was asked for.
  var needsResult: Bool { needsPage || charts != nil }

  /// Makes the page, if there is going to be one, and writes it where a file was named.
  /// - Returns: the page; empty where there is none.
  func writeReport(_ html: @autoclosure () throws -> String) throws -> String {
    guard needsPage else { return "" }
    let html = try html()
    if let report { try TextFile.write(html, to: report) }
    return html
  }

  /// Writes each chart as `NAME.svg` and `NAME.png`, if charts were asked for.
  func writeCharts(_ all: @autoclosure () -> [ReportFigure]) throws {
    guard let charts else { return }
    let theme = Theme.all.first { $0.name == self.theme } ?? .light
    let folder = try OutputFolder(path: charts)
    let files = try all().map { ($0, svg: try folder.file("\($0.name).svg"), png: try folder.file("\($0.name).png")) }
    for (chart, svg, png) in files {
      try TextFile.write(chart.wide.svg(), to: svg)
      try ImageFile.write(chart.wide.image(theme: theme), to: png)
    }
  }

  /// What a report calls an input.
  static func sourceName(_ path: String) -> String { path == "-" ? "standard input" : path }
}

/// The pictures that keypoints were found in.
struct FrameOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Pictures to draw on, for --overlay and --report: a folder or .zip with one for each frame, or a .y4m video, "
        + "whose pictures are found by their time.", valueName: "folder|video"),
    completion: .files(.videos, .archives))
  var frames: String?

  /// Adds the pictures to a plan.
  func plan(_ files: inout FilePlan) { files.readsPictures(frames, as: "--frames") }

  func validate(with results: ReportOptions) throws {
    if frames != nil, results.overlay == nil, !results.needsPage {
      throw ValidationError("--frames needs --overlay, --report or --session: something to draw.")
    }
  }
}
