import Apus

extension GraphValue {
  /// Numbers of the same kind in the width that another format has for them.
  func counted(as type: ElementType?) throws -> GraphValue {
    guard case .tensor(let any) = self, let wanted = type?.dataType, wanted != any.dataType, wanted != .bool,
      any.dataType != .bool, wanted.isFloatingPoint == any.dataType.isFloatingPoint
    else { return self }
    return .tensor(try any.converted(to: wanted))
  }

  /// Numbers in the type that a model declares of an input: rounded, of floating-point types, and otherwise the same
  /// numbers, whole ones that one format has as integers and another as floating-point numbers for example. As it is where
  /// the type does not have them all.
  func given(as type: ElementType?) throws -> GraphValue {
    guard case .tensor(let any) = self, let wanted = type?.dataType, wanted != any.dataType, wanted != .bool,
      any.dataType != .bool
    else { return self }
    let given = try any.converted(to: wanted)
    if wanted.isFloatingPoint, any.dataType.isFloatingPoint { return .tensor(given) }
    let (old, new) = (try any.converted(to: Double.self), try given.converted(to: Double.self))
    let isSame = try old.withUnsafeBufferPointer { old in
      try new.withUnsafeBufferPointer { new in
        // What does not fit saturates, and Double does not tell the largest integers of 64 bits apart.
        zip(old, new).allSatisfy { $0 == $1 && $0.magnitude <= 0x1p53 }
      }
    }
    return isSame ? .tensor(given) : self
  }
}
