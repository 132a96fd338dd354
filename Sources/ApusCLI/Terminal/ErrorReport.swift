import Apus
import ArgumentParser

/// How the command ends on an error: its status, and one line on standard error.
struct ErrorReport {
  var status: CommandStatus
  /// `nil` where there is nothing to say.
  var message: String?
  private var text: String?

  /// The one place where errors become exit statuses.
  init(_ error: any Error) {
    switch error {
    case let outcome as ParsingOutcome:
      text = outcome.text
      (status, message) = outcome.text == nil ? (.usage, outcome.complaint) : (.success, nil)
    case let verdict as CommandStatus:
      (status, message) = (verdict, nil)
    case let failure as CommandFailure:
      (status, message) = (failure.status, failure.description)
    case let error as ValidationError:
      (status, message) = (.usage, error.message)
    case let error as WeightsLocatorError:
      (status, message) = (CommandStatus(error.fault), Self.text(error))
    case let error as any ApusError:
      (status, message) = (CommandStatus(error.fault), "\(error)")
    default:
      (status, message) = (.software, "internal error, please report it: \(error)")
    }
  }

  /// Where the file was looked for, in one line.
  private static func text(_ error: WeightsLocatorError) -> String {
    if error.searched.count == 1 { return "\(error.searched[0]): no such file" }
    return "\(error.name) was not found (looked for \(error.searched.joined(separator: ", "))); give its place with "
      + "--weights, or in the variable APUS_WEIGHTS"
  }

  /// Says what there is to say, and returns the status.
  func write() -> CommandStatus {
    if let text {
      do {
        try Output.line(text)
        try Output.flush()
      } catch {
        return ErrorReport(error).write()
      }
    }
    if let message {
      ErrorOutput.write(Terminal.error.styled("apus:", .red) + " " + Self.oneLine(message) + "\n")
    }
    return status
  }

  /// Names from files and arguments may hold anything: control characters are written as escapes, so that an error is
  /// one line and cannot drive the terminal.
  static func oneLine(_ message: String, keepingTabs: Bool = false) -> String {
    var line = ""
    for scalar in message.unicodeScalars {
      let isControl =
        scalar.value < 0x20 && !(keepingTabs && scalar == "\t") || (0x7F...0x9F).contains(scalar.value)
      line += isControl ? scalar.escaped(asASCII: true) : String(scalar)
    }
    return line
  }
}
