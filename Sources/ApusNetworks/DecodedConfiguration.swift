import FoundationEssentials

/// The JSON under `configuration`; nil where it is absent.
/// - Throws: ``ModelFileError`` for malformed JSON, or a value of another type.
func decodedConfiguration<Configuration: Decodable>(
  _ metadata: [String: String], file: String
) throws -> Configuration? {
  guard let json = metadata["configuration"] else { return nil }
  do {
    return try JSONDecoder().decode(Configuration.self, from: Data(json.utf8))
  } catch {
    throw ModelFileError(file: file, reason: "configuration: \(error)")
  }
}
