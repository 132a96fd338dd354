import Apus
import ApusCoreML
import ApusGraph

/// Core ML packages: the manifest, the model that it names, and weights in a file beside it.
struct CoreMLPackageTarget: FolderFuzzTarget {
  let name = "coreml-package"
  let summary = "Core ML packages: manifest, model, weights in a file of their own"
  let dictionary = ["../", "/", "rootModelIdentifier", "itemInfoEntries", "@model_path/weights/weight.bin", "weights/"]
  let files = ["Manifest.json", "Data/com.apple.CoreML/model.mlmodel", "Data/com.apple.CoreML/weights/weight.bin"]

  func soundFiles() throws -> [[[UInt8]?]] {
    let manifest =
      #"{"fileFormatVersion":"1.0.0","itemInfoEntries":{"A":{"author":"com.apple.CoreML","name":"weights","#
      + #""path":"com.apple.CoreML/weights"},"B":{"author":"com.apple.CoreML","name":"model.mlmodel","#
      + #""path":"com.apple.CoreML/model.mlmodel"}},"rootModelIdentifier":"B"}"#
    return [
      [Array(manifest.utf8), ProtobufBytes.coreMLProgramWithWeights, Self.weights],
      [Array(manifest.utf8), ProtobufBytes.coreMLModels.last, nil],
    ]
  }

  /// Four numbers of FLOAT32, in the record that Core ML gives to each tensor.
  private static let weights: [UInt8] = {
    func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
      withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
    let header = little(UInt32(1)) + little(UInt32(2)) + [UInt8](repeating: 0, count: 56)
    let record = little(UInt32(0xDEAD_BEEF)) + little(UInt32(2)) + little(UInt64(16)) + little(UInt64(128))
    let numbers: [Float] = [1, 2, 3, 4]
    return header + record + [UInt8](repeating: 0, count: 40) + numbers.flatMap { little($0.bitPattern) }
  }()

  func run(folder: String) throws(FuzzFinding) -> FuzzOutcome {
    return try outcome(memory: 4 << 20, allowing: CoreMLError.self, GraphError.self, TensorError.self, FileError.self) {
      try CoreMLModelTarget.run(CoreMLModel(path: folder))
    }
  }
}
