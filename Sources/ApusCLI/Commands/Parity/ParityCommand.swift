import Apus
import ApusGraph
import ApusNetworks
import ArgumentParser

struct ParityCommand: WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "parity",
    abstract: "Find the layer where a model stops computing what another model, or another runtime, computed.",
    discussion: """
      Judges MODEL by REFERENCE: values in files or folders, a second model of whatever format, or a network written in \
      Swift with its weights.

      Runs the model node by node beside values that another runtime wrote, matched by name \
      (--write-reference-script writes the scripts that record them, from PyTorch, from ONNX Runtime, and for models that \
      coremltools converted). Each node is run twice: on the reference's values \
      for its inputs, which gives its own, isolated error, and in Apus' run from the inputs on, which gives the \
      cumulative one. A node beyond the tolerance in isolation computes something else than the reference; one \
      beyond it only cumulatively inherits an error.

      VALUES IN FILES
        .npz and .safetensors; .npy; folders of .npy files, which a metadata.json may name; what Polygraphy saved as JSON \
      (--save-outputs, --save-inputs); .pb files and folders of them, test_data_set_0 for example. As REFERENCE, or as \
      --expected, which takes several. Inputs are looked for among them, or are those of --inputs. Names of files, which hold \
      no slash, stand for the names of values with underscores for it.

      TWO MODELS
        'apus parity MODEL REFERENCE' runs both on the same inputs: those of --inputs, or N random ones: from -1 to 1, 0 or 1 \
      where they are integers, any row of a table where they are its indices, 0 to 255 where they are an image. REFERENCE runs in \
      DOUBLE where it can. Its values are paired with the model's by name; what is left, by what they hold, the axes \
      being allowed another order, as of NHWC and NCHW; at last by their place, among the outputs or behind what is \
      paired. Weights are paired likewise, \
      dequantised and transposed where needed. Pairs are shown (--all: each), and what outputs differ by over all samples: \
      SNR, cosine, the largest error, that of each side against itself in DOUBLE, and how often the largest element, and \
      the five largest, are the same. Nodes are shown of the first sample that differs. Weights that differ are shown and \
      do not count: what they lead to does.

      A NETWORK WRITTEN IN SWIFT
        NAME:WEIGHTS in place of one of the two models is a network whose layers are Swift, with weights from a safetensors file or, \
      of text models, a folder of Hugging Face; NAME alone has the weights that 'apus verify' has for it. It is computed in \
      DOUBLE and is what the file is judged by, whichever of the two is named first. The file's values are paired with the \
      network's outputs and modules by what they hold, its weights by name too. NAME is one of \
      \(ShippedModel.all.map(\.name).joined(separator: ", ")); weights \
      of YOLO and of classifiers of pictures say by themselves of which size they are.

      A reference may have been recorded elsewhere than this file computes: before a normalisation was folded into a \
      convolution, or after a value was overwritten in place. Where the nodes after such a value have the reference's \
      values on what this file computes in its place, and not on it, the report says that the reference's value does not \
      fit this file; it is counted apart, and is no difference.

      TOLERANCES
        An isolated element passes when |actual - expected| ≤ rtol · |expected| + (4 + √K / 2) · u · scale, with rtol \
      1.3e-6 for FLOAT, 1e-3 for FLOAT16, 1.6e-2 for BFLOAT16, 1e-12 for DOUBLE, u the type's rounding (2⁻²⁴ for \
      FLOAT), K the number of terms an element adds up, and the scale that of the largest element, or of the \
      terms; constants of masks, such as -1e9, are no scale, and are judged by rtol alone. Why: terms that cancel leave an error proportional to the terms and not to the result, and it grows with \
      the square root of their number. There is no absolute constant: a wrong epsilon shows in a layer of small values too.
        Cumulatively every node before has rounded: rtol 1e-3 and 1e-4 of the largest element for FLOAT; behind a node \
      that quantises, two levels of 255.
        Integers are exact, labels behind a node that quantises too. The levels alone that such a node rounds may be off by one in \
      1 % of the elements, which is reported and no difference, unless --atol is given; and by two cumulatively.
        --rtol and --atol take the place of the two parts everywhere; --scaled-atol takes that of the second for floating-point \
      numbers, as a share of the scale. Weights in FLOAT16 against FLOAT: --scaled-atol 2e-3.

      Of the first node that differs it is said what the difference is made of, where that holds for every element: a \
      factor, a shift, an order of axes, one channel, the border, a limit; or the value of an attribute with which the node \
      gives the reference's value.

      Values between nodes that the file lacks are not checked; the nodes around them are judged together, and may differ \
      by what rounding alone makes of them, which is measured in DOUBLE. Bodies of \
      If, Loop and Scan are not looked into. Ends with 0 when everything is within the tolerances, with 1 when \
      something is not and when the verdict is incomplete: a node cannot be run, all outputs are NaN or without elements, or the reference lacks an \
      output while it is a model or has names that the model does not.

      EXAMPLES
        apus parity model.onnx reference.safetensors
        apus parity model.onnx dump/ --inputs image=photo.npy
        apus parity model.onnx outputs.json --inputs inputs.json
        apus parity model.onnx --inputs inputs.npz --expected outputs.npz --float64
        apus parity model.mlpackage model.onnx --random 1 --samples 8
        apus parity quantized.onnx float.onnx --inputs pictures.npz
        apus parity float16.mlpackage model.onnx --scaled-atol 2e-3
        apus parity model.onnx model.pt2 --random 1
        apus parity best.onnx yolov8n:best.safetensors --inputs images=street.jpg
        apus parity classifier.mlpackage resnet50:resnet50.safetensors --samples 8
        apus parity behavior.onnx behavior-classifier --dim batch=1
        apus parity model.onnx --inputs test_data_set_0 --expected test_data_set_0 --all
        apus parity model.onnx reference.safetensors --report parity.html --report parity.svg --junit parity.xml
        apus parity --write-reference-script torch --output scripts/torch_reference.py
        apus parity model.onnx --expected reference.safetensors --json | jq .data_sets[0].first_difference
      """)

  @Argument(
    help: "The model: .onnx, .mlpackage, .mlmodel or .pt2, or NAME:WEIGHTS of a network written in Swift.",
    completion: .files(.models))
  var model: String?

  @OptionGroup var parity: ParityOptions

  @Argument(
    help:
      "What to judge it by: a second model or NAME:WEIGHTS, or, in place of --expected, a file or a folder of values.",
    completion: .files(.models, .values))
  var reference: String?

  @Option(
    help: ArgumentHelp("Two models: make up the inputs, from this seed on. Without inputs: 0.", valueName: "seed"))
  var random: UInt64?

  @Option(help: ArgumentHelp("Two models: on so many random inputs.", valueName: "n"))
  var samples = 1

  @OptionGroup var dimensions: DimensionOptions

  @Flag(help: "Also compute in DOUBLE, node by node and as a whole, and say which side is closer to that.")
  var float64 = false

  @Flag(help: "List every node.")
  var all = false

  @Option(help: ArgumentHelp("List at most so many nodes.", valueName: "n"))
  var top = 24

  @OptionGroup var written: ParityFiles

  @Option(
    help: ArgumentHelp(
      "Instead of all this, write the script that records a reference: torch, onnxruntime or coreml.",
      valueName: "kind"))
  var writeReferenceScript: ReferenceScript?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Where that script goes; what it imports goes beside it.", valueName: "file"),
    completion: .file(extensions: ["py"]))
  var output: String?

  @Flag(help: "Print one line of JSON.")
  var json = false

  var files: FilePlan {
    get throws {
      var files = FilePlan()
      try model.map(ParitySide.init)?.plan(&files, as: "the model")
      givenValues.plan(&files)
      try referenceModel.map(ParitySide.init)?.plan(&files, as: "the reference")
      written.plan(&files)
      writeReferenceScript?.plan(output, &files)
      return files
    }
  }

  func validate() throws {
    if writeReferenceScript != nil {
      guard model == nil else {
        throw ValidationError("--write-reference-script takes no model: its help says what the script is run on.")
      }
      guard isPlain else {
        throw ValidationError("--write-reference-script takes --output and --json alone: nothing is compared.")
      }
      return
    }
    guard let model else { throw ValidationError("Missing expected argument '<model>'.") }
    let sides = try [model, referenceModel].compactMap { try $0.map(ParitySide.init) }
    guard sides.contains(where: { !$0.isNetwork }) else {
      throw ValidationError(
        "A network written in Swift has no nodes to look at: give the file of a model beside it. 'apus verify' holds it to "
          + "golden outputs.")
    }
    guard output == nil else { throw ValidationError("--output is for --write-reference-script.") }
    guard top >= 0 else { throw ValidationError("--top \(top): a number not below 0 was expected.") }
    guard (1...100_000).contains(samples) else {
      throw ValidationError("--samples \(samples): a number from 1 to 100000 was expected.")
    }
    if reference != nil, !parity.expected.isEmpty {
      throw ValidationError("Give a reference or --expected: what the model is to be judged by is one of them.")
    }
    if referenceModel == nil {
      try givenValues.validateReference()
      if random != nil || samples > 1 || !dimensions.assignments.isEmpty {
        throw ValidationError("--random, --samples and --dim are for two models: MODEL REFERENCE.")
      }
    } else if !parity.inputs.isEmpty, random != nil || samples > 1 || !dimensions.assignments.isEmpty {
      throw ValidationError("Give --inputs, or --random, --samples and --dim: the inputs are one of them.")
    }
  }

  /// Whether no option was given that a comparison heeds.
  private var isPlain: Bool {
    parity.isPlain && written.isPlain && random == nil && samples == 1 && dimensions.assignments.isEmpty && !float64
      && !all && top == 24
  }

  /// The reference, where it is a model.
  private var referenceModel: String? { reference.flatMap { DataSets.areValues(at: $0) ? nil : $0 } }

  /// The options, with the reference among the expected values where it is one of them.
  private var givenValues: ParityOptions {
    var given = parity
    if let reference, referenceModel == nil { given.expected.append(reference) }
    return given
  }

  func run() throws {
    if let writeReferenceScript {
      let written = try writeReferenceScript.write(to: output)
      return try Output.write(json ? jsonText(written) + "\n" : writeReferenceScript.text(written))
    }
    guard let model else { return }
    try parity.limits.bounded {
      let results = try referenceModel.map { try compare(model, with: $0) } ?? check(model)
      try written.write(results)
      try Output.write(json ? jsonText(results) + "\n" : results.text(listsAll: all, limit: top))
      if !results.isEqual { throw CommandStatus.different }
    }
  }

  private var options: ParityCheck.Options {
    parity.options(computesTruth: float64, profilesErrors: written.hasPage)
  }

  // MARK: Two models

  private func compare(_ path: String, with reference: String) throws -> ParityResults {
    // Of a network only values are known: it is what the other is judged by, whichever is named first.
    let (path, reference) = try ParitySide(path).isNetwork ? (reference, path) : (path, reference)
    let model = try open(path)
    var integers: [String: (type: ElementType, range: RandomRange)] = [:]
    var comparison: ModelComparison
    switch try ParitySide(reference).reference(open) {
    case .graph(let other):
      try parity.arithmetic.check([model, other])
      comparison = try ModelComparison(model, against: other, options: options)
      integers = Self.integers(of: other, in: comparison.report.pairing.inputs, for: model)
    case .network(let network):
      try parity.arithmetic.check([model])
      comparison = try ModelComparison(model, against: network, options: options)
    }
    for makeInputs in try inputs(of: model, path, as: integers) {
      let (name, inputs) = try makeInputs()
      var progress = ProgressBar(total: model.graph.nodes.count)
      defer { progress?.clear() }
      try comparison.run(inputs, named: name) { progress?.update($0, note: "nodes") }
    }
    return ParityResults(model: path, reference: reference, comparison: comparison.report)
  }

  /// The inputs that are integers of the reference and floating-point numbers of the model, and no picture: ids and masks,
  /// of which whole numbers alone go into both.
  private static func integers(
    of reference: any GraphModel, in pairs: [ModelPairing.Pair], for model: any GraphModel
  ) -> [String: (type: ElementType, range: RandomRange)] {
    func type(_ name: String, _ graph: Graph) -> ElementType? {
      guard let id = graph.value(named: name), case .tensor(let type?, _)? = graph.values[id].type else { return nil }
      return type
    }
    return pairs.reduce(into: [:]) { integers, pair in
      guard let other = type(pair.referenceName, reference.graph), other.dataType?.isFloatingPoint == false,
        other != .bool, type(pair.name, model.graph)?.dataType?.isFloatingPoint == true,
        model.randomRange(of: pair.name) == .standard
      else { return }
      integers[pair.name] = (other, reference.randomRange(of: pair.referenceName))
    }
  }

  private func open(_ path: String) throws -> any GraphModel {
    try openModel(path, arithmetic: parity.arithmetic.arithmetic)
  }

  /// The sets of inputs, each with its name, read or made when its turn comes.
  private func inputs(
    of model: any GraphModel, _ path: String, as integers: [String: (type: ElementType, range: RandomRange)]
  ) throws -> [() throws -> (String, [String: GraphValue])] {
    let graph = model.graph
    guard parity.inputs.isEmpty else {
      let names = graph.inputs.map { graph.values[$0].name }
      let required = graph.requiredInputs.map { graph.values[$0].name }
      return try DataSets.read(parity.inputs, of: model, defaults: required).map { set in
        { (set.name, try set.values(named: names)) }
      }
    }
    let dimensions = try dimensions.dimensions(of: graph.inputs.map { graph.values[$0] })
    let seed = random ?? 0
    return (0..<samples).map { sample in
      {
        let seed = seed &+ UInt64(sample)
        var inputs = ModelInputs(model, file: path, converts: false, widens: false)
        try inputs.fill(seed: seed, dimensions: dimensions, as: integers)
        return ("random, seed \(seed)", inputs.values)
      }
    }
  }

  // MARK: Values in files

  private func check(_ path: String) throws -> ParityResults {
    let model = try open(path)
    try parity.arithmetic.check([model])
    let check = try ParityCheck(model, options: options)
    var results = ParityResults(model: path)
    for makeCase in try givenValues.cases(of: model) {
      let dataSet = try makeCase()
      var progress = ProgressBar(total: model.graph.nodes.count)
      defer { progress?.clear() }
      let report = try check.run(dataSet.inputs, reference: dataSet.reference) { progress?.update($0, note: "nodes") }
      guard report.verdict != .nothingChecked else { throw nothingChecked(dataSet, report, model) }
      results.add(report, named: dataSet.name)
    }
    return results
  }

  private func nothingChecked(_ dataSet: ParityOptions.Case, _ report: ParityReport, _ model: any GraphModel)
    -> CommandFailure
  {
    if report.nodes.contains(where: { $0.status == .random }) {
      return CommandFailure(
        .badData, "\(dataSet.name): every value in it depends on chance; there is nothing to compare")
    }
    let outputs = model.graph.outputs.map { "'\(model.graph.values[$0].name)'" }.prefix(3).joined(separator: ", ")
    let names = report.unknownNames.prefix(3).map { "'\($0)'" }.joined(separator: ", ")
    return CommandFailure(
      .badData,
      "\(dataSet.name): no value in it is named as one that the model computes, such as \(outputs)"
        + (names.isEmpty ? "" : "; it has \(names)"))
  }
}
