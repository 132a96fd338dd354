import Apus
import ApusPlatform

do {
  signal(SIGPIPE, SIG_IGN)
  try run(try Options(CommandLine.arguments.dropFirst()))
} catch let error as UsageError {
  printError("\(error); --help lists the options")
  exit(64)
} catch let error as OutputError {
  printError(error.description)
  exit(74)
} catch {
  printError("\(error)")
  exit(70)
}

func run(_ options: Options) throws {
  if options.mode == .help { return try printLine(Options.help) }
  try Execution.with(threads: options.threads) {
    switch options.mode {
    case .help: break
    case .list: try list(try options.selected())
    case .serve: try serve(allWorkloads(options.models, pictures: options.pictures))
    case .memory: try measureSteadyMemory()
    case .open: try measureOpening()
    case .peak: try measurePeak(options)
    case .pretrained: try measurePretrained(options)
    case .measure: try measure(try options.selected())
    }
  }

  func list(_ workloads: [Workload]) throws {
    if let path = options.jsonPath { return try writeFile(try jsonText(workloads.map(Listing.init)), path: path) }
    let width = workloads.map(\.name.count).max() ?? 0
    for workload in workloads { try printLine(workload.name.padded(to: width + 2) + workload.shape) }
  }

  func measure(_ workloads: [Workload]) throws {
    if isDebug {
      try printLine(
        """
        ****************************************************************************************
        *  BUILT FOR DEBUGGING. These numbers say nothing about how fast Apus is: all but the  *
        *  kernels is unoptimised, and each workload runs for a moment only. Measure with      *
        *      swift run -c release bench                                                      *
        ****************************************************************************************
        """)
    }
    let budget = options.isQuick || isDebug ? 0.05 : 0.3
    let header = Header(.current, budget: budget)
    let table = Table(workloads)
    try printLine(header.text)
    for warning in Diagnosis().warnings { try printLine("warning    \(warning)") }
    try printLine("\n" + table.title)
    var results: [Result] = []
    for workload in workloads {
      let body: Workload.Body
      do { body = try workload.prepare() } catch let reason as BenchmarkUnavailable {
        printError("\(workload.name) is skipped: \(reason)")
        continue
      }
      let result = Result(workload, try Timing.of(budget: budget) { _ = try body() }, peak: header.peak)
      results.append(result)
      try printLine(table.line(workload, result))
    }
    if let path = options.jsonPath {
      try writeFile(try jsonText(Report(header: header, results: results)), path: path)
    }
  }
}

extension Options {
  func selected() throws -> [Workload] {
    let workloads = allWorkloads(models, pictures: pictures)
    guard let filter else { return workloads }
    let selected = try workloads.filter { try filter.firstMatch(in: $0.name) != nil }
    if selected.isEmpty { throw UsageError("--filter: it occurs in no workload's name; --list shows them") }
    return selected
  }
}

/// What `--list --json` writes of a workload.
struct Listing: Encodable {
  let name: String
  let shape: String
  let twin: Twin?

  init(_ workload: Workload) {
    (name, shape, twin) = (workload.name, workload.shape, workload.twin)
  }
}
