import Apus

/// The breeds that dog.ceo has pictures of, as its address `/api/breeds/list/all` lists them, and where those of a breed
/// are.
///
/// The list changes, and its spellings are its own; a breed that is not found in it has no path, and there is no address
/// without one. Nothing here uses the network: the caller brings the text.
public struct DogPictureIndex: Sendable, Hashable {
  /// Sub-breeds by breed.
  public let breeds: [String: [String]]

  /// - Parameter breeds: sub-breeds by breed, in the service's spelling.
  public init(breeds: [String: [String]]) { self.breeds = breeds }

  /// Reads the service's answer, `{"message": {"hound": ["afghan", …], …}, "status": "success"}`.
  /// - Throws: ``JSONError``; ``BreedError`` for an answer that is an error, whose message is a text, and for names that
  ///   cannot be part of an address.
  public init(json: String) throws {
    var (found, failure, status): ([String: [String]], String?, String?) = ([:], nil, nil)
    var bytes = Array(json.utf8)
    try bytes.withUnsafeMutableBytes { bytes in
      var reader = JSONReader(UnsafeRawBufferPointer(bytes))
      try reader.object { reader, key in
        switch key {
        case "status": status = try reader.string()
        case "message":
          if try reader.kind() == .string {
            failure = try reader.string()
          } else {
            try reader.object { reader, breed in
              var subs: [String] = []
              try reader.array { subs.append(try $0.string()) }
              found[breed] = subs
            }
          }
        default: try reader.skip()
        }
      }
      try reader.end()
    }
    // Names become parts of an address.
    for name in found.flatMap({ [$0] + $1 }) where name.isEmpty || !name.allSatisfy(Self.belongsToName) {
      throw BreedError("the list has a breed called \"\(name)\"; letters, digits, spaces and hyphens were expected")
    }
    if let failure { throw BreedError("the service answered with an error: \(failure)") }
    guard status ?? "success" == "success" else {
      throw BreedError("the service answered with the status \(status ?? "")")
    }
    self.init(breeds: found)
  }

  private static func belongsToName(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == " " || character == "-" || character == "_"
  }

  /// Where pictures of the breed are: the path of its own where the list has it, else as ``path(ofName:)`` finds it.
  public func path(of breed: DogBreed) -> String? {
    contains(breed.picturePath) ? breed.picturePath : path(ofName: breed.displayName)
  }

  /// Where pictures of a breed of this name are: `main/sub` for a word that is a breed and another that is a sub-breed
  /// of it, `main` for a breed alone, `main/sub` for a word that is a sub-breed of one breed only; nil where no word is
  /// known.
  public func path(ofName name: String) -> String? {
    let words = name.lowercased().split { $0 == " " || $0 == "-" || $0 == "_" }.map(String.init)
    let mains = words.reversed().filter { breeds[$0] != nil }
    for main in mains {
      if let sub = words.last(where: { $0 != main && breeds[main]?.contains($0) == true }) { return "\(main)/\(sub)" }
    }
    if let main = mains.first { return main }
    for word in words.reversed() {
      let owners = breeds.filter { $0.value.contains(word) }.keys
      if owners.count == 1, let owner = owners.first { return "\(owner)/\(word)" }
    }
    return nil
  }

  private func contains(_ path: String) -> Bool {
    let parts = path.split(separator: "/").map(String.init)
    guard let main = parts.first, let subs = breeds[main] else { return false }
    return parts.count == 1 || subs.contains(parts[1])
  }
}
