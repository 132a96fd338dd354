import Apus
import ApusPlatform
import ApusTestSupport
import FoundationEssentials

@testable import ApusGraph
@testable import ApusONNX

/// The path of a file in `Tests/Fixtures/onnx`.
func onnxFixture(_ name: String) -> String { fixture("onnx/" + name) }

func bytes(ofONNXFixture name: String) throws -> [UInt8] {
  try Array(Data(contentsOf: URL(filePath: onnxFixture(name))))
}

func readModel(_ bytes: [UInt8]) throws -> ModelProto {
  try bytes.withUnsafeBytes { try ModelProto.read(bytes: $0, name: "memory") }
}

func readValue(_ bytes: [UInt8], as type: GraphValueType = .tensor(nil, nil)) throws -> GraphValue {
  try bytes.withUnsafeBytes { try ValueFile.read(bytes: $0, name: "memory", as: type).value }
}

/// Why `body` fails; nil when it does not, or with another kind of error.
func onnxRefusal(_ body: () throws -> Void) -> ONNXFileError.Reason? {
  do {
    try body()
    return nil
  } catch {
    return (error as? ONNXFileError)?.reason
  }
}

/// What is wrong with the tensor that `body` reads; nil when nothing is.
func tensorRefusal(_ body: () throws -> Void) -> ONNXFileError.TensorReason? {
  if case .tensor(_, let reason)? = onnxRefusal(body) { reason } else { nil }
}

/// What is wrong with the encoding of what `body` reads; nil when nothing is.
func protobufRefusal(_ body: () throws -> Void) -> ProtobufError? {
  if case .protobuf(let error)? = onnxRefusal(body) { error } else { nil }
}

/// A value of another kind than the test is about.
struct Unexpected: Error {
  let what: String

  init(_ what: String) {
    self.what = what
  }
}

// MARK: - Messages made by hand

func varint(_ value: UInt64) -> [UInt8] {
  var (rest, result) = (value, [UInt8]())
  while rest >= 0x80 {
    result.append(UInt8(rest & 0x7F) | 0x80)
    rest >>= 7
  }
  return result + [UInt8(rest)]
}

func field(_ number: UInt64, _ value: Int64) -> [UInt8] {
  varint(number << 3) + varint(UInt64(bitPattern: value))
}

func field(_ number: UInt64, _ bytes: [UInt8]) -> [UInt8] {
  varint(number << 3 | 2) + varint(UInt64(bytes.count)) + bytes
}

func field(_ number: UInt64, _ text: String) -> [UInt8] {
  field(number, Array(text.utf8))
}

func packed(_ values: [Int64]) -> [UInt8] {
  values.flatMap { varint(UInt64(bitPattern: $0)) }
}

/// `TensorProto` of a type and extents, with other fields.
func tensorBytes(_ type: Int64, _ dims: [Int64], _ fields: [UInt8]..., name: String = "t") -> [UInt8] {
  field(8, name) + field(1, packed(dims)) + field(2, type) + fields.flatMap { $0 }
}

/// `ModelProto` of one constant.
func modelBytes(initializer: [UInt8]) -> [UInt8] {
  field(1, 10) + field(8, field(1, "") + field(2, 21)) + field(7, field(5, initializer))
}

// MARK: - Files

/// A new, empty folder that is removed with everything in it when this goes away.
final class ScratchFolder {
  let path: String

  init() throws {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/apus-onnx-XXXXXX".utf8CString)
    // What `mkdtemp` returns points into the template, which need not outlive a call that takes it by `&`.
    path = try template.withUnsafeMutableBufferPointer { name in
      guard let made = name.baseAddress.flatMap({ mkdtemp($0) }) else {
        throw FileError.unwritable(path: parent, reason: "mkdtemp")
      }
      return String(cString: made)
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ bytes: [UInt8], to name: String) throws -> String {
    let file = "\(path)/\(name)"
    try Data(bytes).write(to: URL(filePath: file))
    return file
  }

  func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: false)
  }

  func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: "\(path)/\(name)", withDestinationPath: target)
  }
}
