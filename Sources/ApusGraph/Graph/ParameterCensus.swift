import Apus

/// How many numbers a model's file holds as parameters, those of subgraphs included, and what room they take.
public struct ParameterCensus: Sendable {
  /// The parameters of one element type.
  public struct Entry: Sendable {
    /// The name of the element type, `FLOAT`; a number for one that Apus does not know.
    public let type: String
    /// How many tensors there are.
    public fileprivate(set) var tensors = 0
    /// How many elements they have together.
    public fileprivate(set) var elements = 0
    /// The bytes that they take in the file.
    public fileprivate(set) var bytes = 0
  }

  private var byType: [String: Entry] = [:]
  private var files: Set<String> = []

  package init() {}

  /// By element type, what takes most room first.
  public var entries: [Entry] { byType.values.sorted { ($1.bytes, $0.type) < ($0.bytes, $1.type) } }
  /// How many tensors there are.
  public var tensors: Int { byType.values.reduce(0) { $0 + $1.tensors } }
  /// How many elements they have together.
  public var elements: Int { byType.values.reduce(0) { $0.addingClamped($1.elements) } }
  /// The bytes that they take in the file.
  public var bytes: Int { byType.values.reduce(0) { $0.addingClamped($1.bytes) } }
  /// The files beside the model's own that hold tensors, sorted.
  public var externalFiles: [String] { files.sorted() }

  /// Counts a tensor. What a file claims need not be true, so no sum may overflow.
  /// - Parameters:
  ///   - type: the name of its element type.
  ///   - bits: the bits that an element takes.
  ///   - file: the file beside the model's own that holds it.
  package mutating func add(type: String, shape: some Sequence<Int>, bits: Int, file: String? = nil) {
    let elements = shape.reduce(1) { $0.multipliedClamped(by: $1) }
    var entry = byType[type] ?? Entry(type: type)
    entry.tensors += 1
    entry.elements = entry.elements.addingClamped(elements)
    let size = elements.multipliedClamped(by: bits)
    entry.bytes = entry.bytes.addingClamped(size / 8 + (size % 8 == 0 ? 0 : 1))
    byType[type] = entry
    if let file { files.insert(file) }
  }
}
