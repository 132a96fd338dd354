import Apus

extension Operators {
  static let matrices: [OperatorDefinition] = [
    OperatorDefinition("Det", .plain(.determinant), Det),
    OperatorDefinition("EyeLike", .plain(.typedLikeInput, float64: .typeAttribute("dtype")), EyeLike),
    OperatorDefinition("Trilu", .plain(.likeInput), Trilu),
    OperatorDefinition("Trilu", domain: "com.microsoft", .plain(.likeInput), Trilu),
    OperatorDefinition(
      "Inverse", domain: "com.microsoft", .reduction(.likeInput, terms: .columns, accuracy: .passingErrorsOn), Inverse),
    OperatorDefinition(
      "CDist", domain: "com.microsoft", .reduction(.distances, terms: .columns), CDist),
  ]

  /// The determinant of each square matrix of `[…, n, n]`, by elimination in double precision.
  static func Det(_ node: NodeDescription) throws -> PreparedOperator {
    { arguments in
      let type = try arguments.floatingType(0)
      let (x, n) = try squareMatrices(arguments)
      let shape = Array(x.shape.dropLast(2))
      var elements = try x.elements
      var result: [Double] = []
      for matrix in 0..<(try Shape.elementCount(shape)) {
        try arguments.context.checkCancellation()
        result.append(determinant(&elements, at: matrix * n * n, size: n))
      }
      return [try GraphValue(rounding: Tensor(result, shape: shape), to: type)]
    }
  }

  /// Input 0, and how many rows each of its matrices has.
  private static func squareMatrices(_ arguments: Arguments) throws -> (matrices: Tensor<Double>, size: Int) {
    let x = try arguments.floating(0, as: Double.self)
    guard x.rank >= 2, let n = x.shape.last, x.shape[x.rank - 2] == n else {
      throw OperatorError("input 0 has shape \(x.shape); square matrices […, n, n] are needed")
    }
    return (x, n)
  }

  /// Eliminates column by column, each time with the greatest pivot; the matrix is lost.
  private static func determinant(_ a: inout [Double], at start: Int, size n: Int) -> Double {
    var result = 1.0
    for column in 0..<n {
      var pivot = column
      for row in column..<n
      where a[start + row * n + column].magnitude > a[start + pivot * n + column].magnitude {
        pivot = row
      }
      if pivot != column {
        for i in 0..<n { a.swapAt(start + pivot * n + i, start + column * n + i) }
        result = -result
      }
      let divisor = a[start + column * n + column]
      result *= divisor
      if divisor == 0 { return 0 }
      for row in (column + 1)..<max(n, column + 1) {
        let factor = a[start + row * n + column] / divisor
        for i in column..<n { a[start + row * n + i] -= factor * a[start + column * n + i] }
      }
    }
    return result
  }

  /// The inverse of each square matrix of `[…, n, n]`, by elimination in double precision; infinite or no numbers where there is
  /// none.
  static func Inverse(_ node: NodeDescription) throws -> PreparedOperator {
    { arguments in
      let type = try arguments.floatingType(0)
      let (x, n) = try squareMatrices(arguments)
      guard x.count > 0 else { return [try GraphValue(rounding: x, to: type)] }
      var result = x
      let context = arguments.context
      try result.withUnsafeMutableBufferPointer { result in
        guard let base = result.baseAddress else { return }
        for matrix in 0..<(result.count / (n * n)) {
          try context.checkCancellation()
          invert(base + matrix * n * n, size: n)
        }
      }
      return [try GraphValue(rounding: result, to: type)]
    }
  }

  /// Eliminates column by column in the matrix's own place, each time with the greatest pivot.
  private static func invert(_ a: UnsafeMutablePointer<Double>, size n: Int) {
    var pivots: [Int] = []
    for column in 0..<n {
      let row = a + column * n
      let pivot = (column..<n).max { a[$0 * n + column].magnitude < a[$1 * n + column].magnitude } ?? column
      pivots.append(pivot)
      if pivot != column {
        for i in 0..<n { (row[i], a[pivot * n + i]) = (a[pivot * n + i], row[i]) }
      }
      let factor = 1 / row[column]
      row[column] = 1
      for i in 0..<n { row[i] *= factor }
      for index in 0..<n where index != column {
        let other = a + index * n
        let factor = other[column]
        other[column] = 0
        for i in 0..<n { other[i] -= factor * row[i] }
      }
    }
    for column in (0..<n).reversed() where pivots[column] != column {
      for row in 0..<n {
        (a[row * n + column], a[row * n + pivots[column]]) = (a[row * n + pivots[column]], a[row * n + column])
      }
    }
  }

