import ApusBase

extension JSONScanner {
  /// The number of a frame's picture, from 0. What else a key `frame` may hold is passed over.
  mutating func pictureNumber() throws(Failure) -> Int? {
    guard let first = peek(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
      try skipValue()
      return nil
    }
    return Int(exactly: try number("a number"))
  }
}
