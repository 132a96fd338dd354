import Apus

/// Why a file is not a Core ML model that can be read.
public struct CoreMLError: ApusError, Hashable, Sendable {
  /// The file or package, as it was named when it was opened.
  public let file: String
  /// What is wrong.
  public let reason: Reason

  /// What can be wrong with a model.
  public enum Reason: Error, Hashable, Sendable {
    /// Bytes that are no message of the format.
    case protobuf(ProtobufError)
    /// A package whose manifest or folders are not as they should be.
    case package(String)
    /// Something in the model that contradicts the format: where, and what is wrong.
    case invalid(at: String, String)
    /// Something that the format has and Apus does not: where, and what it is.
    case unsupported(at: String, String)
  }

  init(_ file: String, _ reason: Reason) {
    self.file = file
    self.reason = reason
  }
}

extension CoreMLError: CustomStringConvertible {
  /// The file, and what is wrong.
  public var description: String { "\(file): \(reason)" }
}

extension CoreMLError.Reason: CustomStringConvertible {
  /// What is wrong, without the file.
  public var description: String {
    switch self {
    case .protobuf(let error): "not a Core ML model, or damaged: \(error)"
    case .package(let what): "not a Core ML package, or damaged: \(what)"
    case .invalid(let place, let what): place.isEmpty ? what : "\(place): \(what)"
    case .unsupported(let place, let what): (place.isEmpty ? "" : "\(place): ") + "\(what) is not supported"
    }
  }
}

extension CoreMLError {
  /// ``Fault/data``: the file is damaged, or has what Apus does not know.
  public var fault: Fault { .data }
}
