import Apus
import ApusVision

/// What `apus classify` says of a picture or a text: a line of JSON, or rows for people.
struct ClassificationReport: AnswerReport {
  struct Entry: Encodable {
    var name: String
    var index: Int
    var probability: Double

    enum CodingKeys: String, CodingKey {
      case name = "class"
      case index = "class_id"
      case probability
    }
  }

  /// The picture's file.
  var image: String?
  /// Its number, and seconds, of a video.
  var frame: Int?
  var t: Double?
  var text: String?
  var classes: [Entry]
  var top: Entry?
  /// How a picture was brought to the network's numbers.
  var preprocessing: String?
  /// What makes the answer doubtful.
  var note: String?

  /// - Parameter most: how many classes are listed.
  init(_ found: ClassPrediction, most: Int) {
    classes = found.ranking.prefix(most).map {
      Entry(name: found.name(ofClass: $0), index: $0, probability: found.probabilities[$0])
    }
    top = classes.first
  }

  mutating func describe(_ picture: SourcePicture, isVideo: Bool) {
    image = picture.name
    t = picture.timestamp
    frame = isVideo ? picture.index : nil
  }

  /// Adds how the picture was prepared, and whether that is to be doubted.
  mutating func explain(_ found: ClassPrediction, _ preparation: PicturePreparation) {
    preprocessing = preparation.summary
    if found.isFlat { note = preparation.doubt(of: found.likeliest) }
  }

  /// What it is of.
  private var title: String {
    let place = t.map { "frame \(frame ?? 0), \(NumberText.fixed($0, decimals: 3)) s" }
    let names = [image, place, text].compactMap { $0 }
    return ErrorReport.oneLine(names.isEmpty ? "standard input" : names.joined(separator: ", "))
  }

  private static func percent(_ probability: Double) -> String {
    NumberText.fixed(probability * 100, decimals: 1) + " %"
  }

  /// A row for each class.
  var rows: [String] {
    var table = TextTable(alignments: [.right, .left])
    for entry in classes { table.add(Self.percent(entry.probability), ErrorReport.oneLine(entry.name)) }
    return [Terminal.output.styled(title, .bold)] + table.lines.map { "  " + $0 } + (note.map { ["  " + $0] } ?? [])
  }

  /// The likeliest class in a line, for one input of many.
  var line: String {
    let found = top.map { "\(Self.percent($0.probability))  \(ErrorReport.oneLine($0.name))" } ?? "nothing"
    return "\(title)  \(found)" + (note.map { "  (\($0))" } ?? "")
  }
}
