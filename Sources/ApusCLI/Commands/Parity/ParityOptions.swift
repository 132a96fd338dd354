import Apus
import ApusGraph
import ArgumentParser

/// What `parity` and `reduce` are given besides a model: what goes into it, and what another runtime made of it.
struct ParityOptions: ParsableArguments {
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "What goes in: .npz, .safetensors, .npy (NAME=FILE where there are several), .pb, JSON of Polygraphy, folders of "
        + ".pb or .npy; pictures where the model declares an image. Without, it is looked for among the expected values.",
      valueName: "file"),
    completion: .files(.values))
  var inputs: [String] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "What must come out, and values in between, under the model's names for them. As many data sets as inputs.",
      valueName: "file"),
    completion: .files(.values))
  var expected: [String] = []

  @OptionGroup var tolerance: ToleranceOptions

  @Option(
    name: .customLong("scaled-atol"),
    help: ArgumentHelp(
      "In place of --atol: a share of the value's largest element, for floating-point numbers; 2e-3 suits weights of FLOAT16.",
      valueName: "number"))
  var scaledATol: Double?

  @Option(help: "How Apus computes: exact, or fast, which allows Winograd's convolution and longer sums.")
  var precision = Execution.Precision.exact

  @OptionGroup var arithmetic: ArithmeticOptions

  @OptionGroup var limits: LimitOptions

  func validate() throws {
    guard let scaledATol else { return }
    guard scaledATol >= 0, scaledATol.isFinite else {
      throw ValidationError("--scaled-atol \(scaledATol): a finite number not below 0 was expected.")
    }
    guard tolerance.atol == nil else {
      throw ValidationError(
        "Give --atol or --scaled-atol: the one is a number, the other a share of the largest element.")
    }
  }

  /// - Throws: ``ValidationError`` where there is no file of values, which a command needs.
  func validateReference() throws {
    if expected.isEmpty { throw ValidationError("Missing expected argument '--expected <file> ...'.") }
  }

  /// Whether none of these was given.
  var isPlain: Bool {
    inputs.isEmpty && expected.isEmpty && tolerance.rtol == nil && tolerance.atol == nil && scaledATol == nil
      && precision == .exact && arithmetic.arithmetic == .float32 && limits.isPlain
  }

  /// One set of inputs with its reference.
  struct Case {
    var name: String
    var inputs: [String: GraphValue]
    var reference: ReferenceValues
  }

  /// Adds what is read to a plan.
  func plan(_ files: inout FilePlan) {
    for (paths, role) in [(inputs, "--inputs"), (expected, "--expected")] {
      for path in paths { DataSets.plan(path, as: role, &files) }
    }
  }

  func options(computesTruth: Bool = false, profilesErrors: Bool = false) -> ParityCheck.Options {
    var options = ParityCheck.Options()
    options.tolerance = ParityTolerance(
      relative: tolerance.rtol, absolute: tolerance.atol, scaled: scaledATol)
    options.precision = precision
    options.computesTruth = computesTruth
    options.profilesErrors = profilesErrors
    options.limits = limits.apply()
    return options
  }

  /// The data sets, each with the inputs that belong to it. A set's inputs are read when its turn comes.
  func cases(of model: any GraphModel) throws -> [() throws -> Case] {
    let graph = model.graph
    let inputNames = graph.inputs.map { graph.values[$0].name }
    let required = graph.requiredInputs.map { graph.values[$0].name }
    let outputNames = graph.outputs.map { graph.values[$0].name }
    let references = try DataSets.read(expected, of: model, defaults: outputNames)
    let given = try DataSets.read(inputs, of: model, defaults: required)
    guard given.isEmpty || given.count == references.count else {
      throw CommandFailure(
        .usage, "--inputs has \(given.count) data sets, --expected \(references.count); each needs the other")
    }
    return references.enumerated().map { index, reference in
      {
        Case(
          name: reference.name, inputs: try (given.isEmpty ? reference : given[index]).values(named: inputNames),
          reference: reference.reference)
      }
    }
  }
}
