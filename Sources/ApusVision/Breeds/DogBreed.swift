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
    let letters = withoutNumber(label).lowercased().utf8
    return String(decoding: letters.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
  }

  /// What follows `n`, digits, and a hyphen, underscore or space, with which a label may begin.
  static func withoutNumber(_ label: String) -> Substring {
    let bytes = label.utf8
    guard bytes.first == UInt8(ascii: "n") else { return label[...] }
    let digits = bytes.dropFirst().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard !digits.isEmpty, digits.endIndex < bytes.endIndex else { return label[...] }
    let separator = bytes[digits.endIndex]
    guard "-_ ".utf8.contains(separator) else { return label[...] }
    return label[bytes.index(after: digits.endIndex)...]
  }
}
