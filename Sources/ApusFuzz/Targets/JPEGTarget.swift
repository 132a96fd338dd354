import Apus
import ApusMedia

/// JPEG files of every kind, and what the encoder makes of the pictures.
struct JPEGTarget: FuzzTarget {
  let name = "jpeg"
  let summary = "JPEG files: baseline and progressive, every sampling, restarts, Exif; and their pixels written again"

  private static let limits = ImageLimits(pixels: 1 << 16)

  /// Markers, and what they are followed by.
  var dictionary: [String] { ["\u{1}\u{1}", "Exif\0\0MM\0*", "Exif\0\0II*\0", "JFIF\0", "Adobe\0d"] }

  func seeds() throws -> [[UInt8]] {
    let image = try Image<UInt8>(width: 19, height: 18, color: .rgb) { samples in
      for index in 0..<samples.count {
        samples[index] = UInt8(truncatingIfNeeded: index * index / 97 + index % 3 * 60)
      }
    }
    let gray = try Image<UInt8>(
      width: 9, height: 9, color: .gray, samples: (0..<81).map { UInt8(truncatingIfNeeded: $0 * 5) })
    let written =
      try JPEGEncoder.Subsampling.allCases.map { try JPEGEncoder.encode(image, quality: 60, subsampling: $0) }
      + [JPEGEncoder.encode(gray, quality: 90)]
    return written + [Self.turned(written[0])] + [Self.progressive, Self.separate, Self.inks].map(Self.bytes)
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    try outcome(allowing: ImageError.self) {
      let picture: JPEGPicture
      do throws(ImageError) {
        picture = try JPEGDecoder.decode(input, limits: Self.limits)
      } catch {
        guard error.format == .jpeg, let offset = error.offset, 0...input.count ~= offset else {
          throw FuzzFinding(message: "an error without its place: \(error)")
        }
        throw error
      }
      let image = picture.orientation.oriented(picture.image)
      guard image.samples.count == picture.image.samples.count else {
        throw FuzzFinding(message: "a turned picture of another size")
      }
      guard image.samples.count < 1 << 13 else { return }
      let bytes = try JPEGEncoder.encode(image, quality: 1 + input.count % 100)
      let again = try bytes.withUnsafeBytes { try JPEGDecoder.decode($0) }
      guard again.image.width == image.width, again.image.height == image.height else {
        throw FuzzFinding(message: "a picture that is written and read has another size")
      }
    }
  }

  /// With Exif data that say that it is to be turned.
  private static func turned(_ file: [UInt8]) -> [UInt8] {
    let exif: [UInt8] =
      Array("Exif\0\0MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]
    return file[..<2] + [0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif + file[2...]
  }

  private static func bytes(_ digits: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var upper: UInt8?
    for digit in digits {
      let value = UInt8(truncatingIfNeeded: digit.hexDigitValue ?? 0)
      if let half = upper { bytes.append(half << 4 | value) }
      upper = upper == nil ? value : nil
    }
    return bytes
  }

  /// Ten progressive scans of 18 × 17 pixels, with every second difference of colour both ways.
  private static let progressive = """
    FFD8FFDB0043000D090A0B0A080D0B0A0B0E0E0D0F13201513121213271C1E17202E2931302E292D2C333A4A3E333646372C2D405741464C\
    4E525352323E5A615A50604A51524FFFDB0043010E0E0E131113261515264F352D354F4F4F4F4F4F4F4F4F4F4F4F4F4F4F4F4F4F4F4F4F4F\
    4F4F4F4F4F4F4F4F4F4F4F4F4F4F4F4F4F4F4F4F4F4F4F4F4F4F4F4FFFC20011080011001203012200021101031101FFC400180001010101\
    0100000000000000000000000005040203FFC40017010003010000000000000000000000000002030405FFDA000C03010002100310000001\
    BDE19A541456415CEDF885BB81A03FFFC4001B10000300020300000000000000000000000001020310111321FFDA00080101000105027456\
    448EE45642EFDE4B2B5FFFC4001C1100010305000000000000000000000000000102031012132131FFDA0008010301013F018E2B9366241B\
    CA7FFFC4001C1100010305000000000000000000000000020003101214213151FFDA0008010201013F01A49D3CAB11EA6F71FFC400141001\
    00000000000000000000000000000030FFDA0008010100063F021FFFC4001B10000300020300000000000000000000000001112141103161\
    FFDA0008010100013F2182C0832D53D50B5B2ED1ECB3BB36E3FFDA000C030100020003000000101FE87FFFC4001711010003000000000000\
    0000000000000011012021FFDA0008010301013F10DD88503FFFC400191100020301000000000000000000000000000110112131FFDA0008\
    010201013F105538421728FFC4001D10000201040300000000000000000000000001111021319161C1D1FFDA0008010100013F104D83D12D\
    49B32F0393B87FE47CD2EC73BDD26547FFD9
    """

  /// Two scans, rows of colours halved, and restart markers.
  private static let separate = """
    FFD8FFDB004300140E0F120F0D14121012171514181E32211E1C1C1E3D2C2E243249404C4B47404645505A736250556D5645466488656D77\
    7B8182814E608D978C7D96737E817CFFDB0043011517171E1A1E3B21213B7C5346537C7C7C7C7C7C7C7C7C7C7C7C7C7C7C7C7C7C7C7C7C7C\
    7C7C7C7C7C7C7C7C7C7C7C7C7C7C7C7C7C7C7C7C7C7C7C7C7C7C7C7CFFC00011080011001203011200021101031101FFC400180000030101\
    0000000000000000000000000005060204FFC400221000020102050500000000000000000000000102030405112131321213517191FFC400\
    160101010100000000000000000000000000030504FFC4001B11000202030100000000000000000000000001020313143121FFDD00040002\
    FFDA000A0201000311003F00A79D6515A21557BD8C5F21AAAE4DFA8ECAB770847592CFD9337575D52964F766BD58F4FFD068F10A79F25F49\
    8EECBC94B0A19DD6EC0781FFD15D577605D7C30019FFC40017010003010000000000000000000000000001020504FFC4001D110002020105\
    000000000000000000000000030102310405223251FFDA0008010211003F0096D632D880A74B2C9E527FFFD011B753D32D727FFFD154F628\
    9FFFD9
    """

  /// Four inks.
  private static let inks = """
    FFD8FFEE000E41646F626500640000000000FFDB004300140E0F120F0D14121012171514181E32211E1C1C1E3D2C2E243249404C4B474046\
    45505A736250556D5645466488656D777B8182814E608D978C7D96737E817CFFC000140800090009044311004D11005911004B1100FFC400\
    1800000301010000000000000000000000000203050406FFC400281000010302040407000000000000000000020001030511041314312132\
    8192335152537191A1FFDA000E0443004D0059004B00003F00E4E58E67276CB3ED5CA846265C4C7ED22934C0289CC9EC4DB35F755E9F838A\
    3C191995A46BD9AFBF04BCA93DB3ED74FD28FAC3F154D0B7920CC6564F6759F0BCDD1153B91BA2D0FE0B7C215BD5153D7FFFD9
    """
}
