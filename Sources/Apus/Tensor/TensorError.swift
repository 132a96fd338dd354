import ApusBase

/// What can be wrong with the shapes and arguments given to a tensor operation.
///
/// Every operator checks its operands before it touches memory and throws one of these; nothing a caller passes traps.
public enum TensorError: ApusError, Hashable, Sendable {
  /// Operands whose shapes do not fit the operation or each other.
  case shape(operation: String, reason: String)
  /// An argument outside its range.
  case argument(operation: String, reason: String)
  /// More memory than ``Execution/memoryLimit`` allows, or than the system gives. The shape is that of the tensor that
  /// was asked for; nil for memory of another kind.
  case memory(bytes: Int, limit: Int, shape: [Int]? = nil)
  /// More memory than what loops, scans and sequences of one run may take together.
  case growth(bytes: Int, limit: Int, shape: [Int]? = nil)
  /// The limit on memory that the environment sets makes no sense, so nothing is given out.
  case environment(EnvironmentError)
}

extension TensorError: CustomStringConvertible {
  /// The operation and what it was given, on one line.
  public var description: String {
    switch self {
    case .shape(let operation, let reason): "\(operation): \(reason)"
    case .argument(let operation, let reason): "\(operation): \(reason)"
    case .memory(let bytes, let limit, let shape):
      Self.request(bytes, shape) + "; the limit on all tensors together is \(limit) bytes, which --memory-limit, "
        + "APUS_MEMORY_LIMIT and Execution.memoryLimit set"
    case .growth(let bytes, let limit, let shape):
      Self.request(bytes, shape) + "; what loops, scans and sequences of a run make may take \(limit) bytes together; "
        + "InferenceSession.Limits.growth, --memory-limit and APUS_MEMORY_LIMIT set another limit than the usual one, "
        + "64 for each byte of the model and its inputs and 1 GiB"
    case .environment(let error): "\(error)"
    }
  }
}

extension TensorError {
  private static func request(_ bytes: Int, _ shape: [Int]?) -> String {
    "a tensor of \(shape.map { "shape \($0), " } ?? "")\(bytes) bytes was asked for"
  }

  /// The same, of a tensor of this shape.
  func asking(for shape: [Int]) -> TensorError {
    switch self {
    case .memory(let bytes, let limit, nil): .memory(bytes: bytes, limit: limit, shape: shape)
    case .growth(let bytes, let limit, nil): .growth(bytes: bytes, limit: limit, shape: shape)
    default: self
    }
  }

  /// Why `bytes` are not to be had under ``Execution/memoryLimit``.
  static func beyondMemoryLimit(bytes: Int, shape: [Int]? = nil) -> TensorError {
    MemoryLimit.currentError.map { .environment($0) }
      ?? .memory(bytes: bytes, limit: Execution.memoryLimit, shape: shape)
  }
}

extension TensorError {
  /// ``Fault/data``, or that of the variable for a limit that makes no sense.
  public var fault: Fault {
    if case .environment(let error) = self { error.fault } else { .data }
  }
}
