/// What the command line asks for.
struct Options {
  enum Mode {
    /// Measures and prints a table.
    case measure
    /// Prints what there is to measure.
    case list
    /// Runs single workloads as standard input asks for them.
    case serve
    /// Watches resident memory over many predictions.
    case memory
    /// Opens a large weights file.
    case open
    /// Runs a network some times and reports the most memory it had.
    case peak
    /// Runs a masked-language model from a folder of Hugging Face.
    case pretrained
    case help
  }

  var mode = Mode.measure
  /// Workloads whose name it does not occur in are skipped.
  var filter: Regex<AnyRegexOutput>?
  /// The number of threads an operator may use; the library's own choice when nil.
  var threads: Int?
  /// Where results go as JSON.
  var jsonPath: String?
  var isQuick = false
  /// The network of `peak`, by its workload's name, and a safetensors file of its weights.
  var network = ""
  var weights: String?
  /// Where the model of `peak` keeps weights as they were laid out.
  var cacheFolder: String?
  /// The folder of `pretrained`, and whether the first scores are all that is wanted.
  var folder = ""
  var isOnce = false
  /// ONNX files to measure instead of what the package has.
  var models: [ModelFile] = []
  /// Files of pictures, likewise.
  var pictures: [String] = []

  /// - Parameter arguments: without the program's name.
  /// - Throws: ``UsageError``.
  init(_ arguments: some Sequence<String>) throws {
    var arguments = arguments.makeIterator()
    while let argument = arguments.next() {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      func value() throws -> String {
        if parts.count == 2 { return String(parts[1]) }
        guard let value = arguments.next() else { throw UsageError("\(name) needs a value") }
        return value
      }
      switch name {
      case "--filter":
        let pattern = try value()
        do { filter = try Regex(pattern) } catch {
          throw UsageError("--filter: '\(pattern)' is not a regular expression: \(error)")
        }
        continue
      case "--threads":
        let text = try value()
        guard let number = Int(text), 1...256 ~= number else {
          throw UsageError("--threads: expected a number from 1 to 256, found '\(text)'")
        }
        threads = number
        continue
      case "--json":
        jsonPath = try value()
        continue
      case "--peak":
        mode = .peak
        network = try value()
        continue
      case "--pretrained":
        mode = .pretrained
        folder = try value()
        continue
      case "--weights":
        weights = try value()
        continue
      case "--cache":
        cacheFolder = try value()
        continue
      case "--model":
        models.append(ModelFile(path: try value()))
        continue
      case "--picture":
        pictures.append(try value())
        continue
      case "--inputs":
        guard !models.isEmpty else { throw UsageError("--inputs: give the model first, with --model FILE") }
        models[models.count - 1].inputs = try value()
        continue
      case "--quick": isQuick = true
      case "--once": isOnce = true
      case "--list": mode = .list
      case "--serve": mode = .serve
      case "--memory": mode = .memory
      case "--open": mode = .open
      case "--help", "-h": mode = .help
      default: throw UsageError("unknown argument '\(argument)'")
      }
      guard parts.count == 1 else { throw UsageError("\(name) takes no value") }
      if mode == .help { return }
    }
  }

  static let help = """
    Measures how fast Apus runs here, and how far that is from what this machine can do.

    usage: bench [--filter REGEX] [--threads N] [--json FILE] [--quick]
           bench --list [--filter REGEX] [--json FILE]
           bench --model FILE.onnx --inputs FILE.npz … [--filter REGEX] [--threads N] [--json FILE] [--quick]
           bench --picture FILE … [--filter REGEX] [--threads N] [--json FILE] [--quick]
           bench --peak NETWORK [--weights FILE] [--threads N]
           bench --peak onnx/NAME --model FILE.onnx --inputs FILE.npz [--cache FOLDER] [--threads N]
           bench --pretrained FOLDER [--once] [--threads N]
           bench --memory | --open | --serve | --help

      --filter REGEX  only the workloads in whose name the regular expression occurs
      --threads N     threads an operator may use, 1 to 256 (default: APUS_THREADS, or the number of cores)
      --json FILE     also write the results to FILE, with keys in snake_case
      --quick         a sixth of the time for each workload; medians are less steady
      --list          print the workloads without running them; with --json, also how to build them elsewhere
      --memory        resident memory over 10,000 predictions of the behaviour classifier
      --peak NETWORK  resident memory before and at most while a network, by its workload's name, is loaded and run ten
                      times, in bytes, the seconds from opening its file to the first output, and those of a later run
      --cache FOLDER  with --peak: keep the model's weights there as they are laid out, and find them there
      --model FILE    measure this ONNX model, exact and fast, and no others; may be repeated
      --inputs FILE   the inputs of the model before, an .npz with an entry for each
      --picture FILE  decode this picture, and measure nothing else; may be repeated
      --pretrained FOLDER
                      the scores of one masked position of 32 tokens: how long until the first, how long each further
                      time, and how much memory at most; for a folder as Hugging Face writes it
      --once          with --pretrained: end after the first, so that another program can time the whole process
      --weights FILE  a safetensors file for --peak, instead of generated weights
      --open          time and resident memory of opening a weights file of 150 MB
      --serve         run workloads named on standard input; for programs that compare (see Serve.swift)

    A line shows the median and the least time of a call; GFLOP/s or GB/s of the median; and its share of the peak
    measured at the start. Workloads whose data fit a cache can exceed the bandwidth of memory.

    Exit codes: 0 success, 64 wrong usage, 74 a file could not be written, 70 a workload failed.
    """
}

/// A command line that makes no sense; the text says why.
struct UsageError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
