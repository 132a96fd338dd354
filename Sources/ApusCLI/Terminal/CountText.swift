/// Counts as people read them.
enum CountText {
  /// `371317` as `371,317`.
  static func grouped(_ number: Int) -> String {
    var groups: [Substring] = []
    var rest = Substring("\(number)")
    while rest.count > 3 {
      groups.insert(rest.suffix(3), at: 0)
      rest = rest.dropLast(3)
    }
    return ([rest] + groups).joined(separator: ",")
  }

  /// `1 function`, `2 functions`.
  static func counted(_ number: Int, _ noun: String) -> String {
    grouped(number) + " " + noun + (number == 1 ? "" : "s")
  }
}
