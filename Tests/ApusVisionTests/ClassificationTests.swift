import Apus
import Testing

@testable import ApusVision

@Suite struct ClassificationTests {
  /// The breeds' numbers were written down apart from this list.
  @Test func imageNetsNamesAreInTheOrderThatTheBreedsKnow() {
    #expect(ImageNetClasses.names.count == 1000)
    #expect(Set(ImageNetClasses.names).count == 1000)
    for breed in DogBreed.all {
      #expect(ImageNetClasses.names[breed.imageNetIndex].lowercased() == breed.displayName)
    }
    let others = [0: "tench", 281: "tabby", 251: "dalmatian", 340: "zebra", 817: "sports car", 999: "toilet tissue"]
    for (index, name) in others { #expect(ImageNetClasses.names[index] == name) }
  }

  @Test func logitsBecomeSharesOrProbabilitiesOfTheirOwn() throws {
    // e, e², e³ of their sum.
    let shares = try ClassScoring().probabilities([1, 2, 3])
    for (found, expected) in zip(shares, [0.09003057317038046, 0.24472847105479764, 0.6652409557748219]) {
      #expect(abs(found - expected) < 1e-15)
    }
    let own = try ClassScoring(isExclusive: false).probabilities([0, 2])
    #expect(own[0] == 0.5 && abs(own[1] - 0.8807970779778823) < 1e-15)
    #expect(try ClassScoring().probabilities([0.25, 0.75]) == [0.25, 0.75])
    #expect(try ClassScoring(.probabilities).probabilities([0.9, 0.8, 0]).map { Float($0) } == [0.9, 0.8, 0])
    #expect(throws: ClassScoringError.self) { try ClassScoring(.probabilities).probabilities([0.5, 3]) }
    #expect(throws: ClassScoringError.self) { try ClassScoring(.logits, isStated: true).probabilities([0.25, 0.75]) }
    #expect(throws: ClassScoringError.self) { try ClassScoring().probabilities([.nan]) }
    #expect(throws: ClassScoringError.self) { try ClassScoring().probabilities([]) }
  }

  private func names(_ text: String) throws -> [String] {
    try Array(text.utf8).withUnsafeBytes { try ClassLabels.read($0) }
  }

  @Test func labelsAreReadFromLinesAndJSON() throws {
    #expect(try names("cat\r\ndog\n\n") == ["cat", "dog"])
    #expect(try names("0: cat\n1: dog") == ["cat", "dog"])
    #expect(try names("0  cat\n1  10 dogs\n") == ["cat", "10 dogs"])
    #expect(try names("0 cat\ndog") == ["0 cat", "dog"])
    #expect(try names(#"{"1": "dog", "0": "cat"}"#) == ["cat", "dog"])
    #expect(try names(#"{"model_type": "vit", "id2label": {"0": "cat", "1": "dog"}}"#) == ["cat", "dog"])
    for text in [#"{"0": "a", "2": "b"}"#, "{}", "[]", "\n\n", #"["a", 1]"#, "{\"0\": "] {
      #expect(throws: (any Error).self, "\(text)") { try names(text) }
    }
  }

  @Test func labelsFitWithABackgroundAndWithout() throws {
    let labels = ClassLabels(["background", "cat", "dog"], origin: .model)
    #expect(try labels.fitted(to: 2).names == ["cat", "dog"])
    #expect(try labels.fitted(to: 3).names == labels.names)
    for count in [4, -1, .min, .max] {
      #expect(throws: ClassLabelsError.self) { try labels.fitted(to: count) }
    }
    let imageNet = ClassLabels(ImageNetClasses.names, origin: .file("labels.txt"))
    #expect(try imageNet.fitted(to: 1001).names[1] == "tench")
    for (names, says) in [
      (["a", "b"], true), (["LABEL_0", "LABEL_1"], false), (["0", "1"], false), (["breed 0", "breed 1"], false),
      (["2", "1"], true), (["cat 0", "dog 1"], true),
    ] { #expect(ClassLabels(names, origin: .model).areMeaningful == says) }
  }
}

@Suite struct BreedClassesTests {
  private func prediction(_ names: [String]?, likeliest: Int, of count: Int) throws -> BreedPrediction {
    var probabilities = [Double](repeating: 0.1 / Double(count - 1), count: count)
    probabilities[likeliest] = 0.9
    return try BreedPrediction(ClassPrediction(probabilities, labels: names.map { ClassLabels($0, origin: .model) }))
  }

  @Test func breedsAreKnownHoweverTheyAreWritten() {
    for text in [
      "German_shepherd", "german shepherd", "n02106662-German_shepherd", "n02106662 German-Shepherd",
      "German shepherd, German shepherd dog, alsatian",
    ] { #expect(DogBreed(named: text)?.name == "German_shepherd", "\(text)") }
    #expect(DogBreed(named: "Shih-Tzu")?.name == "Shih-Tzu")
    #expect(DogBreed(named: "black-and-tan_coonhound")?.name == "black-and-tan_coonhound")
    for text in ["cat", "", "n02106662", "shepherd"] { #expect(DogBreed(named: text) == nil) }
  }

  /// The names of the file decide, not the place: it was trained in another order.
  @Test func aModelsOwnNamesAreHeeded() throws {
    let names = DogBreed.all.map(\.displayName).sorted()
    let beagle = try #require(names.firstIndex(of: "beagle"))
    let found = try prediction(names, likeliest: beagle, of: 120)
    #expect(found.ranking.top?.label == "n02088364-beagle")
    #expect(found.dogMass == nil)
    // Without names it is the place that counts.
    #expect(try prediction(nil, likeliest: 11, of: 120).ranking.top?.label == "n02088364-beagle")
    #expect(try prediction(DogBreed.all.map(\.name), likeliest: 11, of: 120).ranking.top?.displayName == "beagle")
  }

  @Test func breedsThatAreNoneOfTheHundredAndTwentyKeepTheirNames() throws {
    let names = ["Curly-coated water dog", "beagle", "pug"]
    let found = try prediction(names, likeliest: 0, of: 3)
    #expect(found.ranking.top?.displayName == "curly-coated water dog")
    #expect(found.dogMass == nil && found.ranking.entries.count == 3)
  }

  @Test func dogsAmongOtherClassesHaveAMass() throws {
    let names = DogBreed.all.map(\.name) + (0..<400).map { "thing \($0)" }
    let found = try prediction(names.reversed(), likeliest: 0, of: 520)
    #expect(found.ranking.entries.count == 120)
    let mass = try #require(found.dogMass)
    #expect(abs(mass - 12.0 / 519) < 1e-12)
    #expect(!found.isDogLikely)
  }

  @Test func classesThatAreNoBreedsAreRefused() throws {
    let things = Array(ImageNetClasses.names.prefix(120))
    #expect(throws: BreedError.self) { try prediction(things, likeliest: 0, of: 120) }
    #expect(throws: BreedError.self) { try prediction(nil, likeliest: 0, of: 7) }
    // Names that only count say nothing.
    #expect(
      try prediction((0..<120).map { "breed \($0)" }, likeliest: 11, of: 120).ranking.top?.displayName == "beagle")
    // ImageNet's order under names of another language.
    #expect(
      try prediction((0..<1000).map { "\($0). Klasse" }, likeliest: 162, of: 1000).ranking.top?.displayName == "beagle")
  }
}
