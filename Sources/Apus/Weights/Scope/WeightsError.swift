import ApusBase

/// Why a model cannot be built from the parameters it was given.
public struct WeightsError: ApusError, Hashable, Sendable {
  /// The file, or what stands for one.
  public let file: String
  /// What is wrong with the parameter.
  public let reason: Reason

  /// An error about the file at the path `file`.
  public init(file: String, reason: Reason) {
    self.file = file
    self.reason = reason
  }

  /// What a model can find wrong with a parameter.
  public enum Reason: Hashable, Sendable {
    /// No parameter has that name; `similar` is the nearest that one has.
    case missing(name: String, similar: String?)
    /// A parameter of another shape.
    case wrongShape(name: String, found: [Int], expected: [Int])
    /// A parameter whose elements do not become the type asked for.
    case wrongType(name: String, found: DataType, expected: DataType)
    /// A parameter that no layer of `model` has a use for.
    case unexpected(name: String, model: String)
  }
}

extension WeightsError: CustomStringConvertible {
  /// The file, the parameter and what is wrong, on one line.
  public var description: String {
    switch reason {
    case .missing(let name, let similar):
      "\(file): the parameter \"\(name)\" is missing"
        + (similar.map { "; the nearest name is \"\($0)\"" } ?? "")
    case .wrongShape(let name, let found, let expected):
      "\(file): the parameter \"\(name)\" has the shape \(found), where \(expected) was expected"
    case .wrongType(let name, let found, let expected):
      "\(file): the parameter \"\(name)\" has \(found) elements, where \(expected) were expected"
    case .unexpected(let name, let model):
      "\(file): the parameter \"\(name)\" belongs to no layer of the model \(model)"
    }
  }
}

extension WeightsError {
  /// ``Fault/data``: the file holds other parameters than the model has.
  public var fault: Fault { .data }
}
