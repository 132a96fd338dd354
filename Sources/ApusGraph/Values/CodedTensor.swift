import Apus

/// A tensor of one of the types that exist to save room: float8, float6, float4, and integers of four and two bits.
///
/// In a file several codes may share a byte; here each has its own, in the low bits, so that whatever moves data moves
/// bytes. All their values are exact in `Float`: operators that compute widen first.
public struct CodedTensor: Sendable {
  /// A type for which ``ElementType/isCoded`` holds.
  public let elementType: ElementType
  /// One code a byte, the unused high bits zero.
  public let codes: Tensor<UInt8>

  /// The extent of each axis.
  public var shape: [Int] { codes.shape }

  /// Codes as they are: neither the type nor the unused bits are checked.
  public init(elementType: ElementType, codes: Tensor<UInt8>) {
    self.elementType = elementType
    self.codes = codes
  }
}

/// A tensor of texts.
public struct StringTensor: Sendable, Hashable {
  /// The extent of each axis.
  public let shape: [Int]
  /// The texts in row-major order.
  public let elements: [String]
  /// What they count for.
  private let memory: MemoryReservation

  /// - Throws: ``TensorError/shape(operation:reason:)`` when `shape` does not hold as many elements, and
  ///   ``TensorError/memory(bytes:limit:shape:)``.
  public init(_ elements: [String], shape: [Int]) throws {
    let memory = try MemoryReservation([elements.count], of: String.self, operation: "strings")
    try memory.grow(by: elements.reduce(0) { $0 + Self.textByteCount($1.utf8.count) })
    try self.init(elements, shape: shape, memory: memory)
  }

  /// - Parameter memory: what counts for the elements, and for what ``textByteCount(_:)`` says of each.
  package init(_ elements: [String], shape: [Int], memory: MemoryReservation) throws {
    let count = try Shape.elementCount(shape, operation: "string tensor")
    guard count == elements.count else {
      throw TensorError.shape(
        operation: "string tensor", reason: "\(elements.count) texts cannot fill a tensor of shape \(shape)")
    }
    (self.shape, self.elements, self.memory) = (shape, elements, memory)
  }

  /// The same texts in another shape.
  /// - Throws: ``TensorError/shape(operation:reason:)`` when `shape` does not hold as many elements.
  func reshaped(_ shape: [Int]) throws -> StringTensor { try StringTensor(elements, shape: shape, memory: memory) }

  /// The bytes that a text of so many bytes takes beside its place among the elements: short ones have room there. They
  /// count in each tensor that has the text, though several may share it.
  package static func textByteCount(_ byteCount: Int) -> Int { byteCount > 15 ? byteCount + 32 : 0 }

  /// Whether shapes and texts are equal.
  public static func == (a: StringTensor, b: StringTensor) -> Bool { a.shape == b.shape && a.elements == b.elements }

  /// Shape and texts.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(shape)
    hasher.combine(elements)
  }
}
