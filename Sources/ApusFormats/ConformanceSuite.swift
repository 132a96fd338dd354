import Apus
import ApusCoreML
import ApusGraph
import ApusONNX
import ApusTorch

/// Conformance tests of any format, in a folder of folders: those of the ONNX standard, or Core ML models or programs of
/// `torch.export` with a `test.json`.
public struct ConformanceSuite: Sendable {
  /// The tests in alphabetical order.
  public let cases: [any ConformanceCase]
  /// The version of the ONNX standard that the tests are of, where the suite says so.
  public let standard: String?

  /// - Parameter path: a folder; for tests of the ONNX standard a ZIP archive of one, too.
  /// - Throws: ``FileError``, ``ZipError``, when it cannot be listed.
  public init(path: String) throws {
    if !path.hasSuffix(".zip"), let cases = try TorchConformanceCase.suite(path: path) {
      (self.cases, standard) = (cases, nil)
      return
    }
    if !path.hasSuffix(".zip"), let cases = try CoreMLConformanceCase.suite(path: path) {
      (self.cases, standard) = (cases, nil)
      return
    }
    let suite = try ONNXConformanceSuite(path: path)
    (cases, standard) = (suite.cases, suite.standard)
  }
}
