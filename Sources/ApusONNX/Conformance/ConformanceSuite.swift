import Apus
import FoundationEssentials

/// A folder of conformance tests.
public struct ConformanceSuite: Sendable {
  /// The tests by name, in alphabetical order, each with the number of its data sets.
  public let cases: [(test: ConformanceCase, dataSets: Int)]

  /// Every folder in `folder` that holds a `model.onnx`.
  ///
  /// A `tolerance.json` beside it gives `rtol` and `atol`; without, they are 1e-3 and 1e-7, the suite's own.
  /// - Throws: when `folder` cannot be listed, or a `tolerance.json` makes no sense.
  public init(folder: String) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    cases = try names.compactMap { name in
      let path = "\(folder)/\(name)"
      guard fileExists("\(path)/model.onnx") else { return nil }
      var dataSets = 0
      while fileExists("\(path)/test_data_set_\(dataSets)") { dataSets += 1 }
      return (ConformanceCase(folder: path, name: name, tolerance: try Self.tolerance(path)), dataSets)
    }
  }

  private struct ToleranceFile: Decodable {
    let rtol: Double
    let atol: Double
  }

  private static func tolerance(_ folder: String) throws -> Tolerance {
    guard let data = FileManager.default.contents(atPath: "\(folder)/tolerance.json") else {
      return Tolerance(relative: 1e-3, absolute: 1e-7)
    }
    let file = try JSONDecoder().decode(ToleranceFile.self, from: data)
    return Tolerance(relative: file.rtol, absolute: file.atol)
  }
}

func fileExists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
