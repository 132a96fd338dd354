import Apus
import ApusGraph
import ArgumentParser

/// How a model as a graph is put into 8 bits.
struct CalibrationOptions: ParsableArguments {
  @Option(
    name: .customLong("calibrate"),
    help: ArgumentHelp(
      "Samples of what the model is for: pictures, folders and archives of them, .npz or .npy; may be repeated.",
      valueName: "path"),
    completion: .file())
  var samples: [String] = []

  @Option(
    help: ArgumentHelp(
      "Levels from samples: least-error, extremes, or the percentage of numbers between the outermost ones, such as "
        + "99.99.",
      valueName: "rule"))
  var range = RangeArgument(rule: .leastError)

  @Option(help: ArgumentHelp("How far the outputs may be from those in floats, as a part of them.", valueName: "part"))
  var tolerance = 0.05

  @Option(help: ArgumentHelp("A layer that stays in floats whatever it costs; may be repeated.", valueName: "node"))
  var keep: [String] = []

  @Option(help: ArgumentHelp("How many samples the outputs are measured on.", valueName: "count"))
  var probes = 4

  func validate() throws {
    guard tolerance.isFinite, tolerance >= 0 else {
      throw ValidationError("--tolerance \(tolerance): a number not below 0 was expected.")
    }
    guard 1...1000 ~= probes else { throw ValidationError("--probes \(probes): 1 to 1000 was expected.") }
  }

  /// - Throws: ``CommandFailure`` for names that no layer has.
  func check(_ quantization: StaticQuantization) throws {
    let names = quantization.layers.map(\.name)
    for name in keep where !names.contains(name) {
      let nearest = nearestName(to: name, in: names).map { "; did you mean '\($0)'?" } ?? ""
      throw CommandFailure(.usage, "--keep \(name): no layer that could be quantised has this name\(nearest)")
    }
  }
}

/// A rule for ranges as an argument.
struct RangeArgument: ExpressibleByArgument {
  let rule: StaticQuantization.RangeRule

  init(rule: StaticQuantization.RangeRule) { self.rule = rule }

  init?(argument: String) {
    switch argument {
    case "least-error": rule = .leastError
    case "extremes": rule = .extremes
    default:
      guard let percentage = Double(argument), percentage > 50, percentage <= 100 else { return nil }
      rule = .percentile(percentage / 100)
    }
  }

  var text: String {
    switch rule {
    case .leastError: "least-error"
    case .extremes: "extremes"
    case .percentile(let part): NumberText.short(100 * part, digits: 15) + " %"
    }
  }

  var defaultValueDescription: String { text }
}
