/// A pointer that may cross into another thread: the caller promises that threads write disjoint parts.
struct Unchecked<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
