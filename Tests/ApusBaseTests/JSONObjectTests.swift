import ApusBase
import Testing

struct JSONObjectTests {
  @Test func membersStandInTheirOrder() {
    var inner = JSONObject()
    inner.add("a", 1)
    var object = JSONObject()
    object.add("z", -7)
    object.add("double", 0.1)
    object.add("float", Float(0.1))
    object.add("large", 1e300)
    object.add("flag", true)
    object.add("nothing", JSONObject())
    object.add("object", inner)
    object.add("objects", [inner, JSONObject(), inner])
    object.add("texts", ["x", "", "\"y\\"])
    object.add("none", [String]())
    object.add("ké\n", "ünï\u{0}")
    #expect(
      object.text
        == #"{"z":-7,"double":0.1,"float":0.1,"large":1e+300,"flag":true,"nothing":{},"object":{"a":1},"#
        + #""objects":[{"a":1},{},{"a":1}],"texts":["x","","\"y\\"],"none":[],"ké\u000a":"ünï\u0000"}"#)
    #expect(JSONObject().text == "{}")
  }

  @Test func numbersThatJSONLacksAreNull() {
    var object = JSONObject()
    object.add("a", Double.nan)
    object.add("b", -Float.infinity)
    object.add("c", Double.infinity)
    #expect(object.text == #"{"a":null,"b":null,"c":null}"#)
  }

  /// Every character that may have to be escaped, alone and between others, against the definition by characters.
  @Test(arguments: [false, true])
  func charactersAreEscapedAsJSONHasIt(usesLetters: Bool) {
    for scalar in (UInt32(0)...0x17F).compactMap(Unicode.Scalar.init) + ["\u{2028}", "\u{FFFD}", "\u{1F415}"] {
      let escaped = escape(scalar, usesLetters: usesLetters)
      for (before, after) in [("", ""), ("ab", "cd"), ("é", "🐕"), ("\n", "\n")] {
        let ends = [before, after].map { $0 == "\n" ? escape("\n", usesLetters: usesLetters) : $0 }
        let text = before + String(Character(scalar)) + after
        let quoted = JSONObject.quoted(text, usesLetters: usesLetters)
        #expect(Array(quoted.utf8) == Array("\"\(ends[0])\(escaped)\(ends[1])\"".utf8))
      }
    }
  }

  private func escape(_ scalar: Unicode.Scalar, usesLetters: Bool) -> String {
    let letters: [Unicode.Scalar: String] =
      usesLetters ? ["\n": #"\n"#, "\r": #"\r"#, "\t": #"\t"#, "\u{8}": #"\b"#, "\u{C}": #"\f"#] : [:]
    if scalar == "\"" || scalar == "\\" { return "\\" + String(Character(scalar)) }
    guard scalar.value < 0x20 else { return String(Character(scalar)) }
    let digits = String(scalar.value, radix: 16)
    return letters[scalar] ?? "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
