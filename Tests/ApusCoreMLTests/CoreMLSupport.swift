import Apus
import ApusPlatform
import Foundation

@testable import ApusCoreML
@testable import ApusGraph

/// The path of a file in `Tests/Fixtures/coreml`.
func coreMLFixture(_ name: String = "", source: StaticString = #filePath) -> String {
  var path = "\(source)".split(separator: "/", omittingEmptySubsequences: false)
  path.removeLast(2)
  return path.joined(separator: "/") + "/Fixtures/coreml" + (name.isEmpty ? "" : "/" + name)
}

/// Why a model cannot be read; nil when it can, or for an error of another kind.
func coreMLRefusal(_ body: () throws -> Void) -> CoreMLError.Reason? {
  do {
    try body()
    return nil
  } catch {
    return (error as? CoreMLError)?.reason
  }
}

func readModel(_ bytes: [UInt8], function: String? = nil) throws -> CoreMLModel {
  try bytes.withUnsafeBytes { try CoreMLModel(bytes: $0, name: "memory", function: function) }
}

/// A copy of a fixture in a folder of its own, which `body` may change.
func withCopy<Result>(of fixture: String, _ body: (String) throws -> Result) throws -> Result {
  let folder = FileManager.default.temporaryDirectory.appending(path: "apus-coreml-\(UUID().uuidString)")
  try FileManager.default.copyItem(at: URL(filePath: coreMLFixture(fixture)), to: folder)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try body(folder.path(percentEncoded: false))
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

func field(_ number: UInt64, _ value: UInt64) -> [UInt8] { varint(number << 3) + varint(value) }
func field(_ number: UInt64, _ bytes: [UInt8]) -> [UInt8] {
  varint(number << 3 | 2) + varint(UInt64(bytes.count)) + bytes
}
func field(_ number: UInt64, _ text: String) -> [UInt8] { field(number, Array(text.utf8)) }

/// A feature `name` that is an array of `shape`.
func array(_ name: String, _ shape: [UInt64], type: UInt64 = 65568) -> [UInt8] {
  field(1, name) + field(3, field(5, shape.flatMap { field(1, $0) } + field(2, type)))
}

/// A model with an input `x` and an output `y` of `shape`, and the network or other kind in field `kind`.
func model(_ kind: UInt64, _ content: [UInt8], shape: [UInt64] = [2, 3]) -> [UInt8] {
  field(1, 6) + field(2, field(1, array("x", shape)) + field(10, array("y", shape))) + field(kind, content)
}

/// A program whose function `main` has these operations and gives `y`.
func program(_ operations: [[UInt8]], opset: String = "CoreML7", function: String = "main") -> [UInt8] {
  let block = field(2, "y") + operations.flatMap { field(3, $0) }
  let body = field(1, port("x", [2, 3])) + field(2, opset) + field(3, field(1, opset) + field(2, block))
  return field(1, 1) + field(2, field(1, function) + field(2, body))
}

/// A value of FLOAT in a program.
func port(_ name: String, _ shape: [UInt64]) -> [UInt8] {
  let dimensions = shape.flatMap { field(3, field(1, field(1, $0))) }
  return field(1, name) + field(2, field(1, field(1, 11) + field(2, UInt64(shape.count)) + dimensions))
}

/// An operation whose parameters are names.
func operation(_ type: String, _ inputs: [String: String], gives name: String, shape: [UInt64] = [2, 3]) -> [UInt8] {
  let arguments = inputs.sorted { $0.key < $1.key }.flatMap { key, value in
    field(2, field(1, key) + field(2, field(1, field(1, value))))
  }
  return field(1, type) + arguments + field(3, port(name, shape))
}

/// A layer of a network in field `kind`.
func layer(_ name: String, _ inputs: [String], _ outputs: [String], _ kind: UInt64, _ parameters: [UInt8] = [])
  -> [UInt8]
{
  field(1, name) + inputs.flatMap { field(2, $0) } + outputs.flatMap { field(3, $0) } + field(kind, parameters)
}

/// A number of four bytes in field `number`.
func field(_ number: UInt64, float value: Float) -> [UInt8] {
  varint(number << 3 | 5) + (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) }
}

/// A model with an input `x` and an output `y`, each as its description says.
func model(_ kind: UInt64, _ content: [UInt8], inputs: [[UInt8]], output: [UInt8]) -> [UInt8] {
  field(1, 6) + field(2, inputs.flatMap { field(1, $0) } + field(10, output)) + field(kind, content)
}

