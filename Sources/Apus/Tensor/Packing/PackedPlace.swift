/// Where weights that are laid out are looked for, and remembered when they are not there.
struct PackedPlace: Sendable {
  let cache: PackedCache
  let key: PackedKey

  private init(cache: PackedCache, key: PackedKey) {
    (self.cache, self.key) = (cache, key)
  }

  /// A place in the cache of the session that is being prepared; nil where there is none, as in every run.
  ///
  /// - Parameters:
  ///   - name: what lays the weights out.
  ///   - sizes: all that decides, beside the kernels and the numbers, what comes out.
  ///   - identify: adds the numbers.
  static func current(_ name: StaticString, _ sizes: [Int], _ identify: (inout PackedKey) -> Void) -> PackedPlace? {
    guard let cache = PackedCache.current else { return nil }
    var key = PackedKey(name, sizes)
    identify(&key)
    return PackedPlace(cache: cache, key: key)
  }
}
