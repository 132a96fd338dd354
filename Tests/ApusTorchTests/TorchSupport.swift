import Apus
import ApusTestSupport
import Foundation

@testable import ApusTorch

/// The path of a file in `Tests/Fixtures/torch`.
func torchFixture(_ name: String = "") -> String { fixture(name.isEmpty ? "torch" : "torch/" + name) }

func readModel(_ bytes: [UInt8], program: String? = nil) throws -> TorchModel {
  try bytes.withUnsafeBytes { try TorchModel(bytes: $0, name: "memory", program: program) }
}

/// Why bytes are no archive that can be read; nil when they are.
func refusal(_ bytes: [UInt8], program: String? = nil) -> String? {
  do {
    _ = try readModel(bytes, program: program)
    return nil
  } catch {
    return (error as? TorchError).map { "\($0.reason)" } ?? "another error: \(error)"
  }
}

// MARK: - Programs made by hand

/// An archive with a program, and with weights of FLOAT in lists.
struct Archive {
  var program = Program().text
  var weights: [(name: String, shape: [Int], strides: [Int], numbers: [Float])] = []
  /// Entries instead of those that are made, and besides.
  var entries: [String: [UInt8]] = [:]
  /// The entry that is to be missing.
  var missing = ""

  var bytes: [UInt8] {
    var contents: [String: [UInt8]] = [
      "models/model.json": Array(program.utf8), "byteorder": Array("little".utf8),
      "archive_format": Array("pt2".utf8), "data/constants/model_constants_config.json": Array(#"{"config":{}}"#.utf8),
    ]
    let config = weights.enumerated().map { index, weight in
      let meta = Program.meta(weight.shape, strides: weight.strides)
      return #""\#(weight.name)":{"path_name":"weight_\#(index)","is_param":true,"use_pickle":false,"#
        + #""tensor_meta":\#(meta)}"#
    }
    contents["data/weights/model_weights_config.json"] = Array("{\"config\":{\(config.joined(separator: ","))}}".utf8)
    for (index, weight) in weights.enumerated() {
      contents["data/weights/weight_\(index)"] = weight.numbers.flatMap { number in
        withUnsafeBytes(of: number.bitPattern.littleEndian) { Array($0) }
      }
    }
    for (name, entry) in entries { contents[name] = entry }
    contents[missing] = nil
    var zip = ZipBuilder([:])
    zip.entries = contents.sorted { $0.key < $1.key }.map { ZipBuilder.Entry("m/" + $0.key, $0.value) }
    return zip.bytes
  }
}

/// A program with inputs of FLOAT `[2, 3]`, nodes, and tensors of that shape unless another is told.
struct Program {
  var inputs = ["x"]
  var parameters: [(name: String, target: String)] = []
  var nodes: [String] = [Program.node("relu", ["self": .tensor("x")], gives: "y")]
  var outputs = ["y"]
  var shapes: [String: [Int]] = [:]
  var version = 8
  var minor = 20

  enum Argument {
    case tensor(String), tensors([String]), int(Int), ints([Int]), float(String), string(String), other(String)

    var json: String {
      func name(_ name: String) -> String { #"{"name":"\#(name)"}"# }
      return switch self {
      case .tensor(let tensor): #"{"as_tensor":\#(name(tensor))}"#
      case .tensors(let tensors): #"{"as_tensors":[\#(tensors.map(name).joined(separator: ","))]}"#
      case .int(let value): #"{"as_int":\#(value)}"#
      case .ints(let values): #"{"as_ints":\#(values)}"#
      case .float(let value): #"{"as_float":\#(value)}"#
      case .string(let value): #"{"as_string":"\#(value)"}"#
      case .other(let json): json
      }
    }
  }

  static func node(
    _ operatorName: String, _ arguments: KeyValuePairs<String, Argument>, gives outputs: String...
  ) -> String {
    let target = operatorName.contains(".") ? operatorName : "torch.ops.aten.\(operatorName).default"
    let inputs = arguments.map { #"{"name":"\#($0.key)","arg":\#($0.value.json),"kind":1}"# }
    let results = outputs.map { Argument.tensor($0).json }
    return #"{"target":"\#(target)","inputs":[\#(inputs.joined(separator: ","))],"#
      + #""outputs":[\#(results.joined(separator: ","))],"metadata":{"nn_module_stack":"L__self__,,M;L__self___a,a.b,N"},"#
      + #""name":"\#(outputs.first ?? "none")"}"#
  }

  static func meta(_ shape: [Int], strides: [Int]? = nil, dtype: Int = 7) -> String {
    func sizes(_ sizes: [Int]) -> String { sizes.map { #"{"as_int":\#($0)}"# }.joined(separator: ",") }
    let rows = strides ?? Shape.strides(shape)
    return #"{"dtype":\#(dtype),"sizes":[\#(sizes(shape))],"requires_grad":false,"device":{"type":"cpu","index":null},"#
      + #""strides":[\#(sizes(rows))],"storage_offset":{"as_int":0},"layout":7}"#
  }

  var text: String {
    let names = Set(inputs + outputs + parameters.map(\.name) + shapes.keys).sorted()
    let tensors = names.map { #""\#($0)":\#(Self.meta(shapes[$0] ?? [2, 3]))"# }.joined(separator: ",")
    func list(_ names: [String]) -> String { names.map { Argument.tensor($0).json }.joined(separator: ",") }
    let inputs =
      parameters.map { #"{"parameter":{"arg":{"name":"\#($0.name)"},"parameter_name":"\#($0.target)"}}"# }
      + self.inputs.map { #"{"user_input":{"arg":\#(Argument.tensor($0).json)}}"# }
    let outputs = self.outputs.map { #"{"user_output":{"arg":\#(Argument.tensor($0).json)}}"# }
    return #"{"graph_module":{"graph":{"inputs":[],"outputs":[\#(list(self.outputs))],"#
      + #""nodes":[\#(nodes.joined(separator: ","))],"tensor_values":{\#(tensors)},"sym_int_values":{},"#
      + #""sym_bool_values":{}},"signature":{"input_specs":[\#(inputs.joined(separator: ","))],"#
      + #""output_specs":[\#(outputs.joined(separator: ","))]},"module_call_graph":[]},"opset_version":{"aten":10},"#
      + #""range_constraints":{},"schema_version":{"major":\#(version),"minor":\#(minor)},"verifiers":["TRAINING"],"#
      + #""torch_version":"2.13.0"}"#
  }
}
