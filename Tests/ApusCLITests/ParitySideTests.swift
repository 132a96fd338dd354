import ApusTestSupport
import Foundation
import Testing

/// Files against networks written in Swift (`Tests/Fixtures/generate/network_exports.py`).
@Suite struct ParitySideTests {
  private static let folder = fixture("networks") + "/"
  private static let network = "resnet18:\(folder)resnet.safetensors"

  @Test func exportIsHeldAgainstANetworkWithItsWeights() throws {
    let result = try Command.run("parity", Self.folder + "resnet.onnx", Self.network, "--samples", "2")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("against \(Self.network), which is computed in DOUBLE"))
    #expect(result.output.contains("'images' ↔ 'input' by place"))
    #expect(result.output.contains("2 of 2 data sets are equal"))
  }

  /// Only the file has nodes: it is what is judged, whichever is named first.
  @Test func networkMayBeNamedFirst() throws {
    let result = try Command.run("parity", Self.network, Self.folder + "transposed.onnx", "--json")
    #expect(result.status == 1, "\(result.errors)")
    let report = try result.object
    #expect((report["model"] as? String)?.hasSuffix("transposed.onnx") == true)
    #expect(report["reference"] as? String == Self.network)
    #expect(report["reference_in_float64"] as? Bool == true)
  }

  /// `NAME` alone has the weights that ship.
  @Test func networkThatShipsNeedsNoWeights() throws {
    let model = packageFolder.appending(path: "Weights/behavior/shipped/behavior-classifier.onnx")
    let result = try Command.run("parity", model.path(percentEncoded: false), "behavior-classifier", "--dim", "batch=1")
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test(arguments: [
    ("resnet81:weights.safetensors", "no network written in Swift is named 'resnet81'; did you mean 'resnet18'?"),
    ("resnet18:", "weights are missing"),
  ])
  func wrongNamesAreWrongUsage(argument: String, message: String) throws {
    let result = try Command.run("parity", Self.folder + "resnet.onnx", argument)
    #expect(result.status == 64 && result.errors.contains(message), "\(result.errors)")
  }

  @Test func twoNetworksAreWrongUsage() throws {
    let result = try Command.run("parity", Self.network, "behavior-classifier")
    #expect(result.status == 64 && result.errors.contains("has no nodes to look at"), "\(result.errors)")
  }

  @Test func missingWeightsAreNoInput() throws {
    let result = try Command.run("parity", Self.folder + "resnet.onnx", "resnet18:nowhere.safetensors")
    #expect(result.status == 66 && result.errors.contains("nowhere.safetensors"), "\(result.errors)")
  }

  @Test func weightsOfAnotherNetworkAreBadData() throws {
    let result = try Command.run("parity", Self.folder + "resnet.onnx", "yolov8n:\(Self.folder)resnet.safetensors")
    #expect(result.status == 65 && result.errors.contains("not the parameters of a known network"), "\(result.errors)")
  }
}
