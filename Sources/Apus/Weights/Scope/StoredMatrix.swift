/// A matrix as a file stores it: floating-point numbers of any width, or 8-bit integers with a scale.
///
///     value[row, column] = element[row, column]                      float64, float32, float16, bfloat16
///     value[row, column] = element[row, column] · scale[row]         int8, a scale for each row
///     value[row, column] = element[row, column] · scale[column]      int8, a scale for each column
///
/// Layers keep it as it is and widen what they need when they need it. In a file the scale of `X.weight` is
/// `X.weight_scale`, float32 of shape `[rows]`, `[rows, 1]` or, for columns, `[1, columns]`.
public struct StoredMatrix: Sendable {
  /// `[rows, columns]`.
  public let elements: AnyTensor
  /// `[rows, 1]` or `[1, columns]`; nil for floating-point elements.
  public let scale: Tensor<Float>?

  /// - Throws: ``TensorError`` for anything but a matrix of one of these types with the scale it needs.
  public init(_ elements: AnyTensor, scale: Tensor<Float>? = nil) throws {
    let shape = elements.shape
    guard shape.count == 2 else {
      throw TensorError.shape(
        operation: "StoredMatrix", reason: "elements have the shape \(shape), expected [rows, columns]")
    }
    guard elements.dataType.isFloatingPoint ? scale == nil : elements.dataType == .int8 && scale != nil else {
      throw TensorError.argument(
        operation: "StoredMatrix",
        reason: "\(elements.dataType) elements \(scale == nil ? "without" : "with") a scale; expected floating-point "
          + "ones without, or int8 ones with")
    }
    if let scale, ![[shape[0], 1], [1, shape[1]]].contains(scale.shape) {
      throw TensorError.shape(
        operation: "StoredMatrix",
        reason: "a scale of shape \(scale.shape) for elements of shape \(shape); expected [\(shape[0]), 1] or "
          + "[1, \(shape[1])]")
    }
    self.elements = try elements.inRows()
    self.scale = try scale?.rowMajor
  }

  /// Floating-point numbers.
  public init<Scalar: FloatingPointScalar>(_ tensor: Tensor<Scalar>) throws {
    try self.init(AnyTensor(tensor))
  }

  /// Reads `name` and, where its elements are 8-bit integers, `name` with `_scale` behind it.
  /// - Throws: ``WeightsError``, ``SafetensorsError``.
  public init(_ weights: Weights, _ name: String = "weight", shape: [Int]) throws {
    try weights.check(name, shape: shape)
    let elements = try weights.anyTensor(name)
    guard elements.dataType == .int8, shape.count == 2 else {
      guard elements.dataType.isFloatingPoint, shape.count == 2 else {
        throw WeightsError(
          file: weights.file,
          reason: .wrongType(name: weights.fullName(name), found: elements.dataType, expected: .float32))
      }
      try self.init(elements)
      return
    }
    let scaleName = name + "_scale"
    let found = try weights.shape(of: scaleName)
    guard [[shape[0]], [shape[0], 1], [1, shape[1]]].contains(found) else {
      throw WeightsError(
        file: weights.file,
        reason: .wrongShape(name: weights.fullName(scaleName), found: found, expected: [shape[0]]))
    }
    let scale: Tensor<Float> = try weights.tensor(scaleName)
    try self.init(elements, scale: found.count == 1 ? scale.reshaped([shape[0], 1]) : scale)
  }
}

extension StoredMatrix {
  /// `[rows, columns]`, as stored.
  public var shape: [Int] { elements.shape }

  /// Whether elements are narrower than `Scalar`, so that keeping them as they are saves memory.
  func isNarrower<Scalar: FloatingPointScalar>(than type: Scalar.Type) -> Bool {
    elements.dataType.byteCount < Scalar.dataType.byteCount
  }

  /// All values. Nothing is copied where they are stored as `Scalar`.
  /// - Throws: ``TensorError`` when memory is short.
  public func values<Scalar: FloatingPointScalar>(as type: Scalar.Type = Scalar.self) throws -> Tensor<Scalar> {
    if let same = elements.tensor(of: type) { return same }
    let wide = try elements.converted(to: type)
    return try scale.map { try wide * $0.converted(to: type) } ?? wide
  }

  /// The values of the rows that `indices` name: the shape of `indices` with the columns behind it.
  /// - Throws: ``TensorError`` naming the first index outside the matrix.
  public func rows<Scalar: FloatingPointScalar>(
    _ indices: Tensor<Int64>, as type: Scalar.Type = Scalar.self
  ) throws -> Tensor<Scalar> {
    let wide: Tensor<Scalar> =
      switch elements {
      case .float64(let table): try embedding(indices, weight: table).converted()
      case .float32(let table): try embedding(indices, weight: table).converted()
      #if !(os(macOS) && arch(x86_64))
        case .float16(let table): try embedding(indices, weight: table).converted()
      #endif
      case .bfloat16(let table): try embedding(indices, weight: table).converted()
      case .int8(let table): try embedding(indices, weight: table).converted()
      default: throw TensorError.argument(operation: "StoredMatrix", reason: "\(elements.dataType) elements")
      }
    guard let scale else { return wide }
    let factors = try scale.shape[1] == 1 ? embedding(indices, weight: scale) : scale.reshaped([shape[1]])
    return try wide * factors.converted(to: type)
  }

  /// The values of rows that follow each other.
  /// - Throws: ``TensorError`` for rows outside the matrix.
  func rows<Scalar: FloatingPointScalar>(
    _ range: Range<Int>, as type: Scalar.Type = Scalar.self
  ) throws -> Tensor<Scalar> {
    // Slices would stop at the end and count negative bounds from it.
    guard range.lowerBound >= 0, range.upperBound <= shape[0] else {
      throw TensorError.argument(operation: "StoredMatrix", reason: "rows \(range) of a matrix of shape \(shape)")
    }
    if let table = elements.tensor(of: type) {
      return try table.sliced(axis: 0, from: range.lowerBound, to: range.upperBound)
    }
    return try rows(Tensor(range.map { Int64($0) }, shape: [range.count]))
  }
}

extension AnyTensor {
  /// The same with its elements in row-major order; only the types that matrices are stored in.
  fileprivate func inRows() throws -> AnyTensor {
    switch self {
    case .float64(let tensor): .float64(try tensor.rowMajor)
    case .float32(let tensor): .float32(try tensor.rowMajor)
    #if !(os(macOS) && arch(x86_64))
      case .float16(let tensor): .float16(try tensor.rowMajor)
    #endif
    case .bfloat16(let tensor): .bfloat16(try tensor.rowMajor)
    case .int8(let tensor): .int8(try tensor.rowMajor)
    default: self
    }
  }
}
