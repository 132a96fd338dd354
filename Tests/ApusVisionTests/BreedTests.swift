import Apus
import Testing

@testable import ApusVision

@Suite struct BreedTests {
  /// What dog.ceo listed in 2021.
  static let list = """
    {"message": {"affenpinscher": [], "african": [], "airedale": [], "akita": [], "appenzeller": [],
    "australian": ["shepherd"], "basenji": [], "beagle": [], "bluetick": [], "borzoi": [], "bouvier": [], "boxer": [],
    "brabancon": [], "briard": [], "buhund": ["norwegian"], "bulldog": ["boston", "english", "french"],
    "bullterrier": ["staffordshire"], "cattledog": ["australian"], "chihuahua": [], "chow": [], "clumber": [],
    "cockapoo": [], "collie": ["border"], "coonhound": [], "corgi": ["cardigan"], "cotondetulear": [],
    "dachshund": [], "dalmatian": [], "dane": ["great"], "deerhound": ["scottish"], "dhole": [], "dingo": [],
    "doberman": [], "elkhound": ["norwegian"], "entlebucher": [], "eskimo": [], "finnish": ["lapphund"],
    "frise": ["bichon"], "germanshepherd": [], "greyhound": ["italian"], "groenendael": [], "havanese": [],
    "hound": ["afghan", "basset", "blood", "english", "ibizan", "plott", "walker"], "husky": [], "keeshond": [],
    "kelpie": [], "komondor": [], "kuvasz": [], "labradoodle": [], "labrador": [], "leonberg": [], "lhasa": [],
    "malamute": [], "malinois": [], "maltese": [], "mastiff": ["bull", "english", "tibetan"], "mexicanhairless": [],
    "mix": [], "mountain": ["bernese", "swiss"], "newfoundland": [], "otterhound": [], "ovcharka": ["caucasian"],
    "papillon": [], "pekinese": [], "pembroke": [], "pinscher": ["miniature"], "pitbull": [],
    "pointer": ["german", "germanlonghair"], "pomeranian": [], "poodle": ["miniature", "standard", "toy"], "pug": [],
    "puggle": [], "pyrenees": [], "redbone": [], "retriever": ["chesapeake", "curly", "flatcoated", "golden"],
    "ridgeback": ["rhodesian"], "rottweiler": [], "saluki": [], "samoyed": [], "schipperke": [],
    "schnauzer": ["giant", "miniature"], "setter": ["english", "gordon", "irish"],
    "sheepdog": ["english", "shetland"], "shiba": [], "shihtzu": [],
    "spaniel": ["blenheim", "brittany", "cocker", "irish", "japanese", "sussex", "welsh"], "springer": ["english"],
    "stbernard": [], "terrier": ["american", "australian", "bedlington", "border", "cairn", "dandie", "fox", "irish",
    "kerryblue", "lakeland", "norfolk", "norwich", "patterdale", "russell", "scottish", "sealyham", "silky", "tibetan",
    "toy", "westhighland", "wheaten", "yorkshire"], "vizsla": [], "waterdog": ["spanish"], "weimaraner": [],
    "whippet": [], "wolfhound": ["irish"]}, "status": "success"}
    """

  @Test func thereAreTheDogsOfImageNet() {
    #expect(DogBreed.all.count == 120)
    #expect(Set(DogBreed.all.map(\.label)).count == 120)
    #expect(DogBreed.all.map(\.synset) == DogBreed.all.map(\.synset).sorted())
    let indexes = DogBreed.all.map(\.imageNetIndex)
    #expect(Set(indexes).count == 120)
    #expect(!indexes.contains(251))
    let expected = [
      "Chihuahua": 151, "affenpinscher": 252, "Siberian_husky": 250, "Mexican_hairless": 268, "dingo": 273,
      "dhole": 274, "African_hunting_dog": 275,
    ]
    for (name, index) in expected {
      #expect(DogBreed.all.first { $0.name == name }?.imageNetIndex == index)
    }
  }

  @Test("names that would change an address are refused", arguments: ["h/ound", "..", "", "a?b", "a#b", "a%2Fb"])
  func namesThatAreNoPartOfAnAddressAreRefused(name: String) {
    #expect(throws: BreedError.self) { try DogPictureIndex(json: #"{"message":{"\#(name)":[]}}"#) }
    #expect(throws: BreedError.self) { try DogPictureIndex(json: #"{"message":{"hound":["\#(name)"]}}"#) }
  }

