import Foundation
import Testing

@testable import Apus

@Suite struct ComparisonReportTests {
  private func object(_ value: some Encodable) throws -> [String: Any] {
    let data = try JSONEncoder().encode(value)
    return try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  private func object(_ value: Any?) throws -> [String: Any] {
    try #require(value as? [String: Any])
  }

  @Test func jsonHasTheDocumentedKeys() throws {
    let comparison = try Comparison(
      actual: Tensor<Float>([1, 2.5], shape: [1, 2]), expected: Tensor<Float>([1, 2], shape: [1, 2]))
    let json = try object(comparison)
    #expect(json["equal"] as? Bool == false)
    #expect(json["checks_dtype"] as? Bool == true)
    let actual = try object(json["actual"])
    #expect(actual["dtype"] as? String == "float32")
    #expect(actual["shape"] as? [Int] == [1, 2])
    #expect(actual["nan_count"] as? Int == 0)
    #expect(actual["infinity_count"] as? Int == 0)
    #expect(try object(json["tolerance"])["rtol"] as? Double == 1.3e-6)
    let differences = try object(json["differences"])
    #expect(
      Set(differences.keys) == [
        "count", "finite", "mismatched", "mismatched_percent", "non_finite_mismatched", "largest_absolute",
        "largest_relative", "largest_ulp", "mean_absolute", "root_mean_square", "nmse", "snr_db", "cosine",
        "passes_with",
      ])
    let largest = try object(differences["largest_absolute"])
    #expect(largest["value"] as? Double == 0.5)
    #expect(largest["index"] as? [Int] == [0, 1])
    #expect(largest["actual"] as? Double == 2.5)
    #expect(largest["expected"] as? Double == 2)
    #expect(Set(try object(differences["passes_with"]).keys) == ["rtol", "atol", "both"])
  }

  @Test func numbersThatAreNotFiniteAreStrings() throws {
    let comparison = try Comparison(actual: Tensor<Float>([.nan, 1]), expected: Tensor<Float>([-.infinity, 1]))
    let differences = try object(object(comparison)["differences"])
    let first = try object(differences["first_non_finite"])
    #expect(first["actual"] as? String == "nan")
    #expect(first["expected"] as? String == "-inf")
    #expect(differences["snr_db"] as? String == "-inf")
    #expect(try object(differences["passes_with"]).isEmpty)
  }

  @Test func differentShapesLeaveTheDifferencesOut() throws {
    let json = try object(Comparison(actual: Tensor<Float>([1]), expected: Tensor<Float>([1, 2])))
    #expect(json["differences"] == nil)
  }

  @Test func descriptionNamesTheWorstElement() throws {
    let comparison = try Comparison(
      actual: Tensor<Float>([1, 2.5, 3, 4], shape: [2, 2]), expected: Tensor<Float>([1, 2, 3, 4], shape: [2, 2]))
    let lines = comparison.description.split(separator: "\n").map(String.init)
    #expect(lines.first == "different  1 of 4 elements (25 %) beyond rtol 1.3e-06, atol 1e-05")
    #expect(lines.contains { $0.contains("largest absolute") && $0.contains("at [0, 1]  actual 2.5  expected 2") })
    #expect(lines.contains { $0.contains("passes with") && $0.contains("atol 0.5") })
    #expect(!lines.contains { $0.hasSuffix(" ") })
  }

  @Test func summaryKeepsTheWorstSample() throws {
    var summary = ComparisonSummary()
    #expect(!summary.isEqual)
    func add(_ actual: [Float], _ expected: [Float], _ name: String) throws {
      summary.add(try Comparison(actual: Tensor(actual), expected: Tensor(expected)), named: name)
    }
    try add([1, 2], [1, 2], "same")
    #expect(summary.isEqual)
    try add([1, 2.25], [1, 2], "small")
    try add([1, 3, 4, 5], [1, 1, 4, 5], "large in a quarter")
    #expect(summary.worst?.name == "small")
    #expect(summary.largestAbsolute == .init(value: 2, sample: "large in a quarter"))
    #expect(summary.differentCount == 2)
    #expect(summary.mismatchedCount == 2)
    #expect(summary.elementCount == 8)
    let rootMeanSquare: Double = (4.0625 / 8).squareRoot()
    #expect(summary.rootMeanSquare == rootMeanSquare)
    try add([.nan, 2], [1, 2], "nan")
    #expect(summary.worst?.name == "nan")
    try add([1], [1, 2], "shape")
    #expect(summary.worst?.name == "shape")
    try add([.nan], [1], "later")
    #expect(summary.worst?.name == "shape")
    let json = try object(summary)
    #expect(try object(json["largest_absolute"])["sample"] as? String == "large in a quarter")
    #expect(try object(json["worst"])["sample"] as? String == "shape")
    #expect(summary.description.contains("different  5 of 6 samples"))
  }
}
