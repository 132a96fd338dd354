import Apus
import ApusMedia

/// The reader of Netpbm files, and the writer on what it accepts.
struct NetpbmTarget: FuzzTarget {
  let name = "netpbm"
  let summary = "Netpbm files: P1 to P7, numbers, comments; and writing them again"
  let dictionary = [
    "P1 ", "P2\n", "P3\n", "P4 ", "P5\n", "P6\n", "P7\n", "#\n", "WIDTH ", "HEIGHT ", "DEPTH ", "MAXVAL ", "TUPLTYPE ",
    "GRAYSCALE", "RGB_ALPHA", "ENDHDR\n", "65535\n", "255\n",
  ]

  func seeds() throws -> [[UInt8]] {
    let texts = [
      "P1\n# c\n3 2\n10 1\n001", "P2 2 2 9\n1 2 3 4", "P3\n1 2\n1000\n1 2 3\n999 1000 0\n", "P4 9 1\nab",
      "P5 2 2 255\nabcd", "P5 2 1 300\n\0a\0b", "P6\n1 1\n200\nabc", "P6 1 1 65535 abcdef",
      "P7\nWIDTH 1\nHEIGHT 2\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\nabcdefgh",
    ]
    return texts.map { Array($0.utf8) }
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    try outcome(allowing: ImageError.self) {
      let picture = try NetpbmDecoder.decode(input, limits: ImageLimits(pixels: 1 << 18))
      guard !picture.color.hasAlpha else { return }
      let bytes =
        switch picture {
        case .eight(let image): try NetpbmEncoder.encode(image)
        case .sixteen(let image): try NetpbmEncoder.encode(image)
        }
      guard try bytes.withUnsafeBytes({ try NetpbmDecoder.decode($0) }) == picture else {
        throw FuzzFinding(message: "the picture comes back different when it is written")
      }
    }
  }
}
