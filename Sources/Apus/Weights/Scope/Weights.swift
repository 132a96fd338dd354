import ApusBase
import FoundationEssentials

/// The parameters of a model, or of a part of one, by the names PyTorch's state dictionary gives them.
///
/// A scope is a prefix: a model hands each layer the scope of its own parameters, and the layer asks for `weight` and
/// `bias` without knowing where it stands.
///
/// ```swift
/// let weights = try Weights(contentsOf: url)
/// let kernel: Tensor<Float> = try weights["encoder"][0].tensor("weight", shape: [64, 48, 7])   // encoder.0.weight
/// ```
///
/// Whatever floating-point type is stored, a layer gets the type it computes in; where they agree nothing is copied.
public struct Weights: Sendable {
  private let source: WeightsSource
  /// The scope's prefix: empty, or ending with a dot.
  private let prefix: String

  private init(_ source: WeightsSource, prefix: String = "") {
    self.source = source
    self.prefix = prefix
  }

  /// All parameters in the safetensors file at `url`.
  /// - Throws: ``FileError`` when it cannot be read, ``SafetensorsError`` when something in it is wrong.
  public init(contentsOf url: URL, access: FileAccess = .mapped) throws {
    self.init(try SafetensorsFile(contentsOf: url, access: access))
  }

  /// All parameters in the safetensors file at `path`.
  /// - Throws: ``FileError`` when it cannot be read, ``SafetensorsError`` when something in it is wrong.
  public init(path: String, access: FileAccess = .mapped) throws {
    self.init(try SafetensorsFile(path: path, access: access))
  }

  /// All tensors of a file.
  public init(_ file: SafetensorsFile) {
    self.init(WeightsSource(.file(file)))
  }

  /// All tensors of several files.
  public init(_ shards: SafetensorsShards) {
    self.init(WeightsSource(.shards(shards)))
  }

  /// Parameters that are in memory: random ones, or those of another format. `name` stands for the file in messages.
  public init(_ tensors: [String: AnyTensor], name: String = "parameters in memory") {
    let keyed = tensors.map { (UTF8Key($0.key), $0.value) }
    self.init(WeightsSource(.memory(Dictionary(keyed, uniquingKeysWith: { first, _ in first }), name: name)))
  }

  /// Parameters that are made when they are asked for, by ``Tensor/init(generated:shape:mean:deviation:)`` under their
  /// own names.
  package init(generated parameters: [String: GeneratedParameter], name: String = "generated parameters") {
    let keyed = parameters.map { (UTF8Key($0.key), $0.value) }
    self.init(WeightsSource(.generated(Dictionary(keyed, uniquingKeysWith: { first, _ in first }), name: name)))
  }

  /// Parameters that are in memory. `name` stands for the file in messages.
  public init(_ tensors: [String: Tensor<some TensorScalar>], name: String = "parameters in memory") {
    self.init(tensors.mapValues { AnyTensor($0) }, name: name)
  }
}

// MARK: - Scopes

extension Weights {
  /// The parameters below `name`: `weights["encoder"]["0"]` and `weights["encoder.0"]` are the same.
  public subscript(name: String) -> Weights {
    name.isEmpty ? self : Weights(source, prefix: "\(prefix)\(name).")
  }

  /// The parameters of the layer with this number, as in PyTorch's `Sequential` and `ModuleList`.
  public subscript(index: Int) -> Weights {
    self[String(index)]
  }

  /// The whole name of a parameter of this scope.
  public func fullName(_ name: String) -> String {
    prefix + name
  }

  /// What messages call the file.
  public var file: String { source.name }

  /// The names of this scope's parameters, without its prefix, sorted.
  public var names: [String] {
    source.names(withPrefix: prefix).map { String(decoding: $0.utf8.dropFirst(prefix.utf8.count), as: UTF8.self) }
  }

  /// The whole names of this scope's parameters that were never read, sorted. Not empty after a model was built:
  /// the file holds another model, or more than one.
  public var unusedNames: [String] {
    let used = source.usedNames
    return source.names(withPrefix: prefix).filter { !used.contains(UTF8Key($0)) }
  }

  /// Whether this scope has a parameter of that name.
  public func contains(_ name: String) -> Bool {
    source.contains(UTF8Key(prefix + name))
  }
}

// MARK: - Parameters

extension Weights {
  /// A parameter of a given shape.
  /// - Throws: ``WeightsError``, which names the parameter, the file, and both shapes; ``SafetensorsError``.
  public func tensor<Scalar: TensorScalar>(
    _ name: String, shape: [Int], as type: Scalar.Type = Scalar.self
  ) throws -> Tensor<Scalar> {
    // The shape first: a wrong parameter is not worth converting.
    try check(name, shape: shape)
    return try tensor(name)
  }

  /// Checks a parameter's shape without reading it.
  /// - Throws: ``WeightsError``, which names the parameter, the file, and both shapes.
  func check(_ name: String, shape: [Int]) throws {
    let found = try self.shape(of: name)
    guard found == shape else {
      throw WeightsError(file: file, reason: .wrongShape(name: fullName(name), found: found, expected: shape))
    }
  }

  /// A parameter of whatever shape it has.
  /// - Throws: ``WeightsError``, ``SafetensorsError``.
  public func tensor<Scalar: TensorScalar>(
    _ name: String, as type: Scalar.Type = Scalar.self
  ) throws -> Tensor<Scalar> {
    let stored = try anyTensor(name)
    guard let tensor = try stored.tensor(as: type) else {
      throw WeightsError(
        file: file,
        reason: .wrongType(name: fullName(name), found: stored.dataType, expected: Scalar.dataType))
    }
    return tensor
  }

  /// A parameter that may be absent, such as a bias; `nil` when it is.
  /// - Throws: ``WeightsError`` when it is there and has another shape; ``SafetensorsError``.
  public func optionalTensor<Scalar: TensorScalar>(
    _ name: String, shape: [Int], as type: Scalar.Type = Scalar.self
  ) throws -> Tensor<Scalar>? {
    contains(name) ? try tensor(name, shape: shape) : nil
  }

  /// A parameter of whatever type and shape it has.
  /// - Throws: ``WeightsError``, ``SafetensorsError``.
  public func anyTensor(_ name: String) throws -> AnyTensor {
    guard let tensor = try source.take(UTF8Key(fullName(name))) else { throw missing(name) }
    return tensor
  }

  /// The shape of a parameter.
  /// - Throws: ``WeightsError/Reason/missing(name:similar:)``.
  public func shape(of name: String) throws -> [Int] {
    guard let shape = try source.shape(of: UTF8Key(fullName(name))) else { throw missing(name) }
    return shape
  }

  /// What is thrown where a parameter of this name is needed and none is there.
  func missing(_ name: String) -> WeightsError {
    let full = fullName(name)
    let similar = nearestName(to: full, in: source.names(withPrefix: ""))
    return WeightsError(file: file, reason: .missing(name: full, similar: similar))
  }
}
