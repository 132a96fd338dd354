import Apus

// Features of `ai.onnx.ml` put in shape before a model sees them.

extension Operators {
  static let features: [OperatorDefinition] = [
    OperatorDefinition(ml: "ArrayFeatureExtractor", .plain(.arrayFeatureExtractor), ArrayFeatureExtractor),
    OperatorDefinition(ml: "Binarizer", .plain(.numbersLikeInput), Binarizer),
    OperatorDefinition(ml: "FeatureVectorizer", .plain(.featureVectorizer), FeatureVectorizer),
    OperatorDefinition(ml: "Imputer", .plain(.numbersLikeInput), Imputer),
    OperatorDefinition(ml: "Normalizer", .plain(.floatLikeInput), Normalizer),
    OperatorDefinition(ml: "Scaler", .plain(.floatLikeInput), Scaler),
  ]

  /// The entries of the last axis that input 1 names; a list becomes a matrix of one row.
  static func ArrayFeatureExtractor(_ node: NodeDescription) throws -> PreparedOperator {
    { arguments in
      let indices = try arguments.indices(1)
      let x = try arguments.take(0)
      let shape = try x.extents
      guard !shape.isEmpty else { throw OperatorError("input 0 is a single element") }
      let result = try Selection(axis: -1, indices: indices.reshaped([indices.count])).run(x)
      return [shape.count == 1 ? try result.reshaped([1, indices.count]) : result]
    }
  }

  /// 1 where the input is greater than `threshold`, otherwise 0, in the input's type.
  static func Binarizer(_ node: NodeDescription) throws -> PreparedOperator {
    let threshold = Double(try node.float("threshold", default: 0))
    return { arguments in
      try [arguments.tensor(0).mapNumbers { $0 > threshold ? 1 : 0 }]
    }
  }

  /// `(x - offset) * scale`, both either one number or one for each column. Gives FLOAT.
  static func Scaler(_ node: NodeDescription) throws -> PreparedOperator {
    let offset = try Tensor(node.optionalFloats("offset")?.map { Double($0) } ?? [0])
    let scale = try Tensor(node.optionalFloats("scale")?.map { Double($0) } ?? [1])
    return { arguments in
      let x = try arguments.tensor(0)
      let width = x.shape.last ?? 1
      guard [1, width].contains(offset.count), [1, width].contains(scale.count) else {
        throw OperatorError("\(offset.count) offsets and \(scale.count) scales do not fit \(width) columns")
      }
      let result = try (x.converted(to: Double.self) - offset) * scale
      // A single number has no axis.
      return [try GraphValue(roundingThroughFloat: result.reshaped(x.shape), to: .float)]
    }
  }

  /// Every row divided by its largest number, by the sum of its magnitudes, or by its length. A row for which that is 0
  /// stays as it is. Gives FLOAT.
  static func Normalizer(_ node: NodeDescription) throws -> PreparedOperator {
    let norm = try node.string("norm", default: "MAX")
    guard ["MAX", "L1", "L2"].contains(norm) else {
      throw OperatorError("norm '\(norm)' is not known; it is MAX, L1 or L2")
    }
    return { arguments in
      var (x, rows, width) = try arguments.rows(0)
      try x.withUnsafeMutableBufferPointer { x in
        guard width > 0 else { return }
        for row in 0..<rows {
          let numbers = x[(row * width)..<((row + 1) * width)]
          let divisor =
            switch norm {
            case "MAX": numbers.max() ?? 0
            case "L1": numbers.reduce(0) { $0 + abs($1) }
            default: numbers.reduce(0) { $0 + $1 * $1 }.squareRoot()
            }
          if divisor != 0 { for index in numbers.indices { x[index] /= divisor } }
        }
      }
      return [try GraphValue(roundingThroughFloat: x, to: .float)]
    }
  }

