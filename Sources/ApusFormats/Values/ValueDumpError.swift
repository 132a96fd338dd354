import Apus

/// Why values that another tool wrote cannot be read: a folder of arrays, or results in JSON.
public struct ValueDumpError: ApusError, Hashable {
  /// The file or folder, as it was named when it was opened.
  public let path: String
  /// What is wrong with it.
  public let reason: Reason

  /// What folders and files of values can have wrong with them, or do not hold.
  public enum Reason: Hashable, Sendable {
    /// A folder without a `.npy` file.
    case noArrays
    /// A `metadata.json` that is no JSON, at this byte of it.
    case badMetadata(offset: Int, expected: String)
    /// A file that `metadata.json` names and the folder lacks.
    case missingFile(String, value: String)
    /// Two values of one name.
    case duplicateName(String)
    /// An array that has not as many elements as the shape that `metadata.json` gives it.
    case otherShape(String, stated: [Int], found: [Int])
    /// Results that are no JSON, or other JSON than was expected.
    case json(JSONError)
    /// Results of several runners, which may differ.
    case severalRunners([String])
    /// Results without any value.
    case noValues
    /// A value that is not stored as an array of NumPy, but as a tensor of PyTorch.
    case torchTensor(String)
    /// A value whose bytes are not written in base 64.
    case badBase64(String)
    /// No value has the name that was asked for.
    case noSuchValue(String)
  }
}

extension ValueDumpError: CustomStringConvertible {
  /// The file or folder, and what is wrong.
  public var description: String { "\(path): \(reason)" }
}

extension ValueDumpError.Reason: CustomStringConvertible {
  /// What is wrong, without the file.
  public var description: String {
    switch self {
    case .noArrays: "holds no .npy files"
    case .badMetadata(let offset, let expected): "metadata.json: \(expected), at byte \(offset)"
    case .missingFile(let file, let value): "metadata.json has '\(value)' in '\(file)', which is not in the folder"
    case .duplicateName(let name): "has two values called '\(name)'"
    case .otherShape(let name, let stated, let found):
      "'\(name)' has the shape \(found), and \(stated) in metadata.json: they are not of one run"
    case .json(let error): "\(error)"
    case .severalRunners(let names):
      "holds the results of \(names.map { "'\($0)'" }.joined(separator: ", ")); those of one runner were expected"
    case .noValues: "holds no values"
    case .torchTensor(let name):
      "'\(name)' is stored as a tensor of PyTorch; arrays of NumPy are read: save it as tensor.numpy()"
    case .badBase64(let name): "'\(name)' is not written in base 64"
    case .noSuchValue(let name): "there is no value '\(name)'"
    }
  }
}

extension ValueDumpError {
  /// ``Fault/data``: the content cannot be used.
  public var fault: Fault { .data }
}
