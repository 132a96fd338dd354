/// The inputs of a model and what it must make of them, read from a safetensors file.
///
/// The file holds, for every sample and every output of the model,
///
///     input.SAMPLE              what goes in
///     output.NAME.SAMPLE        what comes out, computed in float64: the truth
///     output32.NAME.SAMPLE      what another runtime makes of it in float32; may be absent
///
/// Names of outputs have no dots, names of samples may.
public struct GoldenSamples: Sendable {
  /// The names of the samples, sorted.
  public let sampleNames: [String]
  /// The names of the outputs, sorted. Every sample has every one of them.
  public let outputNames: [String]
  /// What the writer said of the file.
  public let metadata: [String: String]
  private let file: SafetensorsFile

  /// - Throws: ``GoldenError`` for a file without samples, or a sample that lacks its input or one of the outputs.
  public init(_ file: SafetensorsFile) throws {
    var samples: Set<String> = []
    var outputs: Set<String> = []
    for name in file.tensorNames {
      if let sample = name.suffix(after: "input.") {
        samples.insert(sample)
      } else if let output = name.suffix(after: "output."), let dot = output.firstIndex(of: ".") {
        outputs.insert(String(output[..<dot]))
        samples.insert(String(output[output.index(after: dot)...]))
      }
    }
    guard !samples.isEmpty, !outputs.isEmpty else { throw GoldenError(file: file.name, reason: .noSamples) }
    for sample in samples.sorted() {
      for name in ["input.\(sample)"] + outputs.sorted().map({ "output.\($0).\(sample)" }) where !file.contains(name) {
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
  public func input(of sample: String) throws -> AnyTensor {
    try file.anyTensor(named: "input.\(sample)")
  }

  /// What must come out.
  public func expected(_ output: String, of sample: String) throws -> AnyTensor {
    try file.anyTensor(named: "output.\(output).\(sample)")
  }

  /// What another runtime makes of it in float32; `nil` where the file does not say.
  public func peer(_ output: String, of sample: String) throws -> AnyTensor? {
    let name = "output32.\(output).\(sample)"
    return file.contains(name) ? try file.anyTensor(named: name) : nil
  }
}

/// A safetensors file that is right and yet holds no golden samples.
public struct GoldenError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Reason: Hashable, Sendable {
    /// Neither `input.…` nor `output.…` is there.
    case noSamples
    /// A sample lacks this tensor.
    case missing(String)
    /// The model has no output of that name.
    case unknownOutput(String, known: [String])
  }

  public let file: String
  public let reason: Reason

  public init(file: String, reason: Reason) {
    self.file = file
    self.reason = reason
  }

  public var description: String {
    switch reason {
    case .noSamples: "\(file): holds no golden samples, tensors named input.SAMPLE and output.NAME.SAMPLE"
    case .missing(let name): "\(file): the tensor \"\(name)\" is missing"
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
