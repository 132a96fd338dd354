/// The order in which people number files: numbers in names count as numbers, anything else by its bytes.
package enum NameOrder {
  /// Whether `a` comes before `b`. Of equal numbers the one with fewer digits comes first.
  package static func comesBefore(_ a: String, _ b: String) -> Bool {
    let (left, right) = (Array(a.utf8), Array(b.utf8))
    func digits(_ text: [UInt8], _ start: Int) -> ArraySlice<UInt8> {
      text[start...].prefix { (0x30...0x39).contains($0) }
    }
    var (i, j) = (0, 0)
    while i < left.count, j < right.count {
      let (first, second) = (digits(left, i), digits(right, j))
      if first.isEmpty || second.isEmpty {
        if left[i] != right[j] { return left[i] < right[j] }
        (i, j) = (i + 1, j + 1)
        continue
      }
      let (number, other) = (first.drop { $0 == 0x30 }, second.drop { $0 == 0x30 })
      if number.count != other.count { return number.count < other.count }
      if !number.elementsEqual(other) { return number.lexicographicallyPrecedes(other) }
      (i, j) = (i + first.count, j + second.count)
    }
    let (leftRest, rightRest) = (left.count - i, right.count - j)
    guard leftRest == rightRest else { return leftRest < rightRest }
    // The same but for zeros before numbers: the order is always the same.
    return left.count == right.count ? left.lexicographicallyPrecedes(right) : left.count < right.count
  }
}
