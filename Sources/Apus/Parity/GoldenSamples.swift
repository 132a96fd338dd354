import ApusBase
import FoundationEssentials

/// The inputs of a model and what it must make of them, read from a safetensors file.
///
/// The file holds, for every sample and every output of the model,
///
///     input.SAMPLE              what goes in, of a model with one input
///     input.NAME.SAMPLE         what goes in, of one with several
///     output.NAME.SAMPLE        what comes out, computed in float64: the reference
///     output32.NAME.SAMPLE      what another runtime makes of it in float32; may be absent
///
/// Names of samples have no dots, names of outputs may: an output may be an activation inside the model, under the name
/// of its module. The metadata may say more, as JSON:
///
///     parameters                [["NAME", [2, 3], MEAN, DEVIATION], …]: weights made by a formula
///     images                    {"SAMPLE": {"shape": [1, 3, 64, 64], "cell": 8}}: inputs made by a formula
///     strides                   {"NAME": 7}: of that output every seventh element is stored, flat
public struct GoldenSamples: Sendable {
  /// The names of the samples, sorted.
  public let sampleNames: [String]
  /// The names of the outputs, sorted. Every sample has every one of them.
  public let outputNames: [String]
  /// What the writer said of the file.
  public let metadata: [String: String]
  private let file: SafetensorsFile
  private let images: [String: GeneratedImage]
  private let strides: [String: Int]

  private struct GeneratedImage: Decodable, Sendable {
    var shape: [Int]
    var cell: Int
  }

  /// - Throws: ``GoldenError`` for a file without samples, a sample that lacks its input or one of the outputs, or
  ///   metadata that cannot be read.
  public init(_ file: SafetensorsFile) throws {
    images = try Self.decoded("images", in: file) ?? [:]
    strides = try Self.decoded("strides", in: file) ?? [:]
    if let stride = strides.first(where: { $0.value < 1 }) {
      throw GoldenError(
        file: file.name, reason: .badMetadata("strides", "\(stride.key): \(stride.value) is not positive"))
    }
    var samples = Set(images.keys)
    var fed = samples
    var outputs: Set<String> = []
    for name in file.tensorNames {
      guard let dot = name.lastIndex(of: ".") else { continue }
      let sample = String(name[name.index(after: dot)...])
      if name.hasPrefix("input.") {
        samples.insert(sample)
        fed.insert(sample)
      } else if name.hasPrefix("output."), let output = String(name[..<dot]).suffix(after: "output.") {
        outputs.insert(output)
        samples.insert(sample)
      }
    }
    guard !samples.isEmpty, !outputs.isEmpty else { throw GoldenError(file: file.name, reason: .noSamples) }
    for sample in samples.sorted() {
      if !fed.contains(sample) { throw GoldenError(file: file.name, reason: .missing("input.\(sample)")) }
      for name in outputs.sorted().map({ "output.\($0).\(sample)" }) where !file.contains(name) {
        throw GoldenError(file: file.name, reason: .missing(name))
      }
    }
    sampleNames = samples.sorted()
    outputNames = outputs.sorted()
    metadata = file.metadata
    self.file = file
  }

  /// Opens the file at `path`.
  /// - Throws: ``FileError``, ``SafetensorsError``, ``GoldenError``.
  public init(path: String) throws {
    try self.init(SafetensorsFile(path: path))
  }

  /// What messages call the file.
  public var name: String { file.name }

  /// What goes in.
  /// - Throws: ``SafetensorsError``; ``TensorError`` for a picture that cannot be made.
  public func inputs(of sample: String) throws -> SampleInputs {
    var tensors: [String: AnyTensor] = [:]
    for name in file.tensorNames where name.hasPrefix("input.") && name.hasSuffix(".\(sample)") {
      let input = name.dropFirst("input.".count).dropLast(sample.count).dropLast()
      tensors[String(input)] = try file.anyTensor(named: name)
    }
    if let image = images[sample] {
      tensors[""] = AnyTensor(try Tensor<Float>(generatedImage: sample, shape: image.shape, cell: image.cell))
    }
    return SampleInputs(tensors, source: "\(name), sample \(sample)")
  }

  /// What must come out: all of it, or every so many elements where the file holds no more; see ``stored(_:as:)``.
  public func expected(_ output: String, of sample: String) throws -> AnyTensor {
    try file.anyTensor(named: "output.\(output).\(sample)")
  }

  /// What another runtime makes of it in float32; `nil` where the file does not say.
  public func peer(_ output: String, of sample: String) throws -> AnyTensor? {
    let name = "output32.\(output).\(sample)"
    return file.contains(name) ? try file.anyTensor(named: name) : nil
  }

