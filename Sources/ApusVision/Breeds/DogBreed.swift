/// One of the 120 breeds that the Stanford Dogs data set distinguishes.
public struct DogBreed: Sendable, Hashable {
  /// Its place among the 120, in the order of their WordNet numbers.
  public let index: Int
  /// The WordNet number, such as `n02085620`.
  public let synset: String
  /// The name as the data set spells it, such as `German_shepherd`.
  public let name: String
  /// Where pictures of it are at dog.ceo: `main`, or `main/sub`; the list changes, see ``DogPictureIndex``.
  public let picturePath: String

  /// Number and name: `n02106662-German_shepherd`.
  public var label: String { "\(synset)-\(name)" }

  /// For people: in small letters, with spaces.
  public var displayName: String { Self.displayName(ofLabel: label) }

  /// The class of ImageNet (ILSVRC 2012, 0 to 999). Class 251, the Dalmatian, is not one of the 120.
  public var imageNetIndex: Int {
    switch index {
    case ..<100: 151 + index
    case ..<117: 152 + index
    default: 156 + index
    }
  }

  /// All of them, in order.
  public static let all: [DogBreed] = table.split(separator: "\n").enumerated().map { index, line in
    let fields = line.split(separator: " ").map(String.init)
    return DogBreed(index: index, synset: fields[0], name: fields[1], picturePath: fields[2])
  }

  /// In small letters, with spaces for underscores, and without a WordNet number.
  static func displayName(ofLabel label: String) -> String {
    withoutNumber(label).lowercased().replacing("_", with: " ")
  }

  /// What follows `n`, digits, and a hyphen, underscore or space, with which a label may begin.
  static func withoutNumber(_ label: String) -> Substring {
    guard label.first == "n" else { return label[...] }
    let rest = label.dropFirst().drop { $0.isNumber }
    guard rest.count < label.count - 1, let separator = rest.first, "-_ ".contains(separator) else { return label[...] }
    return rest.dropFirst()
  }
}
