import Apus

extension NPZFile {
  /// An array of numbers, or of texts.
  /// - Throws: ``NumPyError``, ``FileError``.
  package func value(named name: String) throws -> GraphValue {
    do {
      return .tensor(try anyTensor(named: name))
    } catch let error as NumPyError {
      guard case .unsupportedType = error.reason, let texts = try texts(named: name) else { throw error }
      return .strings(try StringTensor(texts.elements, shape: texts.shape))
    }
  }
}

extension NPYFile {
  /// An array of numbers, or of texts.
  /// - Throws: ``NumPyError``, ``FileError``.
  package static func value(path: String) throws -> GraphValue {
    do {
      return .tensor(try read(path: path))
    } catch let error as NumPyError {
      guard case .unsupportedType = error.reason, let texts = try texts(path: path) else { throw error }
      return .strings(try StringTensor(texts.elements, shape: texts.shape))
    }
  }

  /// Whether NumPy has arrays of such values: numbers but those of bfloat16 and of fewer than eight bits, and texts.
  package static func canHold(_ value: GraphValue) -> Bool {
    switch value {
    case .tensor(let tensor): tensor.dataType != .bfloat16
    case .strings(let texts): canHold(texts.elements)
    default: false
    }
  }

  /// Writes a value that ``canHold(_:)`` lets through, whole or not at all.
  /// - Throws: ``FileError``; ``NumPyError`` and ``OperatorError`` for what NumPy does not have.
  package static func write(_ value: GraphValue, toPath path: String) throws {
    switch value {
    case .tensor(let tensor): try write(tensor, toPath: path)
    case .strings(let texts): try write(texts.elements, shape: texts.shape, toPath: path)
    default: throw OperatorError("\(path): NumPy has no arrays of \(value.type)")
    }
  }
}
