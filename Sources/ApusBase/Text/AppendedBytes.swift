extension [UInt8] {
  /// The same as `append(contentsOf:)`, for functions that are compiled once for sequences of every kind: there the bytes
  /// would come one by one through calls.
  package mutating func appendBytes(_ bytes: some Sequence<UInt8>) {
    guard bytes.withContiguousStorageIfAvailable({ append(contentsOf: $0) }) == nil else { return }
    append(contentsOf: bytes)
  }
}
