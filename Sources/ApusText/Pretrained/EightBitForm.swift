import Apus

/// A network's parameters with its matrices as 8-bit integers, a scale for each output: see ``StoredMatrix``.
///
/// The table of words is kept in sixteen bits: what it costs runs through all layers, and comes back where it gives the
/// scores. The tables of positions and token types stay as they are, and so do all vectors.
public struct EightBitForm: Sendable {
  /// What became of a matrix.
  public struct Matrix: Sendable, Hashable, Encodable {
    /// The parameter's name.
    public let name: String
    /// `[rows, columns]`.
    public let shape: [Int]
    /// ‖w − ŵ‖ / ‖w‖.
    public let relativeError: Double
  }

  /// All parameters, with the scales beside their matrices.
  public private(set) var tensors: [String: AnyTensor] = [:]
  /// In the order of their names.
  public private(set) var matrices: [Matrix] = []
  /// Bytes of all parameters before and after.
  public private(set) var byteCounts = (before: 0, after: 0)

  /// What `quantization_config` says in `config.json`.
  static let method = "apus"

  /// - Parameter progress: called with how many parameters are done, of how many, and the name of the next.
  /// - Throws: ``PretrainedFolderError/Reason/alreadyQuantized(tensor:)``; ``WeightsError``, ``SafetensorsError``,
  ///   ``TensorError``, as where a matrix has a number that is not finite.
  public init(
    of folder: PretrainedFolder, progress: (_ done: Int, _ total: Int, _ name: String) throws -> Void = { _, _, _ in }
  ) throws {
    let names = folder.weights.names
    for (index, name) in names.enumerated() {
      try progress(index, names.count, name)
      let tensor = try folder.weights.anyTensor(name)
      byteCounts.before += tensor.count * tensor.dataType.byteCount
      guard tensor.dataType != .int8 else {
        throw PretrainedFolderError(folder: folder.path, reason: .alreadyQuantized(tensor: name))
      }
      if Self.isMatrix(name, tensor) {
        try add(tensor, name)
      } else {
        tensors[name] = name.hasSuffix("word_embeddings.weight") ? try Self.half(tensor) : tensor
      }
    }
    byteCounts.after = tensors.values.reduce(0) { $0 + $1.count * $1.dataType.byteCount }
  }

  private mutating func add(_ tensor: AnyTensor, _ name: String) throws {
    let values = try tensor.converted(to: Float.self)
    // MobileBERT's extension of the decoder is the only matrix that has its inputs first.
    let axis: StoredMatrix.ScaleAxis = name.hasSuffix("cls.predictions.dense.weight") ? .columns : .rows
    let stored: StoredMatrix
    do {
      stored = try StoredMatrix(quantizing: values, scaledBy: axis)
    } catch TensorError.argument(_, let reason) {
      throw TensorError.argument(operation: name, reason: reason)
    }
    tensors[name] = stored.elements
    if let scale = stored.scale {
      tensors[name + "_scale"] = AnyTensor(axis == .rows ? try scale.reshaped([scale.count]) : scale)
    }
    let error = RelativeError(try stored.values(), of: values)
    matrices.append(Matrix(name: name, shape: tensor.shape, relativeError: error.value))
  }

  private static func isMatrix(_ name: String, _ tensor: AnyTensor) -> Bool {
    tensor.rank == 2 && tensor.dataType.isFloatingPoint && name.hasSuffix(".weight")
      && !["word_embeddings.weight", "position_embeddings.weight", "token_type_embeddings.weight"].contains(
        where: name.hasSuffix)
  }

  /// The tensor in sixteen bits; as it is where that is not narrower, or a number is too large for them.
  private static func half(_ tensor: AnyTensor) throws -> AnyTensor {
    guard tensor.dataType == .float32 || tensor.dataType == .float64 else { return tensor }
    #if !(os(macOS) && arch(x86_64))
      let values = try tensor.converted(to: Float16.self)
      if try values.elements.allSatisfy(\.isFinite) { return AnyTensor(values) }
    #endif
    return tensor
  }
}
