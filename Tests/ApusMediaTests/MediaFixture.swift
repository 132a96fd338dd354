import Apus
import ApusMedia
import ApusTestSupport
import Testing

/// The path of a file in `Tests/Fixtures/media`.
func mediaFixture(_ name: String) -> String { fixture("media/" + name) }

/// Picture files with what is in them: `CASE.file` and `CASE.pixels`, `[height, width, channels]`.
struct PictureCases {
  private let file: SafetensorsFile

  init(_ name: String) throws {
    file = try SafetensorsFile(path: mediaFixture(name))
  }

  var names: [String] {
    file.tensorNames.filter { $0.hasSuffix(".file") }.map { String($0.dropLast(5)) }.sorted()
  }

  func bytes(_ name: String) throws -> [UInt8] {
    try file.tensor(named: "\(name).file", as: UInt8.self).elements
  }

  func pixels(_ name: String) throws -> DecodedImage {
    let tensor = try file.anyTensor(named: "\(name).pixels")
    let sides = tensor.shape
    let color = try #require(ColorModel.allCases.first { $0.channels == sides[2] })
    if tensor.dataType == .uint16 {
      let samples = try file.tensor(named: "\(name).pixels", as: UInt16.self).elements
      return .sixteen(try Image(width: sides[1], height: sides[0], color: color, samples: samples))
    }
    let samples = try file.tensor(named: "\(name).pixels", as: UInt8.self).elements
    return .eight(try Image(width: sides[1], height: sides[0], color: color, samples: samples))
  }
}

/// What is wrong with a picture, by the error that `body` throws; `nil` when it throws none.
func refusal(_ body: () throws(ImageError) -> Void) -> ImageError.Reason? {
  do {
    try body()
    return nil
  } catch {
    return error.reason
  }
}
