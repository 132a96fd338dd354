import Apus
import ApusPlatform

/// Something that reads bytes from outside, and must never trap, hang, or use much memory, whatever they are.
///
/// To add one: conform a type to this in a file of its own, and put it into ``fuzzTargets``.
protocol FuzzTarget: Sendable {
  /// What `--target` calls it.
  var name: String { get }
  /// One line for `--list`.
  var summary: String { get }
  /// Small sound inputs, made in code, that are mutated.
  func seeds() throws -> [[UInt8]]
  /// Words of the format, which chance would not find.
  var dictionary: [String] { get }
  /// How many inputs `--long` gives it.
  var longRun: UInt64 { get }
  /// Makes lengths and checksums fit again, so that mutations reach what lies behind them. Half of the inputs are
  /// mended.
  func mend(_ input: inout [UInt8])
  /// An input with one change to what its format is made of (a field, a value, an entry), so that it stays mostly sound.
  /// Half of the inputs are made so.
  /// - Parameter other: another input, to take parts from.
  /// - Returns: nil where nothing of the format is left to change.
  func vary(_ input: [UInt8], with other: [UInt8], using random: inout SplitMix64) -> [UInt8]?
  /// Reads `input` and uses whatever comes out.
  /// - Throws: ``FuzzFinding`` when an error is of the wrong type, or a result contradicts itself. Nothing else.
  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome
}

extension FuzzTarget {
  var dictionary: [String] { [] }
  /// What reads bytes in memory.
  var longRun: UInt64 { 10_000_000 }
  func mend(_ input: inout [UInt8]) {}
  func vary(_ input: [UInt8], with other: [UInt8], using random: inout SplitMix64) -> [UInt8]? { nil }
}

/// A target that runs networks on what it has read.
protocol RunningFuzzTarget: FuzzTarget {}

extension RunningFuzzTarget {
  var longRun: UInt64 { 1_000_000 }
}

/// A target whose inputs are messages of protocol buffers.
protocol ProtobufFuzzTarget: FuzzTarget {}

extension ProtobufFuzzTarget {
  func vary(_ input: [UInt8], with other: [UInt8], using random: inout SplitMix64) -> [UInt8]? {
    guard var tree = ProtobufTree(input), let donor = ProtobufTree(other) else { return nil }
    tree.mutate(with: donor, using: &random)
    return tree.bytes
  }
}

/// A target whose inputs are JSON, lines of it, or tables.
protocol JSONFuzzTarget: FuzzTarget {}

extension JSONFuzzTarget {
  func vary(_ input: [UInt8], with other: [UInt8], using random: inout SplitMix64) -> [UInt8]? {
    JSONSpans.mutated(input, with: other, using: &random)
  }
}

extension String {
  /// Whether the text, which holds no zero, has these bytes: many times faster than a search for characters, which knows
  /// what is equivalent.
  func hasBytes(of word: String) -> Bool { strstr(self, word) != nil }
}

enum FuzzOutcome {
  /// The input is sound.
  case accepted
  /// The input is refused, with an error of the right type.
  case refused
}

/// Something that must not be.
struct FuzzFinding: Error {
  let message: String
}

/// Runs `read`, and accepts errors of the given types alone. Their texts are made, since a user would see them.
///
/// - Parameter memory: the bytes that tensors may take meanwhile, for a few bytes can ask for any amount of memory, and of
///   work on it; nil for what they may take anyway.
func outcome(
  memory: Int? = nil, allowing types: any Error.Type..., read: () throws -> Void
) throws(FuzzFinding) -> FuzzOutcome {
  let limit = Execution.memoryLimit
  if let memory { Execution.memoryLimit = min(limit, memory) }
  defer { Execution.memoryLimit = limit }
  do {
    try read()
    return .accepted
  } catch let finding as FuzzFinding {
    throw finding
  } catch {
    guard types.contains(where: { $0 == type(of: error) }) else {
      throw FuzzFinding(message: "an error of the unexpected type \(type(of: error)): \(error)")
    }
    guard !"\(error)".isEmpty else { throw FuzzFinding(message: "an error without a text") }
    return .refused
  }
}
