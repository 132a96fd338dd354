import Apus
import ApusGraph
import FoundationEssentials

/// A conformance test of a program of `torch.export` in a folder: `model.pt2`, `inputs.npz`, `expected.npz`, and
/// `test.json`.
///
/// Inputs have the names of the program's, what is expected the places of the outputs: `0`, `1`, … `test.json` may hold:
///
/// - `ops`: the operators that the program calls, the one that the test is of first: `aten.add`.
/// - `rtol`, `atol`: how far numbers may be from the right ones; 1e-4 of themselves and in all, unless it says so.
public struct TorchConformanceCase: ConformanceCase {
  /// The name of the test's folder.
  public let name: String
  private let path: String
  private let settings: Settings

  private struct Settings: Decodable {
    var ops: [String]?
    var rtol: Double?
    var atol: Double?
  }

  /// - Throws: ``FileError``, ``TorchError`` for a folder without a readable `test.json`.
  public init(path: String) throws {
    self.path = path
    name = path.split(separator: "/").last.map(String.init) ?? path
    let file = try MappedFile(path: "\(path)/test.json", limit: 1 << 20)
    do {
      settings = try file.withUnsafeBytes { try JSONDecoder().decode(Settings.self, from: Data($0)) }
    } catch {
      throw TorchError("\(path)/test.json", .invalid(at: "", "it does not say what a test needs"))
    }
  }

  /// The tests in a folder of such folders, in alphabetical order; nil where there are none.
  /// - Throws: ``FileError`` when it cannot be listed.
  public static func suite(path: String) throws -> [TorchConformanceCase]? {
    let names = try folderNames(at: path).filter { name in
      ["test.json", "model.pt2"].allSatisfy { MappedFile.isThere("\(path)/\(name)/\($0)") }
    }
    return names.isEmpty ? nil : try names.sorted().map { try .init(path: "\(path)/\($0)") }
  }

  /// The first of the operators that the test names.
  public func subject() throws -> (operator: OperatorName, opset: Int)? {
    settings.ops?.first.map { (OperatorName(domain: "torch", type: $0), 1) }
  }

  /// The model of the test.
  public func model() throws -> any GraphModel {
    do {
      return try TorchModel(path: "\(path)/model.pt2")
    } catch let error as TorchError {
      guard case .unsupported(let place, let what, _) = error.reason else { throw error }
      throw UnsupportedModel("\(place): \(what) is not supported")
    }
  }

  /// One.
  public func dataSetCount() throws -> Int { 1 }

  /// The inputs that the program takes, by name.
  public func inputs(_ dataSet: Int, of graph: Graph) throws -> [String: GraphValue] {
    let file = try NPZFile(path: "\(path)/inputs.npz")
    return try Dictionary(uniqueKeysWithValues: file.arrayNames.map { ($0, try file.value(named: $0)) })
  }

  /// The right value of an output; nil when the test has none.
  public func expected(_ dataSet: Int, output index: Int, of graph: Graph) throws -> GraphValue? {
    let file = try NPZFile(path: "\(path)/expected.npz")
    return file.contains("\(index)") ? try file.value(named: "\(index)") : nil
  }

  /// How far numbers may be from the right ones: 1e-4 of themselves and in all, unless the test says otherwise.
  public func tolerance() throws -> Tolerance {
    Tolerance(relative: settings.rtol ?? 1e-4, absolute: settings.atol ?? 1e-4)
  }
}
