import Apus
import ApusPlatform

#if !APUS_LIBFUZZER
  @main
#endif
struct ApusFuzz {
  static func main() {
    exit(run(CommandLine.arguments.dropFirst()))
  }

  /// - Returns: the exit code.
  static func run(_ arguments: some Sequence<String>) -> Int32 {
    do {
      let options = try Options(arguments)
      switch options.action {
      case .help: print(Options.help)
      case .list: for target in fuzzTargets { print("\(target.name)\t\(target.summary)") }
      case .export(let folder): try export(options.targets, to: folder)
      case .fuzz: return try Fuzzer(options).run() ? 0 : 70
      }
      return 0
    } catch let error as Options.UsageError {
      complain(error.message + "\nTry apus-fuzz --help.")
      return 64
    } catch let error as FileError {
      complain("\(error)")
      return 66
    } catch {
      complain("\(error)")
      return 70
    }
  }
}

/// Writes the sound inputs of each target as `FOLDER/NAME-NUMBER`.
private func export(_ targets: [any FuzzTarget], to folder: String) throws {
  for target in targets {
    for (number, seed) in try target.seeds().enumerated() {
      try AtomicFile.create(at: "\(folder)/\(target.name)-\(number)") { file in
        try seed.withUnsafeBytes { try file.append($0) }
      }
    }
  }
}
