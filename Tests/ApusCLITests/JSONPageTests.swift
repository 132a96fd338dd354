import ApusTestSupport
import Foundation
import Testing

import func ApusTestSupport.fixture

/// Every key that a command prints is on the page about JSON.
@Suite struct JSONPageTests {
  /// Objects whose keys are names of something else.
  private static let named: Set = ["probabilities", "metadata", "opsets", "settings", "facts", "totals", "attributes"]

  private func keys(of value: Any) -> Set<String> {
    switch value {
    case let list as [Any]: list.reduce(into: []) { $0.formUnion(keys(of: $1)) }
    case let object as [String: Any]:
      object.reduce(into: Set(object.keys)) { found, entry in
        if Self.named.contains(entry.key) { return }
        // Of multiply-adds, operators are a number each.
        if entry.key == "operators", entry.value is [String: Any] { return }
        found.formUnion(keys(of: entry.value))
      }
    default: []
    }
  }

  @Test(arguments: [
    ["run", shipped("behavior/shipped/behavior-classifier.onnx"), "--random", "1", "--dim", "batch=1", "--profile"],
    ["inspect", shipped("behavior/shipped/behavior-classifier.onnx"), "--dim", "batch=1"],
    ["inspect", shipped("behavior/shipped/behavior-classifier.safetensors")],
    ["inspect", shipped("behavior/samples/walking.jsonl")],
    ["detect", fixture("detector/00.jpg")],
    ["detect", fixture("detector/00.jpg"), "--model", fixture("detector/seg.onnx")],
    ["detect", fixture("detector/00.jpg"), "--model", fixture("detector/obb.onnx")],
    ["behavior", shipped("behavior/samples/sit-detector-gaps.jsonl")],
    ["behavior", shipped("behavior/samples/sit.jsonl"), "--segments"], ["behavior", "--sensitivity"],
    [
      "compare", shipped("behavior/shipped/behavior-classifier.safetensors"),
      shipped("behavior/shipped/behavior-classifier.safetensors"),
    ],
    ["verify", "--model", "behavior-classifier"], ["suggest", "how are"], ["fill", "how [MASK] you"],
    ["tokenize", "hello", "--vocab", shipped("keyboard/shipped/vocab.txt")], ["doctor"],
    ["parity", fixture("parity/right.onnx"), fixture("parity/reference.safetensors"), "--float64"],
    ["parity", fixture("parity/folded.onnx"), fixture("parity/folded.safetensors")],
    ["parity", fixture("parity/renamed.onnx"), fixture("parity/folded.onnx"), "--samples", "2"],
  ])
  func everyKeyIsOnThePage(arguments: [String]) throws { try check(arguments) }

  /// A repetition of 40 cm, of which a plate of 180 pixels says the scale.
  @Test(arguments: [[], ["--live"]]) func keysOfALift(options: [String]) throws {
    let lines = (0..<150).map { index in
      let down = min(max(Double(index - 30) / 45, 0), 2)
      let y = 300 + 80 * (1 - cos(.pi * down))
      return #"{"t":\#(Double(index) / 30),"width":1280,"height":720,"detections":["#
        + #"{"x":230,"y":\#(y),"w":180,"h":180,"confidence":0.9}]}"#
    }
    try check(["barpath", "--detections", "-"] + options, input: lines.joined(separator: "\n"))
  }

  /// Of a node that differs, and of the part that `reduce` writes.
  @Test func keysOfADifference() throws {
    let reference = fixture("parity/reference.safetensors")
    try check(["parity", fixture("parity/swapped_axes.onnx"), reference], status: 1)
    try TemporaryFolder.with { folder in
      try check(
        ["reduce", fixture("parity/epsilon.onnx"), "--expected", reference, "--output", folder.path("part.onnx")])
    }
  }

  private func check(_ arguments: [String], input: String? = nil, status: Int32 = 0) throws {
    let page = try String(contentsOf: packageFolder.appending(path: "docs/json.md"), encoding: .utf8)
    let words = Set(page.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
    let result = try Command.run(arguments + ["--json"], input: input)
    #expect(result.status == status && !result.lines.isEmpty, "\(result.errors)")
    for line in result.lines {
      let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
      #expect(keys(of: value).subtracting(words).isEmpty, "\(arguments[0])")
    }
  }
}
