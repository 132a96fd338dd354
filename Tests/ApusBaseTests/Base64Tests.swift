import Foundation
import Testing

@testable import ApusBase

@Suite struct Base64Tests {
  @Test(arguments: 0...7) func textAndBytesAreThoseOfFoundation(count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 97 &+ 200) }
    let text = Data(bytes).base64EncodedString()
    #expect(Base64.text(bytes) == text)
    #expect(Base64.bytes(of: text) == bytes)
  }

  @Test(arguments: ["A", "AAA", "AA=A", "====", "A===", "AA-A", "AAA\n", "AAé", "=AAA"])
  func otherTextsAreNone(text: String) {
    #expect(Base64.bytes(of: text) == nil)
  }
}
