import Apus
import ApusMedia
import ApusMotion

/// The files that a stream of behaviours goes to: a table as it comes, an overlay as it comes, and what a page needs,
/// which is kept only where there is one.
struct BehaviorFiles {
  let areWanted: Bool
  private let results: ReportOptions
  private let rows: RowFile?
  private let isOfSegments: Bool
  private let source: String
  private var result: BehaviorResult?
  private var pictures: BehaviorPictures?
  private let recorder: SessionRecorder?
  /// The table of predictions that a session keeps.
  private var table: String

  /// - Parameters:
  ///   - rows: the table, where one was asked for.
  ///   - source: what a page calls the input.
  ///   - recorder: keeps the run, where that is wanted.
  init(
    _ options: BehaviorOutputOptions, rows: RowFile?, info: BehaviorModelInfo, settings: BehaviorSettings,
    isOfSegments: Bool, source: String, recorder: SessionRecorder?
  ) throws {
    results = options.files
    self.rows = rows
    self.source = source
    areWanted = options.areWanted
    self.isOfSegments = isOfSegments
    self.recorder = recorder
    pictures = try BehaviorPictures(
      frames: options.frames, results: options.files, settings: settings, recorder: recorder)
    if options.files.needsResult {
      result = try BehaviorResult(info: info, settings: settings)
    }
    let header = BehaviorCSV.predictionHeader(labels: info.labels)
    table = header + "\n"
    try rows?.line(isOfSegments ? BehaviorCSV.segmentHeader : header)
  }

  mutating func add(_ event: BehaviorEvent) throws {
    result?.push(event)
    guard case .prediction(let prediction) = event, recorder != nil || !isOfSegments && rows != nil else { return }
    let row = BehaviorCSV.row(prediction)
    if !isOfSegments { try rows?.line(row) }
    if recorder != nil { table += row + "\n" }
  }

  func add(_ segment: BehaviorSegment) throws {
    if isOfSegments { try rows?.line(BehaviorCSV.row(segment)) }
  }

  mutating func add(
    _ frame: PoseFrame, prediction: BehaviorPrediction?, isAfterGap: Bool, stream: BehaviorStream
  ) throws {
    try pictures?.add(frame, prediction: prediction, isAfterGap: isAfterGap, stream: stream)
  }

  /// Hands on the rows so far, for readers that follow them, and for the case that nothing follows.
  func flush() throws { try rows?.flush() }

  /// Ends the overlay, and writes charts, report and session.
  /// - Parameter failure: what the input broke off with.
  mutating func close(_ summary: BehaviorStreamSummary, failure: CommandFailure?) throws {
    try pictures?.close(frameCount: summary.frames)
    result?.finish(summary)
    guard let result else { return }
    try results.writeCharts(BehaviorCharts(result).all)
    let page = try results.writeReport(
      BehaviorPage(result, source: source, pictures: pictures?.pictures(of: result) ?? []).html)
    try recorder?.finish(result.kept(predictions: table, page: page), failure: failure)
  }
}
