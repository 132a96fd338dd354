import Apus
import ApusGraph
import ApusVision
import ArgumentParser

struct RunCommand: WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run a model.",
    discussion: """
      MODEL is an .onnx file, a Core ML model (.mlpackage, .mlmodel), or a program of torch.export (.pt2).

      INPUTS are .npy, .npz, .safetensors or .pb files (TensorProto; SequenceProto or OptionalProto where the model \
      declares one). An image of three colours, [1, 3, height, width] or [1, height, width, 3], may be a picture too (PNG, JPEG, \
      BMP, PPM), turned upright: of a Core ML model that declares it as an image as its bytes, stretched to the declared size \
      (Pillow's LANCZOS), and an array may be height × width × colours; of other models as 'apus classify' finds out how they \
      want it, stretched, and from 0 to 1 where nothing says it, which is said. A dictionary D is D.keys and D.values. Of a file without a name before it the entries count that are named as inputs; a model with one \
      input takes a file's only entry under any name. Element types must be those that the model declares; --convert \
      rounds floating-point numbers, takes integers of another width that fit, and makes integers and Boolean \
      values floating-point.

      RANDOM inputs are the same everywhere for the same seed, name and shape: in [-1, 1) for floating-point types; 0 \
      or 1 for Booleans and for integers of 32 and 64 bits, but any row of the table for indices that lead to a Gather with at most \
      Cast, Reshape, Unsqueeze, Squeeze or Identity between; 0 to 127 for narrower integers; whole numbers from 0 to 255 for what \
      the model declares as an image. Open extents have no default: --dim gives them, or an input that has the same one and is given.

      OUTPUTS go to --output as .npy where NumPy has the type, and as .pb otherwise (bfloat16, float8 and smaller, \
      sequences). A dictionary is two arrays, NAME.keys and NAME.values. Characters that do not belong in a file's name become '_'.

      --float64 computes every floating-point tensor in float64, and lists the nodes whose results are of another \
      floating-point type all the same. --precision fast allows Winograd's convolution and longer sums.

      --jsonl answers requests until there are no more, as a child of another program: a line in and a line out, as the Open \
      Inference Protocol has them: {"id", "inputs": [{"name", "shape", "datatype", "data"}], "outputs": [{"name"}]} is \
      answered by {"id", "model_name", "outputs": [{"name", "shape", "datatype", "data"}]}, numbers that are not finite by \
      null. An input may have "path" in place of data. What goes wrong is a line with "error", and the next one is read.

      EXAMPLES
        apus run model.onnx --random 1 --dim batch=1
        apus run model.onnx --input images=photo.npy --output results
        apus run detector.onnx --input images=photo.jpg --output results --json
        apus run model.onnx --input inputs.npz --fetch /layer1/Relu_output_0
        apus run model.onnx --random 1 --warmup 3 --repeat 20 --profile
        apus run model.onnx --jsonl - < requests.jsonl > answers.jsonl
      """)

  @Argument(
    help: "A model: .onnx, .mlpackage, .mlmodel or .pt2.",
    completion: .files(.models))
  var model: String

  @Option(
    name: .customLong("input"),
    help: ArgumentHelp("An input: NAME=FILE, or FILE alone; may be repeated.", valueName: "[name=]file"),
    completion: .files(.values, .pictures))
  var inputs: [String] = []

  @Option(
    help: ArgumentHelp(
      "Make up the inputs that are not given: from -1 to 1, rows of tables, bytes of images; see RANDOM.",
      valueName: "seed"))
  var random: UInt64?

  @OptionGroup var dimensions: DimensionOptions

  @OptionGroup(title: "Pictures") var numbers: NormalizationOptions

  @Option(
    help: ArgumentHelp(
      "A tensor inside the graph to give instead of the model's outputs; may be repeated.", valueName: "tensor"))
  var fetch: [String] = []

  @Option(help: ArgumentHelp("Write the outputs to this folder.", valueName: "folder"), completion: .directory)
  var output: String?

  @Option(help: "How float32 is computed: exact, or fast.")
  var precision = Execution.Precision.exact

  @Flag(name: .customLong("float64"), help: "Compute every floating-point tensor in float64.")
  var isFloat64 = false

  @Flag(help: "Turn inputs of another element type into the declared one.")
  var convert = false

  @Option(help: ArgumentHelp("Threads to use; changes no result.", valueName: "n"))
  var threads: Int?

  @Option(help: ArgumentHelp("Runs before those that are timed.", valueName: "n"))
  var warmup = 0

  @Option(name: .customLong("repeat"), help: ArgumentHelp("Runs that are timed.", valueName: "n"))
  var repeats = 1

  @Flag(help: "Say which operators and which nodes take the time.")
  var profile = false

  @OptionGroup var arithmetic: ArithmeticOptions

  @OptionGroup var limits: LimitOptions

  @OptionGroup var cache: CacheOptions

  @OptionGroup(title: "Requests") var requests: RequestOptions

  @Flag(help: "Print one line of JSON.")
  var json = false

  func validate() throws {
    if let threads, !(1...256 ~= threads) { throw ValidationError("--threads \(threads): 1 to 256 was expected.") }
    if warmup < 0 { throw ValidationError("--warmup \(warmup): a number not below 0 was expected.") }
    let isForOneRun =
      !inputs.isEmpty || random != nil || !dimensions.assignments.isEmpty || output != nil || profile || warmup > 0
      || repeats > 1
    if requests.jsonl != nil, isForOneRun {
      throw ValidationError("--jsonl excludes --input, --random, --dim, --output, --profile, --warmup and --repeat.")
    }
    if repeats < 1 { throw ValidationError("--repeat \(repeats): a number above 0 was expected.") }
  }

  var files: FilePlan {
    var files = FilePlan()
    files.readsModel(model, as: "the model")
    files.reads(requests.jsonl, as: "--jsonl")
    for input in inputs { ModelInputs.plan(input, &files) }
    files.writes(output, as: "--output", .folder)
    cache.plan(&files)
    return files
  }

  func run() throws {
    if requests.jsonl != nil { return try serve() }
    try limits.bounded { try runModel() }
  }

  private var options: InferenceSession.Options {
    var options = InferenceSession.Options()
    options.limits = limits.apply()
    options.precision = precision
    options.computesInFloat64 = isFloat64
    options.cacheFolder = cache.folder
    return options
  }

  private func inputs(of model: any GraphModel) -> ModelInputs {
    ModelInputs(
      model, file: self.model, converts: convert, widens: isFloat64,
      stated: PictureStatement(normalization: numbers.normalization))
  }

  private func open() throws -> any GraphModel {
    let model = try openModel(self.model, arithmetic: arithmetic.arithmetic)
    try arithmetic.check([model])
    return model
  }

  private func runModel() throws {
    let options = options
    let model = try open()
    var inputs = inputs(of: model)
    let dimensions = try dimensions.dimensions(of: inputs.declared)
    for argument in self.inputs { try inputs.read(argument) }
    for warning in inputs.warnings { ErrorOutput.warning(warning) }
    try inputs.check(dimensions)
    guard numbers.normalization == nil || inputs.pictures != nil else {
      throw CommandFailure(.usage, "--mean and --std are for pictures that become numbers, and no input is one")
    }
    numbers.warn()
    if random != nil { try inputs.fill(seed: random, dimensions: dimensions) }
    try inputs.checkAllGiven()
    let session = try session(model, options)
    let report = try Execution.with(threads: threads, precision: precision) { try run(session, inputs) }
    cache.warn(session.cacheUse)
    try Output.write(json ? jsonText(report) + "\n" : report.text())
  }

  /// Answers requests of the Open Inference Protocol.
  private func serve() throws {
    let session = try session(open(), options)
    let model = session.model
    var said: Set<String> = []
    try requests.serve("run", model: self.model, TensorRequest.self) { request, _ in
      try limits.bounded {
        var inputs = inputs(of: model)
        for (name, input) in request.inputs {
          switch input {
          case .value(let value): try inputs.give(value, for: name, from: "the request")
          case .file(let path): try inputs.read("\(name)=\(path)")
          }
        }
        for warning in inputs.warnings where said.insert(warning).inserted { ErrorOutput.warning(warning) }
        try inputs.checkAllGiven()
        let names = request.outputs.isEmpty ? wanted : request.outputs
        let outputs = try Execution.with(threads: threads, precision: precision) {
          try session.run(inputs.values, fetching: names)
        }
        var response = TensorResponse()
        for (name, value) in parts(of: outputs, named: names, session) { try response.add(value, named: name) }
        return response.text(model: self.model)
      }
    }
    cache.warn(session.cacheUse)
  }

  /// The tensors that are asked for; nil for the model's outputs.
  private var wanted: [String]? { fetch.isEmpty ? nil : fetch }

  /// What is given of the outputs, in order.
  private func parts(
    of outputs: [String: GraphValue], named names: [String]?, _ session: InferenceSession
  ) -> [(name: String, value: GraphValue)] {
    let graph = session.model.graph
    return (names ?? graph.outputs.map { graph.values[$0].name }).flatMap { name in
      outputs[name].map { $0.parts(named: name, of: session.model.form(of: name)) } ?? []
    }
  }

  /// - Throws: ``CommandFailure`` that names all operators which Apus does not have, not the first alone.
  private func session(_ model: any GraphModel, _ options: InferenceSession.Options) throws -> InferenceSession {
    do {
      return try namingModel(self.model) { try InferenceSession(model, options: options) }
    } catch GraphError.unsupported(let name, let opset, let node) {
      let census = try OperatorCensus(model.graph)
      guard census.unknown.count > 1 else { throw GraphError.unsupported(operator: name, opset: opset, node: node) }
      let unknown = census.unknown.map(\.description).joined(separator: ", ")
      let sentences = ["\(self.model): needs operators that Apus does not have: \(unknown)"] + census.advice
      throw CommandFailure(.badData, sentences.joined(separator: "; "))
    }
  }

  private func run(_ session: InferenceSession, _ inputs: ModelInputs) throws -> RunReport {
    let names = wanted
    var progress = ProgressBar(total: warmup + repeats)
    defer { progress?.clear() }
    var report = RunReport(model: model, inputs: inputs, precision: precision, isFloat64: isFloat64)
    report.warnings = session.model.warnings
    if isFloat64 { report.narrowNodes = try narrowNodes(session, inputs, names) }
    let profile = profile ? InferenceProfile() : nil
    var outputs: [String: GraphValue] = [:]
    for turn in 0..<(warmup + repeats) {
      progress?.update(turn, note: turn < warmup ? "warming up" : "run \(turn - warmup + 1) of \(repeats)")
      let (clock, isTimed) = (ContinuousClock(), turn >= warmup)
      let start = clock.now
      if isTimed, let profile {
        outputs = try session.run(inputs.values, fetching: names, profile: profile)
      } else {
        outputs = try session.run(inputs.values, fetching: names)
      }
      let (seconds, attoseconds) = (clock.now - start).components
      if isTimed { report.latencies.append(Double(seconds) * 1e3 + Double(attoseconds) * 1e-15) }
    }
    progress?.clear()
    report.cache = session.cacheUse
    report.profile = profile.map { RunProfile($0, runs: repeats) }
    try CheckedFiles.current.addData(session.model.externalFiles)
    var folder = try output.map { try OutputFolder(path: $0) }
    let results = parts(of: outputs, named: names, session)
    // The names of all files are looked at before the first is written.
    let files = try results.map { try folder?.file(for: $0.value, named: $0.name) }
    for (result, file) in zip(results, files) {
      if let file { try OutputFolder.write(result.value, named: result.name, to: file) }
      try report.add(result.value, named: result.name, file: file)
    }
    return report
  }

  /// The nodes whose results are not what float64 would give: those that round to a few bits, and those that give
  /// floating-point tensors of another type.
  private func narrowNodes(_ session: InferenceSession, _ inputs: ModelInputs, _ names: [String]?) throws -> [String] {
    let rounding = session.graph.nodesThatRound
    var nodes = rounding.map { "\($0.name) (\($0.operatorName))" }
    var seen = Set(rounding.map(\.name))
    _ = try session.run(
      inputs.values, fetching: names,
      tallying: { node, _, outputs in
        let isNarrow = outputs.contains { output in
          guard case .tensor(let type?, _)? = output else { return false }
          return type.isFloatingPoint && !type.isCoded && type != .double
        }
        if isNarrow, seen.insert(node.name).inserted { nodes.append("\(node.name) (\(node.operatorName))") }
      })
    return nodes
  }
}

extension GraphValue {
  /// What is written of an output: of a dictionary `name.keys` and `name.values`, of anything else the value itself.
  func parts(named name: String, of form: ValueForm?) -> [(name: String, value: GraphValue)] {
    guard case .dictionary(let keys)? = form, let shape, 1...2 ~= shape.count, keys.shape == shape.suffix(1) else {
      return [(name, self)]
    }
    return [(name + ".keys", keys), (name + ".values", self)]
  }
}
