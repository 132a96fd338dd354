import Apus
import ApusVision

/// The list of breeds as a service of dog pictures gives it.
struct BreedListTarget: JSONFuzzTarget {
  let name = "breed-list"
  let summary = "the list of breeds of a service of pictures, and the paths found in it"
  let dictionary = [
    "\"message\":", "\"status\":", "\"success\"", "\"hound\":", "\"afghan\"", "null", "[", "]", "{", "}",
  ]

  func seeds() -> [[UInt8]] {
    [
      #"{"message":{"hound":["afghan","basset"],"pug":[],"terrier":["bull","west highland"]},"status":"success"}"#,
      #"{"message":{},"status":"success"}"#,
    ].map { Array($0.utf8) }
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    try outcome(allowing: JSONError.self, BreedError.self) {
      let index = try DogPictureIndex(json: String(decoding: input, as: UTF8.self))
      for name in ["Afghan hound", "pug", ""] + index.breeds.keys.prefix(4) {
        guard let path = index.path(ofName: name) else { continue }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard let subs = index.breeds[parts[0]] ?? index.breeds[path], parts.count < 2 || !subs.isEmpty else {
          throw FuzzFinding(message: "the path \(path) is not of the list")
        }
      }
    }
  }
}
