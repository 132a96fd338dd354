import ApusPlatform

/// The value of an environment variable; nil when it is unset or empty.
package func environment(_ name: String) -> String? {
  guard let value = getenv(name), value.pointee != 0 else { return nil }
  return String(systemBytes: UnsafeRawBufferPointer(start: value, count: strlen(value)))
}
