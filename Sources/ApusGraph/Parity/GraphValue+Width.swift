import Apus

extension GraphValue {
  /// Numbers of the same kind in the width that another format has for them.
  func counted(as type: ElementType?) throws -> GraphValue {
    guard case .tensor(let any) = self, let wanted = type?.dataType, wanted != any.dataType, wanted != .bool,
      any.dataType != .bool, wanted.isFloatingPoint == any.dataType.isFloatingPoint
    else { return self }
    return .tensor(try any.converted(to: wanted))
  }
}
