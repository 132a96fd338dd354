import Apus

// What models read from the shapes of their parameters instead of a configuration.

extension Weights {
  /// The first axis of a parameter: what a convolution or a linear layer gives.
  ///
  /// - Parameter rank: axes the parameter must have.
  /// - Throws: ``WeightsError`` when it is missing or has another number of axes.
  func outputCount(_ name: String, rank: Int) throws -> Int {
    try shape(of: name, rank: rank)[0]
  }

  /// The second axis of a parameter: what a convolution, for each group, or a linear layer takes.
  func inputCount(_ name: String, rank: Int) throws -> Int {
    try shape(of: name, rank: rank)[1]
  }

  /// The shape of a parameter with a given number of axes.
  /// - Throws: ``WeightsError`` when it is missing or has another number; the expected shape in the message has ones
  ///   where the parameter has no axis.
  func shape(of name: String, rank: Int) throws -> [Int] {
    let found = try shape(of: name)
    guard found.count == rank else {
      let expected = found.prefix(rank) + [Int](repeating: 1, count: max(0, rank - found.count))
      throw WeightsError(
        file: file, reason: .wrongShape(name: fullName(name), found: found, expected: Array(expected)))
    }
    return found
  }

  /// Refuses parameters that no layer has read: the file holds another network than this one.
  ///
  /// - Parameters:
  ///   - network: what messages call the model.
  ///   - isIgnored: which may be there all the same. The batches that a normalisation has seen always may.
  /// - Throws: ``WeightsError/Reason/unexpected(name:model:)``.
  func refuseUnused(for network: String, except isIgnored: (String) -> Bool = { _ in false }) throws {
    let extra = unusedNames.first {
      !$0.hasSuffix("num_batches_tracked") && !isIgnored(String($0.dropFirst(fullName("").count)))
    }
    guard let extra else { return }
    throw WeightsError(file: file, reason: .unexpected(name: extra, model: network))
  }
}
