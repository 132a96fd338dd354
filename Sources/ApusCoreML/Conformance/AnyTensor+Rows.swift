import Apus
import ApusGraph

extension AnyTensor {
  /// Element `index` of the first axis, as FLOAT or DOUBLE.
  func slice(_ index: Int) throws -> AnyTensor {
    let elements = try converted(to: Double.self).elements
    let shape = Array(shape.dropFirst())
    let width = shape.reduce(1, *)
    let row = try Tensor(Array(elements[(index * width)..<((index + 1) * width)]), shape: shape)
    return try AnyTensor(row).with(shape: shape, elementType: ElementType(dataType))
  }
}
