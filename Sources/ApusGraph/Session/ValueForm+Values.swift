import Apus

extension ValueForm {
  /// An array as files have it, as the graph takes it: of a picture also height × width, and height × width × colours
  /// (red, green, blue); of a number also one without axes. What is neither stays as it is.
  /// - Throws: ``OperatorError`` for a picture of a size that the model does not take.
  package func graphValue(_ value: GraphValue) throws -> GraphValue {
    switch (self, value) {
    case (.picture(let form), .tensor(let tensor)) where 2...3 ~= tensor.rank: GraphValue(try form.planes(tensor))
    case (.number, _) where value.shape?.isEmpty == true: try value.reshaped([1])
    default: value
    }
  }

  /// The numbers of a dictionary, or of several with the same keys as rows, in the order of this form's keys; 0 for those
  /// that it lacks.
  /// - Throws: ``OperatorError`` for keys and values that are not as many, and where a key is unknown.
  package func dictionary(keys own: GraphValue, values: GraphValue) throws -> GraphValue {
    guard case .dictionary(let keys) = self, let order = keys.keyTexts, let own = own.keyTexts,
      case .tensor(let numbers) = values
    else { throw OperatorError("a dictionary needs keys that are texts or integers, and values that are numbers") }
    guard 1...2 ~= numbers.rank, numbers.shape.last == own.count else {
      throw OperatorError("a dictionary of \(own.count) keys and values of shape \(numbers.shape)")
    }
    let known = Set(order)
    if let unknown = own.first(where: { !known.contains($0) }) {
      let nearest = nearestName(to: unknown, in: order).map { "; did you mean '\($0)'?" } ?? ""
      throw OperatorError("the model knows no key '\(unknown)'\(nearest)")
    }
    let columns = Dictionary(zip(own, own.indices), uniquingKeysWith: { first, _ in first })
    let elements = try numbers.converted(to: Double.self).elements
    let rows = numbers.shape.dropLast().first ?? 1
    let shape = Array(numbers.shape.dropLast()) + [order.count]
    let ordered = (0..<rows).flatMap { row in
      order.map { key in columns[key].map { elements[row * own.count + $0] } ?? 0 }
    }
    return GraphValue(try Tensor(ordered, shape: shape))
  }
}

extension PictureForm {
  /// The planes of a picture: height × width, or height × width × colours, of numbers from 0 to 255; colours are red,
  /// green, blue, whatever the order of the planes.
  /// - Throws: ``OperatorError`` for a picture of a size that the model does not take.
  package func planes(_ pixels: AnyTensor) throws -> Tensor<Float> {
    let count = colors.count
    let size = Size(width: pixels.shape.count > 1 ? pixels.shape[1] : 0, height: pixels.shape.first ?? 0)
    let found = pixels.rank == 2 ? 1 : pixels.shape.last ?? 0
    guard 2...3 ~= pixels.rank, found == count, allows(size) else {
      let declared = "\(self.size.height) × \(self.size.width)" + (count == 1 ? "" : " × \(count)")
      throw OperatorError(
        "it is a picture, \(declared) of numbers from 0 to 255, or a file of a picture; \(pixels.shape) was given")
    }
    let elements = try pixels.converted(to: Float.self).elements
    let area = size.width * size.height
    let planes = [Float](unsafeUninitializedCapacity: elements.count) { buffer, filled in
      for plane in 0..<count {
        let color = colors == .bgr ? count - 1 - plane : plane
        for index in 0..<area {
          buffer.initializeElement(at: plane * area + index, to: elements[index * count + color])
        }
      }
      filled = elements.count
    }
    return try Tensor(planes, shape: shape(size))
  }
}

extension GraphValue {
  /// Keys as texts, integers among them.
  fileprivate var keyTexts: [String]? {
    switch self {
    case .strings(let tensor): tensor.elements
    case .tensor(let tensor) where !tensor.dataType.isFloatingPoint:
      try? tensor.converted(to: Int64.self).elements.map { "\($0)" }
    default: nil
    }
  }
}
