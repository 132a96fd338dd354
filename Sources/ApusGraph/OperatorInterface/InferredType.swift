/// What follows for a value before anything runs: its shape, and its element type when that is known too.
package struct InferredType: Sendable, Hashable {
  /// The element type; nil where only the shape follows.
  package var elementType: ElementType?
  /// The extent of each axis, all of them known.
  package var shape: [Int]

  /// A tensor of this shape, and of elements of this type where it is known.
  package init(_ elementType: ElementType?, _ shape: [Int]) {
    self.elementType = elementType
    self.shape = shape
  }
}