  @Test func everyBreedHasPicturesInTheListOf2021() throws {
    let index = try DogPictureIndex(json: Self.list)
    for breed in DogBreed.all { #expect(index.path(of: breed) == breed.picturePath) }
    let cairn = try #require(DogBreed.all.first { $0.name == "cairn" })
    #expect(cairn.picturePath == "terrier/cairn")
  }

  @Test func aListThatChangedIsSearched() throws {
    let kelpie = try #require(DogBreed.all.first { $0.name == "kelpie" })
    #expect(DogPictureIndex(breeds: ["australian": ["kelpie", "shepherd"]]).path(of: kelpie) == "australian/kelpie")
    #expect(
      DogPictureIndex(breeds: ["shepherd": ["german", "dutch"]]).path(ofName: "German shepherd") == "shepherd/german")
    // A word that two breeds have says nothing.
    #expect(DogPictureIndex(breeds: ["a": ["kelpie"], "b": ["kelpie"]]).path(of: kelpie) == nil)
    #expect(DogPictureIndex(breeds: [:]).path(of: kelpie) == nil)
  }

  @Test func anUnknownBreedHasNoPath() throws {
    #expect(try DogPictureIndex(json: Self.list).path(ofName: "unicorn dog") == nil)
    #expect(try DogPictureIndex(json: Self.list).path(ofName: "") == nil)
  }

  @Test(arguments: [
    #"{"status": "error", "message": "Breed not found (main breed does not exist)", "code": 404}"#, "{", "[]",
    #"{"message": {"hound": "afghan"}}"#, #"{"message": {}, "status": "error"}"#,
  ])
  func answersThatAreNoListAreErrors(json: String) {
    #expect(throws: (any Error).self) { try DogPictureIndex(json: json) }
  }

  @Test func rankingsAreInOrderAndRoundedForPeople() throws {
    let ranking = try BreedRanking(
      labels: ["n1-e", "n2-d_x", "n3-c", "n4-b", "n5-a", "n6-a"],
      probabilities: [0.0001, 0.0099, 0.10, 0.20, 0.615, 0.01])
    #expect(ranking.listed().map(\.label) == ["n5-a", "n4-b", "n3-c", "n6-a"])
    #expect(ranking.listed().map(\.percent) == [62, 20, 10, 1])
    #expect(ranking.entries[4].displayName == "d x")
    let other = try BreedRanking(labels: ["b", "a", "c"], probabilities: [0.29, 0.29, 0.42])
    #expect(other.entries.map(\.label) == ["c", "a", "b"])
    #expect(other.entries.map(\.percent) == [42, 29, 29])
  }

  @Test func numbersThatAreNoProbabilitiesAreErrors() {
    #expect(throws: BreedError.self) { try BreedRanking(labels: ["a"], probabilities: [.nan]) }
    #expect(throws: BreedError.self) { try BreedRanking(labels: ["a"], probabilities: [1.5]) }
    #expect(throws: BreedError.self) { try BreedRanking(labels: ["a"], probabilities: []) }
  }

  @Test func aFeatureModelOfZerosKnowsNothing() throws {
    let zeros = Weights([
      "weights": AnyTensor(try Tensor<Double>(zeros: [119, 8])), "offset": AnyTensor(try Tensor<Double>(zeros: [119])),
    ])
    let ranking = try BreedFeatureModel(zeros)([Double](repeating: 3, count: 8))
    #expect(ranking.entries.allSatisfy { abs($0.probability - 1.0 / 120) < 1e-15 })
    #expect(ranking.listed().isEmpty)
    #expect(ranking.top?.label == "n02085620-Chihuahua")
  }

  @Test func aFeatureModelIsASoftmaxWithAReferenceClass() throws {
    // s = (0, 1·2 - 1, -3·2 + 5) = (0, 1, -1)
    let parameters = Weights([
      "weights": AnyTensor(try Tensor<Double>([1, -3], shape: [2, 1])),
      "offset": AnyTensor(try Tensor<Double>([-1, 5])),
    ])
    let ranking = try BreedFeatureModel(parameters, labels: ["a", "b", "c"])([2])
    let sum = 1 + 2.718281828459045 + 0.36787944117144233
    #expect(ranking.entries.map(\.label) == ["b", "a", "c"])
    #expect(abs(ranking.entries[0].probability - 2.718281828459045 / sum) < 1e-15)
    #expect(throws: BreedError.self) { try BreedFeatureModel(parameters, labels: ["a", "b", "c"])([1, 2]) }
    #expect(throws: BreedError.self) { try BreedFeatureModel(parameters, labels: ["a", "b", "c"])([.infinity]) }
    #expect(throws: WeightsError.self) { try BreedFeatureModel(parameters, labels: ["a", "b"]) }
  }
}
