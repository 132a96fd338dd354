/// Which of a classifier's classes are breeds.
struct BreedClasses {
  /// The numbers of the classes.
  let places: [Int]
  /// The breeds they are, ``DogBreed/label``; or what the model calls them.
  let labels: [String]
  /// Whether the classifier knows nothing else.
  let areAll: Bool

  /// - Throws: ``BreedError`` where neither names nor the number of classes show breeds.
  init(_ found: ClassPrediction) throws {
    let count = found.probabilities.count
    let usual = Self.usualPlaces(count)
    // Names of ImageNet's that nobody gave say no more than the number of classes, as names do that only count.
    let names = found.labels.flatMap { $0.origin == .imageNet || !$0.areMeaningful ? nil : $0.names }
    let named = names.map(Self.breeds) ?? [:]
    let fitsUsual = usual.map { usual in named.allSatisfy { usual[$1.index] == $0 } } ?? false
    let areNamed = named.count * 2 >= min(count, DogBreed.all.count)
    if let usual, fitsUsual, names == nil || areNamed || count != DogBreed.all.count {
      places = usual
      labels = DogBreed.all.map(\.label)
      areAll = count == usual.count
    } else if let names, areNamed {
      // Of a classifier of breeds those that are spelt otherwise, or are none of the 120, are breeds as well.
      areAll = named.count * 2 >= count
      places = areAll ? Array(0..<count) : named.keys.sorted()
      labels = places.map { named[$0]?.label ?? names[$0] }
    } else if let names {
      throw BreedError(
        "of the \(count) classes that the model distinguishes \(named.count) have names of breeds; the first are "
          + names.prefix(3).map { "\"\($0)\"" }.joined(separator: ", "))
    } else {
      throw BreedError(
        "the model distinguishes \(count) classes and does not name them; 1000 of ImageNet, 1001 with a background, "
          + "120 breeds, or names (--labels) were expected")
    }
  }

  /// Where the breeds are among so many classes without names, in the order of ``DogBreed/all``.
  private static func usualPlaces(_ count: Int) -> [Int]? {
    switch count {
    case 1000, 1001: DogBreed.all.map { $0.imageNetIndex + (count - 1000) }
    case 120: Array(0..<120)
    default: nil
    }
  }

  /// The breeds that are named, by the number of the class; of two classes with the same name the first.
  private static func breeds(in names: [String]) -> [Int: DogBreed] {
    var found: [Int: DogBreed] = [:]
    var seen: Set<Int> = []
    for (place, name) in names.enumerated() {
      guard let breed = DogBreed(named: name), seen.insert(breed.index).inserted else { continue }
      found[place] = breed
    }
    return found
  }
}

extension DogBreed {
  private static let byName = Dictionary(uniqueKeysWithValues: all.map { (key($0.name), $0) })

  /// The breed of this name, however it is written: with its WordNet number before it or without, with spaces,
  /// underscores or hyphens, in capitals, with synonyms after a comma.
  public init?(named name: String) {
    let names = Self.withoutNumber(name).split(separator: ",")
    guard let breed = names.lazy.compactMap({ Self.byName[Self.key($0)] }).first else { return nil }
    self = breed
  }

  /// The letters of a name alone.
  private static func key(_ name: some StringProtocol) -> String { name.lowercased().filter(\.isLetter) }
}
