/// Numbers made from a counter: what weights and pictures that are not stored are made of.
package protocol GenerationKernels {
  /// `y[i] = mean + deviation · z(first + i)`, computed in float64 and rounded once; `z` is bell-shaped, of mean 0,
  /// deviation 1, and at most 3.47.
  ///
  /// Element `i` hashes the counter as SplitMix64 does, and adds up the four 16-bit parts of the hash:
  ///
  ///     h = seed + (i + 1) · 0x9E3779B97F4A7C15
  ///     h = (h xor h >> 30) · 0xBF58476D1CE4E5B9;  h = (h xor h >> 27) · 0x94D049BB133111EB;  h = h xor h >> 31
  ///     z = (the sum of the parts - 131070) · 2.642914e-5
  ///
  /// The factor is √3 / 65536 in five digits, which files made of such numbers depend on.
  static func generate(
    seed: UInt64, first: Int, count: Int, mean: Double, deviation: Double, _ y: UnsafeMutablePointer<Float>)
}
