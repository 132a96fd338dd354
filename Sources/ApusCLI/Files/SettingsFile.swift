import Apus
import ArgumentParser

/// A command whose options may also stand in a file.
protocol TakesSettingsFile: ParsableCommand {
  /// What the file may hold: options by their names, in camel case.
  static var settingKeys: [String] { get }
}

/// Where settings of a command stand.
struct SettingsFileOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      #"A JSON object of settings: options by their names, as {"minConfidence": 0.5}. Options go before it."#,
      valueName: "file"),
    completion: .file(extensions: ["json"]))
  var settings: String?

  /// Adds what is read to a plan.
  func plan(_ files: inout FilePlan) { files.reads(settings, as: "--settings") }
}

/// A file of settings, made into options.
enum SettingsFile {
  private static let byteLimit = 1 << 20
  private static let textLimit = 4096

  /// The arguments with those of a settings file before them, where one is named: of an option that comes twice the
  /// last one counts.
  /// - Parameter root: the command that has all others.
  static func expanded(_ arguments: [String], of root: any ParsableCommand.Type) throws -> [String] {
    let commands = root.configuration.subcommands
    guard let name = arguments.first, !arguments.contains("--help"), !arguments.contains("-h"),
      let command = commands.first(where: { $0.configuration.commandName == name }) as? any TakesSettingsFile.Type,
      let path = path(in: arguments.dropFirst())
    else { return arguments }
    let options = try options(of: command, in: path)
    do {
      // A value that is wrong in itself is the file's mistake.
      _ = try command.parse(options + ["-"])
    } catch {
      throw CommandFailure(.badData, "\(path): \(ParsingOutcome(error, of: root).complaint)")
    }
    return [name] + options + arguments.dropFirst()
  }

  /// What follows the last `--settings`.
  private static func path(in arguments: ArraySlice<String>) -> String? {
    let options = arguments.prefix { $0 != "--" }
    guard let index = options.lastIndex(where: { $0 == "--settings" || $0.hasPrefix("--settings=") }) else {
      return nil
    }
    if let equals = options[index].firstIndex(of: "=") {
      return String(options[index][options[index].index(after: equals)...])
    }
    return options.indices.contains(index + 1) ? options[index + 1] : nil
  }

  private static func options(of command: any TakesSettingsFile.Type, in path: String) throws -> [String] {
    let bytes = try ByteInput(path: path).readAll(limit: byteLimit)
    var options: [String] = []
    var seen: Set<String> = []
    do {
      try bytes.withUnsafeBytes { bytes in
        var reader = JSONReader(bytes)
        try reader.object { reader, key in
          guard command.settingKeys.contains(key) else { throw unknown(key, of: command, in: path) }
          guard seen.insert(key).inserted else { throw reader.error(.duplicateKey(key)) }
          for value in try values(&reader) { options.append("--\(optionName(key))=\(value)") }
        }
        try reader.end()
      }
    } catch let error as JSONError {
      throw CommandFailure(.badData, "\(path): \(error)")
    }
    return options
  }

  /// The texts of a value; more than one of an array, and none of null.
  private static func values(_ reader: inout JSONReader) throws -> [String] {
    switch try reader.kind() {
    case .number:
      let number = try reader.number()
      return [Int(exactly: number).map { "\($0)" } ?? "\(number)"]
    case .string: return [try reader.string(limit: textLimit)]
    case .array:
      var texts: [String] = []
      try reader.array { reader in texts.append(try reader.string(limit: textLimit)) }
      return texts
    case .null:
      try reader.skip()
      return []
    case .boolean, .object: throw reader.error(.expected("a number, a string, or strings"))
    }
  }

  private static func unknown(
    _ key: String, of command: any TakesSettingsFile.Type, in path: String
  ) -> CommandFailure {
    let near = command.settingKeys.compactMap { known in
      editDistance(Array(known.utf8), Array(key.utf8), transpositions: true, limit: 3).map { (known, $0) }
    }.min { $0.1 < $1.1 }
    let hint = near.map { "; did you mean '\($0.0)'?" } ?? ": \(command.settingKeys.joined(separator: ", "))"
    return CommandFailure(.badData, "\(path): there is no setting '\(key.prefix(64))'\(hint)")
  }

  /// `minConfidence` as `min-confidence`.
  private static func optionName(_ key: String) -> String {
    key.map { $0.isUppercase ? "-\($0.lowercased())" : String($0) }.joined()
  }
}
