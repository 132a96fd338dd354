import ApusMotion
import ApusNetworks

extension BehaviorModelInfo {
  /// Reads `model`, `labels`, `separable_labels`, `frames_per_second` and `trained_on`; lists are separated by commas.
  ///
  /// - Parameters:
  ///   - file: what messages call the file.
  ///   - name: the model's where the metadata has none.
  ///   - framesPerSecond: the rate it learned, where the metadata has none.
  /// - Throws: ``ModelFileError`` for labels or a rate that are not right.
  init(metadata: [String: String], file: String, name: String, windowLength: Int, framesPerSecond: Double? = nil)
    throws
  {
    func list(_ key: String) -> [String]? {
      metadata[key].map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
    }
    let rate = try metadata["frames_per_second"].map { text in
      guard let rate = Double(text) else {
        throw ModelFileError(file: file, reason: "frames_per_second: \"\(text)\" is not a number")
      }
      return rate
    }
    do {
      try self.init(
        name: metadata["model"] ?? name, labels: list("labels") ?? DogBehavior.labels,
        trainedClasses: list("separable_labels"), windowLength: windowLength,
        framesPerSecond: rate ?? framesPerSecond, trainingData: metadata["trained_on"])
    } catch {
      throw ModelFileError(file: file, reason: "\(error)")
    }
  }
}
