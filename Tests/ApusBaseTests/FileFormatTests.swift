import ApusTestSupport
import FoundationEssentials
import Testing

@testable import ApusBase

/// Beginnings of files as the formats' specifications have them, and folders by the files that make them what they are.
struct FileFormatTests {
  private func format(_ bytes: [UInt8], named name: String = "data") throws -> FileFormat {
    let folder = try TemporaryFolder()
    return try FileFormat(of: folder.write(bytes, to: name))
  }

  /// A field of a protocol buffer that holds bytes.
  private func field(_ number: UInt64, _ bytes: [UInt8]) -> [UInt8] {
    varint(number << 3 | 2) + varint(UInt64(bytes.count)) + bytes
  }

  private func varint(_ value: UInt64) -> [UInt8] {
    var (rest, result) = (value, [UInt8]())
    while rest >= 0x80 {
      result.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    return result + [UInt8(rest)]
  }

  private static let tensorFlowLite: [UInt8] = [0x20, 0, 0, 0] + Array("TFL3".utf8)
  private static let onnxRuntime: [UInt8] = [0x18, 0, 0, 0] + Array("ORTM".utf8)
  private static let npy: [UInt8] = [0x93] + Array("NUMPY".utf8) + [1, 0]
  private static let safetensors: [UInt8] = [10, 0, 0, 0, 0, 0, 0, 0] + Array("{\"a\":1}   ".utf8)
  private static let marks: [([UInt8], FileFormat)] = [
    (Array("version https://git-lfs.github.com/spec/v1\noid sha256:0\n".utf8), .gitLFSPointer),
    (tensorFlowLite, .tensorFlowLite), (onnxRuntime, .onnxRuntime), (Array("GGUF v".utf8), .gguf),
    ([0x89, 0x48, 0x44, 0x46, 0x0D, 0x0A, 0x1A, 0x0A], .hdf5), ([0x1F, 0x8B, 8, 0], .gzip), (npy, .npy),
    (safetensors, .safetensors), (Array("<?xml version=\"1.0\"?>".utf8), .markup),
    (Array(" {\"a\": 1}".utf8), .json), (Array("ir_version: 10\n".utf8), .text),
    (Array("[1, 2]".utf8), .json), (Array("[PAD]\n[UNK]\n".utf8), .text), (Array("[".utf8), .json),
    (Array("BZh91AY&SY".utf8), .compressed), ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0, 0, 4], .compressed),
    ([0x80, 2, 0x7D, 0x71, 0, 0x2E], .pickle), ([0xFF, 1, 0xFE], .unknown), (Array("PK\u{3}\u{4}ab".utf8), .zip),
  ]

  @Test(arguments: marks)
  func marksAtTheBeginningAreKnown(bytes: [UInt8], expected: FileFormat) throws {
    #expect(try format(bytes) == expected)
  }

  @Test func fieldsTellProtocolBuffersApart() throws {
    let version = [0x08, 10] as [UInt8]
    #expect(try format(version + field(2, Array("pytorch".utf8)) + field(7, [])) == .onnx)
    #expect(try format(version + field(8, [0x10, 17])) == .onnx)
    #expect(try format(version + field(2, field(1, [])) + field(502, [1, 2, 3])) == .coreMLModel)
    #expect(try format(version + field(2, field(1, [])) + field(200, [])) == .coreMLModel)
    // The letters of another format where an ONNX model has its producer's name.
    #expect(try format(version + field(2, Array("TFL3".utf8)) + field(7, [])) == .onnx)
    // A length beyond the end, a field number of 0, a varint without an end: no message.
    #expect(try format(version + [0x12, 0x7F, 0x00]) == .unknown)
    #expect(try format([0x00, 0x01, 0xFF]) == .unknown)
    #expect(try format([0x08] + [UInt8](repeating: 0xFF, count: 12)) == .unknown)
    // Nothing but versions, without an end.
    #expect(try format(Array(repeatElement(version, count: 5000).joined())) == .unknown)
  }

  private static let archives: [([String], FileFormat)] = [
    (["model/data.pkl", "model/byteorder", "model/data/0"], .torchCheckpoint),
    (["m/data.pkl", "m/code/__torch__.py", "m/constants.pkl"], .torchScript),
    (["m/archive_format", "m/models/model.json", "m/data/weights/weight_0"], .torchExport),
    (["metadata.json", "config.json", "model.weights.h5"], .keras), (["a.npy", "b.npy"], .npz),
    (["a.npy", "read.me"], .zip), (["pose_detector.tflite", "pose_landmarks.tflite"], .mediaPipeTask),
  ]

  @Test(arguments: archives)
  func namesTellArchivesApart(names: [String], expected: FileFormat) throws {
    var zip = ZipBuilder([:])
    zip.entries = names.map { ZipBuilder.Entry($0, [1, 2, 3]) }
    #expect(try format(zip.bytes) == expected)
  }

  private static let folders: [(String, FileFormat)] = [
    ("Manifest.json", .coreMLPackage), ("coremldata.bin", .compiledCoreML), ("saved_model.pb", .savedModel),
    ("config.json", .pretrainedFolder),
  ]

  @Test(arguments: folders)
  func foldersAreToldByTheirFiles(file: String, expected: FileFormat) throws {
    let folder = try TemporaryFolder()
    _ = try folder.write([1], to: file)
    #expect(try FileFormat(of: folder.path) == expected)
  }

  /// The reader of that format says what is wrong with the file.
  @Test func damagedFilesAreWhatTheirNamesSay() throws {
    let endings: [(String, FileFormat)] = [
      ("onnx", .onnx), ("safetensors", .safetensors), ("npy", .npy), ("NPZ", .npz), ("bin", .unknown),
    ]
    for (ending, expected) in endings {
      #expect(try format([0xFF, 0, 1], named: "file.\(ending)") == expected)
    }
    // What is known for certain counts more than a name.
    #expect(try format(Array("<html>".utf8), named: "model.onnx") == .markup)
  }

  @Test func whatCannotBeOpenedIsAFileError() throws {
    let folder = try TemporaryFolder()
    #expect(throws: FileError.notFound(path: "\(folder.path)/none")) { try FileFormat(of: "\(folder.path)/none") }
    #expect(throws: FileError.isDirectory(path: folder.path)) { try FileFormat(of: folder.path) }
    let empty = try folder.write([], to: "empty")
    #expect(throws: FileError.empty(path: empty)) { try FileFormat(of: empty) }
  }

  /// Whoever opens a model with the type of another format is not to export it.
  @Test(arguments: [
    (FileFormat.onnx, "ONNXModel"), (.coreMLModel, "CoreMLModel"), (.coreMLPackage, "CoreMLModel"),
    (.torchExport, "TorchModel"),
  ])
  func aFormatThatRunsHasAType(format: FileFormat, type: String) {
    let advice = format.advice(for: .model)
    #expect(advice.contains(type) && advice.contains("ModelFile.open") && !advice.contains("export"))
  }

  @Test(arguments: FileFormat.allCases)
  func everyFormatHasAWayOut(format: FileFormat) {
    for purpose in [FileFormatError.Purpose.model, .weights, .tensors] {
      let error = FileFormatError(path: "x", found: format, purpose: purpose)
      #expect("\(error)".hasPrefix("x: is ") && "\(error)".contains("; ") && error.fault == .data)
    }
  }
}
