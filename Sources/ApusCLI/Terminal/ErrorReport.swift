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
    return "\(error.name) was not found (looked for \(error.searched.joined(separator: ", "))); "
      + WeightsLocatorError.remedy
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

  /// Names from files and arguments may hold anything: control characters, those that turn the direction of writing, and
  /// bytes that are no text are written as escapes, so that an error is one line, reads as it is, and cannot drive the
  /// terminal.
  static func oneLine(_ message: String, keepingTabs: Bool = false) -> String {
    var line = ""
    for scalar in message.unicodeScalars {
      if let byte = scalar.pathByte {
        line += "\\x" + String(byte, radix: 16, uppercase: true)
      } else {
        line += isDriving(scalar) && !(keepingTabs && scalar == "\t") ? scalar.escaped(asASCII: true) : String(scalar)
      }
    }
    return line
  }

  /// Whether a character does something to the text around it.
  private static func isDriving(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    // Controls, then marks, embeddings, overrides and isolates of the bidirectional algorithm (UAX #9); separators of
    // lines.
    case 0..<0x20, 0x7F...0x9F, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069, 0x061C, 0x2028...0x2029: true
    default: false
    }
  }
}
