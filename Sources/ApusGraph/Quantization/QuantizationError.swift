import Apus

/// Why a model cannot be put into eight bits, though nothing is wrong with it.
public struct QuantizationError: ApusError, Sendable, Hashable, CustomStringConvertible {
  /// What was found, and what was expected.
  public let description: String

  init(_ description: String) { self.description = description }
}

extension QuantizationError {
  /// ``Fault/data``: the model, or what the samples made of it.
  public var fault: Fault { .data }
}
