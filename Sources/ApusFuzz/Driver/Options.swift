/// What the command line asks for.
struct Options {
  var targets: [any FuzzTarget] = fuzzTargets
  var amount = Amount.seconds(10)
  var seed: UInt64 = 1
  /// The first iteration, to run one again without those before it.
  var start: UInt64 = 0
  /// Inputs to run as they are, instead of new ones.
  var inputs: [String] = []
  /// More inputs to mutate.
  var corpus: [String] = []
  /// A folder for inputs that reach something new.
  var keep: String?
  /// How long one input may take, in seconds.
  var timeLimit = 5.0
  /// How much memory the process may use, in MiB.
  var memoryLimit = 1024
  var action = Action.fuzz

  enum Amount {
    /// For each target.
    case seconds(Double)
    case iterations(UInt64)
    /// Of each target as many inputs as it says.
    case longRun
  }

  enum Action {
    case fuzz, list, help
    /// Write the built-in inputs into a folder.
    case export(String)
  }

  struct UsageError: Error {
    let message: String
  }

  static let help = """
    apus-fuzz feeds damaged inputs to everything in Apus that reads bytes from outside.

    USAGE: apus-fuzz [options]

      --target NAME      one target, or all (default: all); may be given several times
      --seconds N        how long to run each target (default: 10)
      --iterations N     how many inputs to give to each target, instead
      --long             ten million inputs for each target that reads memory, a million where networks run, a
                         hundred thousand where folders are written, instead
      --seed S           a number; the same seed gives the same inputs (default: 1)
      --start I          begin with input number I of the seed (default: 0)
      --corpus PATH      a file to mutate besides the built-in ones, a .zip of such files, or a folder with an
                         archive NAME.zip for each target, or files NAME-…; may be given several times
      --keep FOLDER      write inputs that reach code which those before them did not, as files NAME-…, for a further
                         run to begin with; only in a build that counts edges (.ci/long)
      --input PATH       run the same as it is, and nothing else; may be given several times
      --time-limit N     seconds that one input may take (default: 5)
      --memory-limit N   MiB that the process may use (default: 1024)
      --export FOLDER    write the built-in inputs of each target as files, for another fuzzer to begin with
      --list             list the targets
      --help             this text

    Each input is written to a file before it is run. When the program dies, or finds something, it says which file,
    which target, and how to run it again.

    Exit codes: 0 nothing was found; 64 wrong usage; 70 something was found; a signal's when a target died of it.
    """

  /// - Throws: ``UsageError``.
  init(_ arguments: some Sequence<String>) throws {
    var iterator = arguments.makeIterator()
    var named: [any FuzzTarget] = []
    while let argument = iterator.next() {
      // `--name value` and `--name=value`.
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = parts.first.map(String.init) ?? argument
      var inline = parts.count > 1 ? String(parts[1]) : nil
      func value() throws -> String {
        defer { inline = nil }
        guard let value = inline ?? iterator.next() else { throw UsageError(message: "\(name) needs a value") }
        return value
      }
      func number<Number: LosslessStringConvertible>(_ isAllowed: (Number) -> Bool) throws -> Number {
        let text = try value()
        guard let number = Number(text), isAllowed(number) else {
          throw UsageError(message: "\(name) does not take \"\(text)\"")
        }
        return number
      }
      switch name {
      case "--target": named += try Self.targets(named: value())
      case "--seconds": amount = .seconds(try number { $0 >= 0 && $0 < 1e9 })
      case "--iterations": amount = .iterations(try number { _ in true })
      case "--long": amount = .longRun
      case "--seed": seed = try number { _ in true }
      case "--start": start = try number { _ in true }
      case "--corpus": corpus.append(try value())
      case "--keep": keep = try value()
      case "--input": inputs.append(try value())
      case "--time-limit": timeLimit = try number { $0 > 0 && $0 < 1e6 }
      case "--memory-limit": memoryLimit = try number { $0 > 0 && $0 < 1 << 32 }
      case "--export": action = .export(try value())
      case "--list": action = .list
      case "--help", "-h": action = .help
      default: throw UsageError(message: "there is no option \(argument)")
      }
      if inline != nil { throw UsageError(message: "\(name) takes no value") }
    }
    if !named.isEmpty { targets = named }
  }

  private static func targets(named name: String) throws -> [any FuzzTarget] {
    if name == "all" { return fuzzTargets }
    guard let target = fuzzTargets.first(where: { $0.name == name }) else {
      let names = fuzzTargets.map(\.name).joined(separator: ", ")
      throw UsageError(message: "there is no target \"\(name)\"; there are \(names)")
    }
    return [target]
  }
}
