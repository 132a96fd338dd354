import Apus

/// What the command says to the shell, with the numbers of `sysexits.h`. Thrown, it ends the command without a word.
enum CommandStatus: Int32, Error {
  case success = 0
  /// Compared, and different. Nothing else ends so.
  case different = 1
  /// The command line is wrong.
  case usage = 64
  /// An input is not what it should be.
  case badData = 65
  /// An input does not exist, or is not a readable file.
  case noInput = 66
  /// An internal error.
  case software = 70
  /// Reading or writing failed.
  case inputOutput = 74
  /// It took longer than `--time-limit` allows (`EX_TEMPFAIL`: with more time it may succeed).
  case timeLimit = 75

  /// How a command ends on an error of a library.
  init(_ fault: Fault) {
    self =
      switch fault {
      case .usage: .usage
      case .data: .badData
      case .missing: .noInput
      case .inputOutput: .inputOutput
      case .time: .timeLimit
      }
  }
}

/// An error whose status and wording the command decided itself.
struct CommandFailure: Error, CustomStringConvertible {
  var status: CommandStatus
  var description: String

  init(_ status: CommandStatus, _ description: String) {
    self.status = status
    self.description = description
  }
}
