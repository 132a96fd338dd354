import Apus

extension GraphValue {
  /// Whether types, shapes and every bit agree.
  package func hasSameBits(as other: GraphValue) throws -> Bool {
    switch (self, other) {
    case (.tensor(let a), .tensor(let b)):
      guard a.dataType == b.dataType, a.shape == b.shape else { return false }
      return try a.withUnsafeBytes { a in try b.withUnsafeBytes { b in a.elementsEqual(b) } }
    case (.coded(let a), .coded(let b)):
      return try a.elementType == b.elementType && a.shape == b.shape && a.codes.elements == b.codes.elements
    case (.strings(let a), .strings(let b)): return a == b
    case (.sequence(let a, _), .sequence(let b, _)):
      return try a.count == b.count && zip(a, b).allSatisfy { try $0.hasSameBits(as: $1) }
    case (.optional(let a, _), .optional(let b, _)):
      guard let a, let b else { return a == nil && b == nil }
      return try a.hasSameBits(as: b)
    default: return false
    }
  }
}
