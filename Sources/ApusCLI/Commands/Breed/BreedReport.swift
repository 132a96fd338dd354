import Apus
import ApusVision

/// What `apus breed` says of a picture.
struct BreedReport: Encodable {
  struct Breed: Encodable {
    var label: String
    var displayName: String
    var apiPath: String?
    var probability: Double

    enum CodingKeys: String, CodingKey {
      case label, probability
      case displayName = "display_name"
      case apiPath = "api_path"
    }
  }

  var image: String?
  var breeds: [Breed]
  var top: Breed?
  var dogMass: Double?
  var status: String
  /// How the picture was brought to the network's numbers.
  var preprocessing: String?
  /// What makes the answer doubtful.
  var note: String?
  private let ranking: BreedRanking

  /// - Parameter index: where pictures are now; as in 2021 when nil.
  init(image: String?, _ ranking: BreedRanking, dogMass: Double?, index: DogPictureIndex?) {
    self.image = image
    self.ranking = ranking
    let byLabel = Dictionary(uniqueKeysWithValues: DogBreed.all.map { ($0.label, $0) })
    breeds = ranking.entries.map { entry in
      let breed = byLabel[entry.label]
      let path = index.map { index in breed.flatMap(index.path) } ?? breed?.picturePath
      return Breed(
        label: entry.label, displayName: entry.displayName, apiPath: path, probability: entry.probability)
    }
    top = breeds.first
    self.dogMass = dogMass
    status = dogMass.map { $0 >= BreedPrediction.leastDogMass } ?? true ? "ok" : "no_dog_likely"
  }

  /// Adds how the picture was prepared, and whether that is to be doubted.
  mutating func explain(_ found: BreedPrediction, _ preparation: PicturePreparation) {
    preprocessing = preparation.summary
    if found.isFlat {
      note = preparation.doubt(of: found.likeliest)
    } else if !found.isDogLikely, preparation.isAssumed {
      note = "the preprocessing was \(preparation.origin): if there is a dog, try --mean 0,0,0 --std 1,1,1 or another"
    }
  }

  enum CodingKeys: String, CodingKey {
    case image, breeds, top, status, preprocessing, note
    case dogMass = "dog_mass"
  }

  func rows(minimumPercent: Double) -> [String] {
    let terminal = Terminal.output
    var lines = [terminal.styled(ErrorReport.oneLine(image ?? "standard input"), .bold)]
    if let dogMass, status != "ok" {
      lines[0] += "  probably no dog: \(NumberText.fixed(dogMass * 100, decimals: 0)) % of it looks like one"
    }
    var table = TextTable(alignments: [.right, .left, .left])
    for entry in ranking.listed(minimumPercent: minimumPercent) {
      let path = breeds.first { $0.label == entry.label }?.apiPath ?? "unmapped"
      table.add("\(entry.percent) %", entry.displayName, terminal.styled(path, .dim))
    }
    let rows = table.lines.map { "  " + $0 }
    let top = ranking.top.map { "  none has \(NumberText.short(minimumPercent)) %; the likeliest is \($0.displayName)" }
    return lines + (rows.isEmpty ? [top].compactMap { $0 } : rows) + (note.map { ["  " + $0] } ?? [])
  }
}
