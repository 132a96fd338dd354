import Apus
import ApusCoreML
import ApusGraph
import ArgumentParser

/// `--dim`.
struct DimensionOptions: ParsableArguments {
  @Option(
    name: .customLong("dim"),
    help: ArgumentHelp(
      "An extent that the model leaves open, by its name or as INPUT.AXIS; may be repeated.", valueName: "name=n"))
  var assignments: [String] = []

  func validate() throws { _ = try sizes }

  var sizes: [String: Int] {
    get throws {
      var sizes: [String: Int] = [:]
      for text in assignments {
        guard let equals = text.lastIndex(of: "="), equals > text.startIndex,
          let size = Int(text[text.index(after: equals)...]), size >= 0
        else { throw ValidationError("--dim \(text): NAME=N was expected, N an integer not below 0.") }
        let name = String(text[..<equals])
        if let other = sizes.updateValue(size, forKey: name), other != size {
          throw ValidationError("--dim \(name)=\(other) and --dim \(name)=\(size) contradict each other.")
        }
      }
      return sizes
    }
  }

  /// The extents, whose names must be among those that `inputs` leave open.
  func dimensions(of inputs: [Graph.ValueInfo]) throws -> OpenDimensions {
    let (sizes, names) = (try sizes, OpenDimensions.names(in: inputs))
    for name in sizes.keys.sorted() where !names.contains(name) {
      let nearest = nearestName(to: name, in: names).map { "did you mean '\($0)'?" }
      let known = names.isEmpty ? "it leaves none open" : "there is \(names.joined(separator: ", "))"
      throw CommandFailure(
        .usage, "--dim \(name): the model leaves no extent of that name open; \(nearest ?? known)")
    }
    let dimensions = OpenDimensions(sizes)
    if let given = dimensions.contradiction(in: inputs) {
      let options = given.map { "--dim \($0.name)=\($0.size)" }.joined(separator: " and ")
      throw CommandFailure(.usage, "\(options) contradict each other: both are the same extent")
    }
    return dimensions
  }
}

/// How models are computed that say how each value is rounded.
struct ArithmeticOptions: ParsableArguments {
  @Option(
    help: """
      Core ML: float32 computes everything in float32, whatever the file says; declared rounds every value to the type \
      that the file declares.
      """)
  var arithmetic = CoreMLArithmetic.float32

  /// - Throws: ``CommandFailure`` where rounding is asked for and none of the models says it.
  func check(_ models: [any GraphModel]) throws {
    guard arithmetic != .float32, !models.contains(where: { $0 is CoreMLModel }) else { return }
    throw CommandFailure(.usage, "--arithmetic \(arithmetic.rawValue): only Core ML models say how values are rounded")
  }
}

extension CoreMLArithmetic: ExpressibleByArgument {}

/// What a run may take.
struct LimitOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The most memory that tensors may take: bytes, or a number with K, M or G. Without it, and without "
        + "APUS_MEMORY_LIMIT: half of the machine's memory; and what loops and sequences make, 64 bytes for each of the "
        + "model and its inputs, and 1 GiB.", valueName: "size"))
  var memoryLimit: String?

  @Option(help: ArgumentHelp("The most turns that all loops of a run may take together.", valueName: "n"))
  var loopLimit = InferenceSession.Limits().iterations

  @Option(
    help: ArgumentHelp(
      "The most time that reading, preparing and running may take; then it ends with 75.",
      valueName: "seconds"))
  var timeLimit: Double?

  /// Whether none of these was given.
  var isPlain: Bool { memoryLimit == nil && loopLimit == InferenceSession.Limits().iterations && timeLimit == nil }

  func validate() throws {
    if let timeLimit, !(timeLimit > 0 && timeLimit <= 1e9) {
      throw ValidationError("--time-limit \(timeLimit): seconds, above 0 and up to 1e9, were expected.")
    }
    if let memoryLimit, MemoryLimit.byteCount(memoryLimit) == nil {
      throw ValidationError("--memory-limit \(memoryLimit): bytes, or a number with K, M or G, were expected.")
    }
    guard loopLimit > 0 else { throw ValidationError("--loop-limit \(loopLimit): a number above 0 was expected.") }
  }

  /// Sets the memory limit of the process, and gives the limits of a run.
  func apply() -> InferenceSession.Limits {
    if let limit = memoryLimit.flatMap(MemoryLimit.byteCount) { Execution.memoryLimit = limit }
    var limits = InferenceSession.Limits()
    limits.iterations = loopLimit
    return limits
  }

  /// Runs `body` within the time limit.
  func bounded<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard let timeLimit else { return try body() }
    return try TimeLimit.with(.seconds(timeLimit), body)
  }
}
