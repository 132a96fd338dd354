import Apus
import ApusMotion
import ApusNetworks
import Testing

@testable import ApusCLI

@Suite struct ErrorReportTests {
  struct Unforeseen: Error {}

  private static let cases: [(any Error, CommandStatus)] = [
    (FileError.notFound(path: "x"), .noInput),
    (FileError.isDirectory(path: "x"), .noInput),
    (FileError.unreadable(path: "x", reason: "y"), .noInput),
    (FileError.empty(path: "x"), .badData),
    (FileError.unwritable(path: "x", reason: "y"), .inputOutput),
    (TensorError.shape(operation: "x", reason: "y"), .badData),
    (InsufficientFrames(available: 1, required: 100), .badData),
    (GoldenError(file: "x", reason: .noSamples), .badData),
    (SettingsError.wrongValue(setting: "stride", found: "0", expected: "1 or more"), .usage),
    (MotionConfigurationError.invalidSampleCount(0), .usage),
    (MotionConfigurationError.probabilityNotFinite(label: "sit", value: .nan), .badData),
    (ModelFileError(file: "x", reason: "y"), .badData),
    (ModelConfigurationError(source: "x", name: "y", reason: "z"), .badData),
    (CommandFailure(.inputOutput, "x"), .inputOutput),
    (Unforeseen(), .software),
  ]

  @Test(arguments: cases.indices)
  func everyErrorHasItsStatusAndAMessage(index: Int) throws {
    let (error, status) = Self.cases[index]
    let report = ErrorReport(error)
    #expect(report.status == status)
    #expect(try #require(report.message).isEmpty == false)
  }

  @Test func aVerdictHasNothingToSay() {
    let report = ErrorReport(CommandStatus.different)
    #expect(report.status == .different)
    #expect(report.message == nil)
  }

  @Test func messagesAreOneLineAndCannotDriveATerminal() {
    #expect(ErrorReport.oneLine("a\nb\u{1B}[31m\u{9B}") == "a\\nb\\u{1B}[31m\\u{009B}")
    #expect(ErrorReport.oneLine("größer ≤ 😀") == "größer ≤ 😀")
  }

  @Test func sizesHaveUnits() {
    #expect(ByteText.size(0) == "0 B")
    #expect(ByteText.size(1023) == "1023 B")
    #expect(ByteText.size(1024) == "1.0 KiB")
    #expect(ByteText.size(1_489_396) == "1.4 MiB")
    #expect(ByteText.size(.max) == "8388608.0 TiB")
  }
}
