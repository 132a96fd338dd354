import Apus

/// Sizes as people read them.
enum ByteText {
  /// `512 B`, `84.0 KiB`, `1.4 MiB`.
  static func size(_ bytes: Int) -> String {
    var value = Double(bytes)
    var unit = "B"
    for next in ["KiB", "MiB", "GiB", "TiB"] where value >= 1024 {
      value /= 1024
      unit = next
    }
    return unit == "B" ? "\(bytes) B" : NumberText.fixed(value, decimals: 1) + " " + unit
  }
}
