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

  /// - Throws: ``TensorError/shape(operation:reason:)`` when `shape` does not hold as many elements.
  public init(_ elements: [String], shape: [Int]) throws {
    let count = try Shape.elementCount(shape, operation: "string tensor")
    guard count == elements.count else {
      throw TensorError.shape(
        operation: "string tensor", reason: "\(elements.count) texts cannot fill a tensor of shape \(shape)")
    }
    self.shape = shape
    self.elements = elements
  }
}
