import Apus

/// How one output of a model compares with its golden values, over all samples.
public struct Verification: Sendable {
  /// What the caller named the model.
  public var model: String
  /// The name of the output, or of the activation.
  public var output: String
  /// The element type the model ran in.
  public var dataType: DataType
  /// The tolerance that every element was held against.
  public var tolerance: Tolerance
  /// Every sample against the float64 reference.
  public var summary: ComparisonSummary
  /// The largest error of another runtime in float32 on the same samples, where the golden file has it and the model
  /// ran in float32 too.
  public var peerError: Double?

  /// Whether at least one sample was compared, and every element of all of them is within ``tolerance``.
  public var isEqual: Bool { summary.isEqual }

  /// The tolerance a model in `dataType` is held to unless the caller says otherwise.
  ///
  /// A few times what summing some thousand terms in another order explains; a layer that computes something else is
  /// orders of magnitude beyond it. The absolute part grows with outputs that are large, such as places in pixels:
  /// where these are differences of large numbers a small one is not more exact than they are.
  ///
  /// - Parameter magnitude: the RMS of the golden values.
  public static func tolerance(for dataType: DataType, magnitude: Double = 0) -> Tolerance {
    let standard =
      dataType == .float64
      ? Tolerance(relative: 1e-12, absolute: 1e-12) : Tolerance(relative: 1e-5, absolute: 5e-5)
    let absolute = max(standard.absolute, magnitude.isFinite ? standard.absolute / 5 * magnitude : 0)
    return Tolerance(relative: standard.relative, absolute: absolute)
  }
}

extension Verification {
  /// Runs `model` on every sample and compares every output the golden file knows; an output that the model
  /// does not have is looked for among its ``Activations``.
  ///
  /// - Parameters:
  ///   - name: what the report calls the model.
  ///   - tolerance: the tolerance of an output, given the model's type and ``tolerance(for:magnitude:)``.
  /// - Returns: one entry for each output, in the file's order.
  /// - Throws: ``GoldenError`` for an output the model does not have, ``TensorError`` for an input it does not take.
  public static func run<Model: VerifiableModel>(
    _ model: Model, named name: String, on golden: GoldenSamples, tolerance: (DataType, Tolerance) -> Tolerance = { $1 }
  ) throws -> [Verification] {
    let dataType = Model.Scalar.dataType
    var rows = try golden.outputNames.map {
      Verification(
        model: name, output: $0, dataType: dataType,
        tolerance: tolerance(dataType, Self.tolerance(for: dataType, magnitude: try golden.magnitude(of: $0))),
        summary: ComparisonSummary())
    }
    for sample in golden.sampleNames {
      let (outputs, activations) = try Activations.recording(Set(golden.outputNames)) {
        try model.outputs(for: golden.inputs(of: sample))
      }
      for index in rows.indices {
        let output = rows[index].output
        guard let actual = outputs[output] ?? activations[output]?.tensor() else {
          throw GoldenError(file: golden.name, reason: .unknownOutput(output, known: outputs.keys.sorted()))
        }
        try rows[index].add(AnyTensor(golden.stored(actual, as: output)), sample: sample, golden: golden)
      }
    }
    return rows
  }

  private mutating func add(_ actual: AnyTensor, sample: String, golden: GoldenSamples) throws {
    let truth = try golden.expected(output, of: sample)
    summary.add(
      try Comparison(actual: actual, expected: truth, tolerance: tolerance, checksDataType: false), named: sample)
    guard dataType == .float32, let peer = try golden.peer(output, of: sample) else { return }
    let theirs = try Comparison(actual: peer, expected: truth, tolerance: tolerance, checksDataType: false)
    peerError = max(peerError ?? 0, theirs.differences?.largestAbsolute?.value ?? 0)
  }
}

extension GoldenSamples {
  /// The largest RMS that an output has in any sample.
  fileprivate func magnitude(of output: String) throws -> Double {
    try sampleNames.map {
      let values: Tensor<Double> = try expected(output, of: $0).floating()
      return values.count == 0 ? 0 : try values.square().mean().scalar.squareRoot()
    }.max() ?? 0
  }
}

extension Verification: Encodable {
  enum CodingKeys: String, CodingKey {
    case model, output, equal, tolerance, summary
    case dataType = "dtype"
    case peerError = "peer_largest_absolute"
  }

  /// An object with `model`, `output`, `dtype`, `equal`, the tolerance, the summary and, where it is known,
  /// `peer_largest_absolute`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(model, forKey: .model)
    try container.encode(output, forKey: .output)
    try container.encode(dataType.rawValue, forKey: .dataType)
    try container.encode(isEqual, forKey: .equal)
    try container.encode(tolerance, forKey: .tolerance)
    try container.encode(summary, forKey: .summary)
    try container.encodeIfPresent(peerError, forKey: .peerError)
  }
}