  /// With every number that equals the one to replace (NaN equals NaN) replaced: by one for all or one for each column.
  static func Imputer(_ node: NodeDescription) throws -> PreparedOperator {
    let floats = try node.optionalFloats("imputed_value_floats") ?? []
    let integers = try node.optionalInts("imputed_value_int64s") ?? []
    guard floats.isEmpty != integers.isEmpty else {
      throw OperatorError("one of imputed_value_floats and imputed_value_int64s is needed")
    }
    let replaced = try node.float("replaced_value_float", default: 0)
    let replacedInteger = Int64(try node.int("replaced_value_int64", default: 0))
    return { arguments in
      let x = try arguments.tensor(0)
      let width = x.shape.last ?? 1
      guard [1, width].contains(max(floats.count, integers.count)) else {
        throw OperatorError("\(max(floats.count, integers.count)) values are given for \(width) columns")
      }
      if x.dataType.isFloatingPoint {
        guard !floats.isEmpty else {
          throw OperatorError("imputed_value_floats is needed for \(ElementType(x.dataType))")
        }
        let result = try x.converted(to: Double.self).mapColumns { column, x in
          let isReplaced = replaced.isNaN ? x.isNaN : x == Double(replaced)
          return isReplaced ? Double(floats[floats.count == 1 ? 0 : column]) : x
        }
        return [try GraphValue(roundingThroughFloat: result, to: ElementType(x.dataType))]
      }
      guard !integers.isEmpty else {
        throw OperatorError("imputed_value_int64s is needed for \(ElementType(x.dataType))")
      }
      let result = try x.converted(to: Int64.self).mapColumns { column, x in
        x == replacedInteger ? Int64(integers[integers.count == 1 ? 0 : column]) : x
      }
      return [x.dataType == .int32 ? GraphValue(try result.converted(to: Int32.self)) : GraphValue(result)]
    }
  }

  /// The inputs side by side, each cut or filled with zeros to as many columns as `inputdimensions` says. Gives FLOAT.
  static func FeatureVectorizer(_ node: NodeDescription) throws -> PreparedOperator {
    let widths = try node.optionalInts("inputdimensions")
    return { arguments in
      guard widths.map({ $0.count == arguments.count }) ?? true else {
        throw OperatorError("inputdimensions has \(widths?.count ?? 0) entries for \(arguments.count) inputs")
      }
      let parts = try (0..<arguments.count).map { index in
        let (x, rows, width) = try arguments.rows(index)
        let wanted = widths?[index] ?? width
        return try pad(x.reshaped([rows, width]), [0, wanted.subtractingReportingOverflow(width).partialValue])
      }
      return [try GraphValue(roundingThroughFloat: concatenate(parts, axis: 1), to: .float)]
    }
  }
}

extension AnyTensor {
  /// Every number changed, in the type that they have.
  fileprivate func mapNumbers(_ change: (Double) -> Double) throws -> GraphValue {
    let result = try converted(to: Double.self).mapColumns { change($1) }
    switch dataType {
    case .int32: return GraphValue(try result.converted(to: Int32.self))
    case .int64: return GraphValue(try result.converted(to: Int64.self))
    default: return try GraphValue(roundingThroughFloat: result, to: ElementType(dataType))
    }
  }
}

extension Tensor {
  /// Every element changed, knowing its column.
  fileprivate func mapColumns(_ change: (Int, Scalar) -> Scalar) throws -> Tensor {
    let width = max(shape.last ?? 1, 1)
    var result = self
    try result.withUnsafeMutableBufferPointer { elements in
      for first in stride(from: 0, to: elements.count, by: width) {
        for column in 0..<width { elements[first + column] = change(column, elements[first + column]) }
      }
    }
    return result
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let arrayFeatureExtractor = ShapeRule.rule { facts in
    let x = try facts.input(0)
    let count = try Shape.elementCount(facts.shape(1))
    guard !x.shape.isEmpty else { throw ShapeFacts.Unknown() }
    return [InferredType(x.elementType, (x.shape.count == 1 ? [1] : Array(x.shape.dropLast())) + [count])]
  }

  /// As the first input, where its type is one that the standard allows; others become one of these.
  static let numbersLikeInput = ShapeRule.rule { facts in
    let x = try facts.input(0)
    let allowed: [ElementType?] = [.float, .double, .int32, .int64]
    return [InferredType(allowed.contains(x.elementType) ? x.elementType : nil, x.shape)]
  }

  static let floatLikeInput = ShapeRule.rule { [InferredType(.float, try $0.shape(0))] }

  static let featureVectorizer = ShapeRule.rule { facts in
    let widths =
      try facts.node.optionalInts("inputdimensions")
      ?? facts.inputs.indices.map { try facts.shape($0).last ?? 1 }
    guard widths.count == facts.inputs.count, widths.allSatisfy({ $0 >= 0 }) else { throw ShapeFacts.Unknown() }
    return [InferredType(.float, [try facts.rows(0), try Extent.sum(widths)])]
  }
}
