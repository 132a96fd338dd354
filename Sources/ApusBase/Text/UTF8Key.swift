/// A name from a file as a dictionary key: equal when the bytes are equal.
///
/// `String` compares by canonical equivalence, so two different names of one file may count as one; and it normalises
/// to do so, which takes quadratic time on a long run of combining marks. Neither may happen to a hostile file.
package struct UTF8Key: Hashable, Sendable {
  package let string: String

  package init(_ string: String) {
    self.string = string
  }

  package static func == (a: UTF8Key, b: UTF8Key) -> Bool {
    a.string.utf8.elementsEqual(b.string.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    var copy = string
    copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(string.utf8.count)
  }
}