/// A feature `name` that is an array of `shape` by default, and of what `allowed`, fields of its type, says besides.
func array(_ name: String, _ shape: [UInt64], allowed: [UInt8]) -> [UInt8] {
  field(1, name) + field(3, field(5, shape.flatMap { field(1, $0) } + field(2, 65568) + allowed))
}

/// What makes an array's extents lie in ranges.
func ranges(_ ranges: [ClosedRange<UInt64>]) -> [UInt8] {
  field(31, ranges.flatMap { field(1, field(1, $0.lowerBound) + field(2, $0.upperBound)) })
}

/// What makes an array's shape one of a list.
func enumerated(_ shapes: [[UInt64]]) -> [UInt8] {
  field(21, shapes.flatMap { field(1, $0.flatMap { field(1, $0) }) })
}

// MARK: - Programs made by hand

/// A value of a program: FLOAT, or INT32.
struct ProgramPort {
  let name: String
  /// nil within for an extent that is known when the program runs.
  let shape: [UInt64?]
  var isInteger = false

  fileprivate var bytes: [UInt8] {
    field(1, name) + field(2, ProgramValue.type(shape, isInteger: isInteger))
  }
}

/// A constant of a program.
enum ProgramValue {
  case floats([Float], [UInt64])
  case integers([Int], [UInt64])
  case bytes([UInt8], [UInt64])
  case text(String)

  static func type(_ shape: [UInt64?], isInteger: Bool = false, number: UInt64? = nil) -> [UInt8] {
    let dimensions = shape.flatMap { field(3, $0.map { field(1, field(1, $0)) } ?? field(2, field(1, 0))) }
    return field(1, field(1, number ?? (isInteger ? 23 : 11)) + field(2, UInt64(shape.count)) + dimensions)
  }

  fileprivate var bytes: [UInt8] {
    switch self {
    case .floats(let values, let shape):
      field(2, Self.type(shape))
        + field(3, field(1, field(1, values.flatMap { field(1, float: $0) })))
    case .integers(let values, let shape):
      field(2, Self.type(shape, isInteger: true))
        + field(3, field(1, field(2, values.flatMap { field(1, UInt64(bitPattern: Int64($0))) })))
    case .bytes(let values, let shape):
      field(2, Self.type(shape, number: 31)) + field(3, field(1, field(7, field(1, values))))
    case .text(let text):
      field(2, Self.type([], number: 2)) + field(3, field(1, field(4, field(1, text))))
    }
  }
}

/// An operation whose parameters are values of the program and constants.
func operation(
  _ type: String, _ inputs: [String: String], _ constants: [String: ProgramValue], gives outputs: [ProgramPort]
) -> [UInt8] {
  func argument(_ key: String, _ binding: [UInt8]) -> [UInt8] {
    field(2, field(1, key) + field(2, field(1, binding)))
  }
  return field(1, type) + inputs.sorted { $0.key < $1.key }.flatMap { argument($0.key, field(1, $0.value)) }
    + constants.sorted { $0.key < $1.key }.flatMap { argument($0.key, field(2, $0.value.bytes)) }
    + outputs.flatMap { field(3, $0.bytes) }
}

/// Attributes of an operation, to be appended to it.
func attributes(_ values: [String: ProgramValue]) -> [UInt8] {
  values.sorted { $0.key < $1.key }.flatMap { field(5, field(1, $0.key) + field(2, $0.value.bytes)) }
}

/// A model of a program with these operations. Open extents of inputs lie between 1 and 64, 8 by default.
func programModel(
  inputs: [ProgramPort], _ operations: [[UInt8]], outputs: [ProgramPort], opset: String = "CoreML7"
) -> [UInt8] {
  let block = outputs.flatMap { field(2, $0.name) } + operations.flatMap { field(3, $0) }
  let body = inputs.flatMap { field(1, $0.bytes) } + field(2, opset) + field(3, field(1, opset) + field(2, block))
  func feature(_ port: ProgramPort) -> [UInt8] {
    let allowed = port.shape.contains(nil) ? ranges(port.shape.map { $0.map { $0...$0 } ?? 1...64 }) : []
    return field(1, port.name)
      + field(
        3,
        field(5, port.shape.flatMap { field(1, $0 ?? 8) } + field(2, port.isInteger ? 131_104 : 65_568) + allowed))
  }
  return field(1, 8)
    + field(2, inputs.flatMap { field(1, feature($0)) } + outputs.flatMap { field(10, feature($0)) })
    + field(502, field(1, 1) + field(2, field(1, "main") + field(2, body)))
}
