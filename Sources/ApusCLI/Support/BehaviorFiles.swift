import Apus
import ApusMedia
import ApusModels
import ApusMotion

/// The files that a stream of behaviours goes to: a table as it comes, an overlay as it comes, and what a report needs,
/// which is kept only where there is one.
struct BehaviorFiles {
  let areWanted: Bool
  private let results: ReportOptions
  private let rows: RowFile?
  private let isOfSegments: Bool
  private let source: String
  private var course: BehaviorCourse?
  private var pictures: BehaviorPictures?

  /// - Parameters:
  ///   - rows: the table, where one was asked for.
  ///   - source: what a report calls the input.
  init(
    _ options: BehaviorOutputOptions, rows: RowFile?, info: BehaviorModelInfo, options stream: BehaviorOptions,
    segments: BehaviorSegmentArguments, source: String
  ) throws {
    results = options.files
    self.rows = rows
    self.source = source
    areWanted = options.areWanted
    isOfSegments = segments.segments
    pictures = try BehaviorPictures(frames: options.frames, results: options.files, options: stream)
    if options.files.needsCourse {
      course = try BehaviorCourse(info: info, options: stream, segmentOptions: segments.options)
    }
    try rows?.line(
      isOfSegments ? BehaviorCSV.segmentHeader : BehaviorCSV.predictionHeader(labels: info.labels))
  }

  mutating func add(_ event: BehaviorEvent) throws {
    course?.push(event)
    if !isOfSegments, case .prediction(let prediction) = event { try rows?.line(BehaviorCSV.row(prediction)) }
  }

  func add(_ segment: BehaviorSegment) throws {
    if isOfSegments { try rows?.line(BehaviorCSV.row(segment)) }
  }

  mutating func add(
    _ frame: PoseFrame, prediction: BehaviorPrediction?, isAfterGap: Bool, stream: BehaviorStream
  ) throws {
    try pictures?.add(frame, prediction: prediction, isAfterGap: isAfterGap, stream: stream)
  }

  /// Ends the overlay, and writes report and charts.
  mutating func close(_ summary: BehaviorStreamSummary) throws {
    try pictures?.close(frameCount: summary.frames)
    course?.finish(summary)
    guard let course else { return }
    try results.writeReport(
      BehaviorReport(course, source: source, pictures: pictures?.pictures(of: course) ?? []).html)
    try results.writeCharts(BehaviorCharts(course).all)
  }
}
