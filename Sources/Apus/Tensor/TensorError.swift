import ApusBase

/// What can be wrong with the shapes and arguments given to a tensor operation.
///
/// Every operator checks its operands before it touches memory and throws one of these; nothing a caller passes traps.
public enum TensorError: ApusError, Hashable, Sendable {
  /// Operands whose shapes do not fit the operation or each other.
  case shape(operation: String, reason: String)
  /// An argument outside its range.
  case argument(operation: String, reason: String)
  /// More memory than ``Execution/memoryLimit`` allows, or than the system gives.
  case memory(bytes: Int, limit: Int)
  /// The limit on memory that the environment sets makes no sense, so nothing is given out.
  case environment(EnvironmentError)
}

extension TensorError: CustomStringConvertible {
  /// The operation and what it was given, on one line.
  public var description: String {
    switch self {
    case .shape(let operation, let reason): "\(operation): \(reason)"
    case .argument(let operation, let reason): "\(operation): \(reason)"
    case .memory(let bytes, let limit):
      "a tensor of \(bytes) bytes was asked for; the limit on all tensors together is \(limit) bytes"
    case .environment(let error): "\(error)"
    }
  }
}

extension TensorError {
  /// Why `bytes` are not to be had under ``Execution/memoryLimit``.
  static func beyondMemoryLimit(bytes: Int) -> TensorError {
    MemoryLimit.currentError.map { .environment($0) } ?? .memory(bytes: bytes, limit: Execution.memoryLimit)
  }
}

extension TensorError {
  /// ``Fault/data``, or that of the variable for a limit that makes no sense.
  public var fault: Fault {
    if case .environment(let error) = self { error.fault } else { .data }
  }
}
