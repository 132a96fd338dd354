import Apus
import ApusMedia

/// The reader of ZIP archives of pictures.
struct ImageArchiveTarget: FuzzTarget {
  let name = "image-archive"
  let summary = "ZIP archives of pictures: names, folders, stored and deflated entries"
  let dictionary = NPZTarget().dictionary + ["1.png", "2.png", "a/", "../", "__MACOSX/", "\u{89}PNG", "P5 1 1 255\n"]

  func seeds() throws -> [[UInt8]] {
    let zip = NPZTarget()
    let image = try Image<UInt8>(width: 2, height: 1, color: .gray, samples: [1, 2])
    let (png, pgm) = (PNGEncoder.encode(image), Array("P5 2 1 255\n".utf8) + [3, 4])
    return [
      zip.archive([("1.png", png, png, 0), ("2.pgm", pgm, pgm, 0), ("notes.txt", [65], [65], 0)]),
      zip.archive([("a/", [], [], 0), ("a/1.png", png, zip.stored(png), 8), ("a/2.png", pgm, pgm, 0)]),
      zip.archive([("a/1.png", png, png, 0), ("__MACOSX/a/._1.png", [0], [0], 0)], wide: true),
    ]
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    try outcome(allowing: ImageArchiveError.self, ImageError.self, FileError.self) {
      let archive = try ImageArchive(bytes: input, name: "input")
      for picture in archive.pictures {
        _ = try archive.read(picture, limits: ImageLimits(pixels: 1 << 14))
      }
    }
  }

  func mend(_ input: inout [UInt8]) { NPZTarget().mend(&input) }
}
