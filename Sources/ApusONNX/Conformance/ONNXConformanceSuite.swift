import Apus
import ApusGraph
import FoundationEssentials

/// A folder, or a ZIP archive of one, with conformance tests in the layout of the ONNX backend test suite: a folder a
/// test, in it `model.onnx` and `test_data_set_0`, `test_data_set_1`, …, each with `input_0.pb`, `output_0.pb` and so on.
///
/// A `tolerance.json` beside a model gives `rtol` and `atol`; without, they are 1e-3 and 1e-7, the suite's own.
public struct ONNXConformanceSuite: Sendable {
  /// The tests in alphabetical order.
  public let cases: [ONNXConformanceCase]
  /// The version of the standard that the tests are of, when a `standard.json` beside them says so:
  /// `{"onnx": "1.19.0"}`.
  public let standard: String?

  /// - Parameter path: a folder, or a file whose name ends with `.zip`.
  /// - Throws: ``FileError``, ``ZipError``, when the folder cannot be listed.
  public init(path: String) throws {
    let files: any ConformanceFiles =
      path.hasSuffix(".zip") ? try ConformanceArchive(path: path) : ConformanceFolder(path: path)
    standard = try files.file("standard.json").flatMap { file in
      file.withUnsafeBytes { try? JSONDecoder().decode([String: String].self, from: Data($0)) }?["onnx"]
    }
    cases = try files.tests().map { ONNXConformanceCase(name: $0, files: files) }
  }
}
