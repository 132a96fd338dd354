import ApusMotion
import ApusNetworks

extension BehaviorModelInfo {
  /// Reads `model`, `labels`, `separable_labels` and `trained_on`; lists are separated by commas.
  ///
  /// - Parameters:
  ///   - file: what messages call the file.
  ///   - name: the model's where the metadata has none.
  /// - Throws: ``ModelFileError`` for labels that are not right.
  init(metadata: [String: String], file: String, name: String, windowLength: Int) throws {
    func list(_ key: String) -> [String]? {
      metadata[key].map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
    }
    do {
      try self.init(
        name: metadata["model"] ?? name, labels: list("labels") ?? DogBehavior.labels,
        trainedClasses: list("separable_labels"), windowLength: windowLength, trainingData: metadata["trained_on"])
    } catch {
      throw ModelFileError(file: file, reason: "\(error)")
    }
  }
}
