import Apus

/// Why a model cannot be put into eight bits, or not as it was asked for, though nothing is wrong with it.
public struct QuantizationError: ApusError, Sendable, Hashable, CustomStringConvertible {
  /// What was found, and what was expected.
  public let description: String
  /// ``Fault/data``, the model or what the samples made of it; ``Fault/usage`` for an argument that cannot be.
  public let fault: Fault

  init(_ description: String, fault: Fault = .data) {
    (self.description, self.fault) = (description, fault)
  }
}
