import Apus
import ApusGraph
import ApusONNX

/// ONNX models whose tensors lie in files beside them.
struct ExternalDataTarget: FolderFuzzTarget {
  let name = "onnx-external"
  let summary = "ONNX models with tensors in other files: places, offsets, lengths"
  let dictionary = ["location", "offset", "length", "checksum", "../", "./", "/etc/passwd", "data.bin", "\u{0}", "-1"]
  let files = ["model.onnx", "data.bin", "folder/data.bin"]

  func soundFiles() throws -> [[[UInt8]?]] {
    func tensor(_ name: String, _ entries: [(String, String)]) -> [UInt8] {
      // TensorProto: dims, data_type, name, external_data, data_location.
      let description = ProtobufBytes.field(1, 4) + ProtobufBytes.field(2, 1) + ProtobufBytes.text(8, name)
      let place: [UInt8] = entries.flatMap { key, value in
        ProtobufBytes.field(13, ProtobufBytes.text(1, key) + ProtobufBytes.text(2, value))
      }
      return description + place + ProtobufBytes.field(14, 1)
    }
    let a = tensor("a", [("location", "data.bin"), ("offset", "16"), ("length", "16")])
    let b = tensor("b", [("location", "folder/data.bin")])
    let node =
      ["a", "b"].flatMap { ProtobufBytes.text(1, $0) } + ProtobufBytes.text(2, "y")
      + ProtobufBytes.text(4, "Add")
    let graph =
      ProtobufBytes.field(1, node) + ProtobufBytes.text(2, "g")
      + [a, b].flatMap { ProtobufBytes.field(5, $0) } + ProtobufBytes.field(12, ProtobufBytes.text(1, "y"))
    let model =
      ProtobufBytes.field(1, 10) + ProtobufBytes.field(7, graph)
      + ProtobufBytes.field(8, ProtobufBytes.field(2, 21))
    let numbers: [Float] = [1, 2, 3, 4, 5, 6, 7, 8]
    let data = numbers.flatMap { number in withUnsafeBytes(of: number.bitPattern.littleEndian) { Array($0) } }
    return [[model, data, Array(data.prefix(16))]]
  }

  func run(folder: String) throws(FuzzFinding) -> FuzzOutcome {
    return try outcome(
      memory: 4 << 20, allowing: ONNXFileError.self, FileFormatError.self, FileError.self, GraphError.self
    ) {
      let model = try ONNXModel(path: "\(folder)/model.onnx")
      var options = InferenceSession.Options()
      options.limits.iterations = 100
      let session = try InferenceSession(model, options: options)
      if session.inputs.allSatisfy(\.hasDefault) { _ = try session.run([:]) }
    }
  }
}