  /// The distance, or its square, of each row of input 0 and each row of input 1: `[rows, rows]`.
  static func CDist(_ node: NodeDescription) throws -> PreparedOperator {
    let metric = try node.string("metric", default: "sqeuclidean")
    guard ["euclidean", "sqeuclidean"].contains(metric) else {
      throw OperatorError("metric '\(metric)' is not supported; 'euclidean' and 'sqeuclidean' are")
    }
    return { arguments in
      let type = try arguments.floatingType(0)
      let (a, b) = try (arguments.floating(0, as: Double.self), arguments.floating(1, as: Double.self))
      guard a.rank == 2, b.rank == 2, a.shape[1] == b.shape[1] else {
        throw OperatorError("\(a.shape) and \(b.shape) are not two matrices with as many columns")
      }
      // (a - b)² = a² - 2ab + b², whose rounding errors in double precision are far below those of the result.
      let (squaresA, squaresB) = try (a.square().sum(axes: [1], keepDims: true), b.square().sum(axes: [1]))
      let squares = try (matrixProduct(a, b.transposed(), activation: .identity) * -2 + squaresA + squaresB).clamp(
        min: 0)
      return [try GraphValue(rounding: metric == "euclidean" ? squares.sqrt() : squares, to: type)]
    }
  }

  /// Ones on diagonal `k` of a matrix of zeros with the shape of the input.
  static func EyeLike(_ node: NodeDescription) throws -> PreparedOperator {
    let k = try node.int("k", default: 0)
    let type = try node.optionalElementType("dtype")
    return { arguments in
      let x = try arguments.tensor(0)
      guard x.rank == 2 else { throw OperatorError("input 0 has shape \(x.shape); a matrix is needed") }
      guard let dataType = type.map(\.dataType) ?? x.dataType else {
        throw OperatorError("a matrix of \(type?.description ?? "?") cannot be made")
      }
      let (rows, columns) = (x.shape[0], x.shape[1])
      var eye = try Tensor<UInt8>(zeros: x.shape)
      try eye.withUnsafeMutableBufferPointer { y in
        // Of an empty matrix there may be more rows than a loop comes to the end of.
        for row in 0..<(columns == 0 ? 0 : rows) {
          let (column, overflow) = row.addingReportingOverflow(k)
          if !overflow, (0..<columns).contains(column) { y[row * columns + column] = 1 }
        }
      }
      return [.tensor(try AnyTensor(eye).converted(to: dataType))]
    }
  }

  /// The upper or lower triangle of each matrix of `[…, n, m]`, from diagonal `k` on; zeros elsewhere. Of any type.
  static func Trilu(_ node: NodeDescription) throws -> PreparedOperator {
    let isUpper = try node.flag("upper", default: true)
    return { arguments in
      let k = try arguments.has(1) ? arguments.integer(1) : 0
      switch try arguments.value(0) {
      case .tensor(let x): return [.tensor(try triangle(x, k, isUpper: isUpper))]
      case .coded(let x):
        let codes = try triangle(.uint8(x.codes), k, isUpper: isUpper)
        return [.coded(CodedTensor(elementType: x.elementType, codes: try codes.converted()))]
      case .strings(let x):
        var elements = [String](repeating: "", count: x.elements.count)
        try forTriangle(of: x.shape, k, isUpper: isUpper) { start, count in
          for i in start..<(start + count) { elements[i] = x.elements[i] }
        }
        return [.strings(try StringTensor(elements, shape: x.shape))]
      case let other: throw OperatorError("input 0 is \(other.type); a tensor is needed")
      }
    }
  }

  private static func triangle(_ x: AnyTensor, _ k: Int, isUpper: Bool) throws -> AnyTensor {
    let size = x.dataType.byteCount
    return try x.withUnsafeBytes { source in
      try AnyTensor.filled(x.dataType, x.shape) { destination in
        destination.initializeMemory(as: UInt8.self, repeating: 0, count: source.count)
        guard let base = source.baseAddress else { return }
        try forTriangle(of: x.shape, k, isUpper: isUpper) { start, count in
          (destination + start * size).copyMemory(from: base + start * size, byteCount: count * size)
        }
      }
    }
  }

  /// Calls `body` with the part of each row that stays.
  private static func forTriangle(
    of shape: [Int], _ k: Int, isUpper: Bool, _ body: (_ start: Int, _ count: Int) -> Void
  ) throws {
    guard shape.count >= 2 else { throw OperatorError("input 0 has shape \(shape); matrices […, n, m] are needed") }
    let (rows, columns) = (shape[shape.count - 2], shape[shape.count - 1])
    // Of empty matrices there may be more rows than a loop comes to the end of.
    guard columns > 0 else { return }
    for row in 0..<(try Shape.elementCount(Array(shape.dropLast()))) {
      // The diagonal's column in this row, cut to the matrix.
      let (sum, overflow) = (row % max(rows, 1)).addingReportingOverflow(k)
      let diagonal = overflow ? (k < 0 ? -1 : columns) : min(max(sum, -1), columns)
      if isUpper {
        let first = max(diagonal, 0)
        if first < columns { body(row * columns + first, columns - first) }
      } else if diagonal >= 0 {
        body(row * columns, min(diagonal + 1, columns))
      }
    }
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let distances = ShapeRule.rule { facts in
    let (a, b) = try (facts.shape(0), facts.shape(1))
    guard a.count == 2, b.count == 2 else { throw ShapeFacts.Unknown() }
    return [InferredType(facts.elementType(0), [a[0], b[0]])]
  }

  static let determinant = ShapeRule.rule { facts in
    let x = try facts.input(0)
    guard x.shape.count >= 2 else { throw ShapeFacts.Unknown() }
    return [InferredType(x.elementType, Array(x.shape.dropLast(2)))]
  }
}