  /// What the file would hold of `actual`: every so many elements of a large output, all of another.
  public func stored<Scalar: TensorScalar>(_ actual: Tensor<Scalar>, as output: String) throws -> Tensor<Scalar> {
    guard let stride = strides[output] else { return actual }
    return try actual.flattened().sliced(axis: 0, step: stride)
  }

  /// The weights that the file describes by a formula; `nil` where it does not.
  /// - Throws: ``GoldenError`` for a description that cannot be read.
  package var generatedWeights: Weights? {
    get throws {
      guard let json = metadata["parameters"] else { return nil }
      do {
        return Weights(generated: try GeneratedParameter.list(json: json), name: "\(name), generated parameters")
      } catch {
        throw GoldenError(file: name, reason: .badMetadata("parameters", "\(error)"))
      }
    }
  }

  private static func decoded<Value: Decodable>(_ key: String, in file: SafetensorsFile) throws -> Value? {
    guard let json = file.metadata[key] else { return nil }
    do {
      return try JSONDecoder().decode(Value.self, from: Data(json.utf8))
    } catch {
      throw GoldenError(file: file.name, reason: .badMetadata(key, "\(error)"))
    }
  }
}

/// What goes into a model, by name. A model with a single input takes ``single(as:)``.
public struct SampleInputs: Sendable {
  private let tensors: [String: AnyTensor]
  private let source: String

  /// - Parameter source: where they come from, for messages.
  public init(_ tensors: [String: AnyTensor], source: String) {
    self.tensors = tensors
    self.source = source
  }

  /// The names there are; empty for the input of a model that has one.
  public var names: [String] { tensors.keys.sorted() }

  /// The input of a model that has one.
  /// - Throws: ``GoldenError/Reason/missing(_:)``; ``TensorError`` for elements that do not become `Scalar`.
  public func single<Scalar: TensorScalar>(as type: Scalar.Type = Scalar.self) throws -> Tensor<Scalar> {
    try tensor("", as: type)
  }

  /// The input called `name`; integers are widened or become floating-point ones.
  /// - Throws: ``GoldenError/Reason/missing(_:)``; ``TensorError`` for elements that do not become `Scalar`.
  public func tensor<Scalar: TensorScalar>(
    _ name: String, as type: Scalar.Type = Scalar.self
  ) throws -> Tensor<Scalar> {
    guard let tensor = try optional(name, as: type) else {
      throw GoldenError(file: source, reason: .missing(name.isEmpty ? "input" : "input.\(name)"))
    }
    return tensor
  }

  /// The same for an input that may be absent.
  public func optional<Scalar: TensorScalar>(
    _ name: String, as type: Scalar.Type = Scalar.self
  ) throws -> Tensor<Scalar>? {
    guard let tensor = tensors[name] else { return nil }
    guard let converted = try tensor.tensor(as: type, converting: true) else {
      throw TensorError.argument(
        operation: "input", reason: "\(source): \(tensor.dataType) elements do not become \(Scalar.dataType)")
    }
    return converted
  }
}

/// A safetensors file that is right and yet holds no golden samples.
public struct GoldenError: ApusError, Hashable, Sendable, CustomStringConvertible {
  /// The ways in which tensors or metadata fall short of golden samples.
  public enum Reason: Hashable, Sendable {
    /// Neither `input.…` nor `output.…` is there.
    case noSamples
    /// A sample lacks this tensor.
    case missing(String)
    /// The metadata under this key cannot be used, and why.
    case badMetadata(String, String)
    /// The model has no output of that name.
    case unknownOutput(String, known: [String])
  }

  /// The path of the file.
  public let file: String
  /// What the file lacks, or what of it cannot be used.
  public let reason: Reason

  /// An error about the file at the path `file`.
  public init(file: String, reason: Reason) {
    self.file = file
    self.reason = reason
  }

  /// The path and what is wrong, on one line.
  public var description: String {
    switch reason {
    case .noSamples: "\(file): holds no golden samples, tensors named input.SAMPLE and output.NAME.SAMPLE"
    case .missing(let name): "\(file): the tensor \"\(name)\" is missing"
    case .badMetadata(let key, let reason): "\(file): metadata \"\(key)\": \(reason)"
    case .unknownOutput(let name, let known):
      "\(file): the model has no output \"\(name)\", only \(known.joined(separator: ", "))"
    }
  }
}

extension String {
  fileprivate func suffix(after prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}

extension GoldenError {
  /// ``Fault/data``: the file was read; what it holds cannot be used.
  public var fault: Fault { .data }
}
