import Apus
import ApusGraph

/// A call of an operator.
struct TorchNode: Sendable {
  /// The operator with its overload: `torch.ops.aten.add.Tensor`.
  var target = ""
  /// The name of the node in the program, `conv2d_1`.
  var name = ""
  var inputs: [(name: String, argument: TorchArgument)] = []
  var outputs: [TorchArgument] = []
  /// The path of the module that called it, `layer1.0.conv1`; empty in the outermost.
  var module = ""

  init(_ reader: inout JSONReader, depth: Int) throws {
    try reader.members { reader, key in
      switch key {
      case "target": target = try reader.shortString()
      case "name": name = try reader.shortString()
      case "inputs": inputs = try reader.list { try Self.input(&$0, depth: depth) }
      case "outputs": outputs = try reader.list { try TorchArgument(&$0, depth: depth) }
      case "metadata":
        try reader.members { reader, key in
          guard key == "nn_module_stack" else { return try reader.skip() }
          module = Self.module(try reader.string(limit: 1 << 20))
        }
      default: try reader.skip()
      }
    }
    if name.isEmpty { name = outputs.first?.names.first ?? "" }
  }

  private static func input(_ reader: inout JSONReader, depth: Int) throws -> (String, TorchArgument) {
    var name = ""
    var argument = TorchArgument.none
    try reader.members { reader, key in
      switch key {
      case "name": name = try reader.shortString()
      case "arg": argument = try TorchArgument(&reader, depth: depth)
      default: try reader.skip()
      }
    }
    return (name, argument)
  }

  /// The path of the innermost module of a stack `key,path,class;key,path,class`.
  private static func module(_ stack: String) -> String {
    let parts = (stack.split(separator: ";").last ?? "").split(separator: ",", omittingEmptySubsequences: false)
    return parts.count == 3 && !parts[1].hasPrefix("_empty_nn_module_stack") ? String(parts[1]) : ""
  }
}

/// A graph: its nodes in order, and what is said of its values.
struct TorchGraph: Sendable {
  var inputs: [TorchArgument] = []
  var outputs: [TorchArgument] = []
  var nodes: [TorchNode] = []
  var tensors: [String: TorchTensorType] = [:]
  var integers: [String: TorchSize] = [:]

  init() {}

  init(_ reader: inout JSONReader, depth: Int) throws {
    try reader.members { reader, key in
      switch key {
      case "inputs": inputs = try reader.list { try TorchArgument(&$0, depth: depth) }
      case "outputs": outputs = try reader.list { try TorchArgument(&$0, depth: depth) }
      case "nodes": nodes = try reader.list { try TorchNode(&$0, depth: depth) }
      case "tensor_values": tensors = try reader.dictionary { try TorchTensorType(&$0) }
      case "sym_int_values": integers = try reader.dictionary { try TorchSize(&$0) }
      default: try reader.skip()
      }
    }
  }
}

/// What an input of the graph is, or an output.
struct TorchSpecification: Sendable {
  /// `user_input`, `parameter`, `buffer`, `user_output`, `buffer_mutation`, and so on.
  var kind = ""
  var argument = TorchArgument.none
  /// The name in the module of a parameter, a buffer or a constant.
  var target = ""

  init(_ reader: inout JSONReader) throws {
    try reader.members { reader, key in
      kind = key
      guard key != "token" else { return try reader.skip() }
      try reader.members { reader, key in
        switch key {
        case "arg": argument = try Self.argument(&reader)
        case "name", "parameter_name", "buffer_name", "tensor_constant_name", "custom_obj_name", "user_input_name":
          target = try reader.shortString()
        default: try reader.skip()
        }
      }
    }
  }

  /// An argument, or the name of a tensor alone.
  private static func argument(_ reader: inout JSONReader) throws -> TorchArgument {
    let start = reader
    if let name = try? reader.name() { return .tensor(name) }
    reader = start
    return try TorchArgument(&reader, depth: 0)
  }
}

/// The program of an archive.
struct TorchProgram: Sendable {
  var graph = TorchGraph()
  var inputs: [TorchSpecification] = []
  var outputs: [TorchSpecification] = []
  var version = (major: 0, minor: 0)
  var torchVersion = ""
  /// The versions of the sets of operators.
  var operatorSets: [String: Int] = [:]
  /// The sizes that the program was made for, by expressions: `s0`, `2*s0 + 1`.
  var ranges: [String: SizeRange] = [:]
  /// Conditions on sizes that it was made under, in Python: `L['x'].size()[1] <= 25`.
  var guards: [String] = []
  /// Which checks the program has passed: `TRAINING` for one that was not decomposed.
  var dialects: [String] = []
  /// Whether it is of core operators.
  var isCore: Bool { !dialects.contains("TRAINING") }

  /// The version of the format that is read, and the newest minor one that is known.
  static let major = 8
  static let newestMinor = 20

  init(_ reader: inout JSONReader) throws {
    var hasGraph = false
    // What stands before the version cannot be judged by it; a graph of another version may not be read at all.
    var failure: JSONError?
    try reader.members { reader, key in
      switch key {
      case "graph_module":
        let start = reader
        do {
          try reader.members { reader, key in
            switch key {
            case "graph":
              graph = try TorchGraph(&reader, depth: 0)
              hasGraph = true
            case "signature":
              try reader.members { reader, key in
                switch key {
                case "input_specs": inputs = try reader.list { try TorchSpecification(&$0) }
                case "output_specs": outputs = try reader.list { try TorchSpecification(&$0) }
                default: try reader.skip()
                }
              }
            default: try reader.skip()
            }
          }
        } catch let error as JSONError {
          failure = error
          reader = start
          try reader.skip()
        }
      case "schema_version":
        try reader.members { reader, key in
          switch key {
          case "major": version.major = try reader.integer()
          case "minor": version.minor = try reader.integer()
          default: try reader.skip()
          }
        }
      case "torch_version": torchVersion = try reader.shortString()
      case "opset_version": operatorSets = try reader.dictionary { try $0.integer() }
      case "range_constraints": ranges = try reader.dictionary { try SizeRange(&$0) }
      case "guards_code": guards = try reader.list { try $0.string() }
      case "verifiers": dialects = try reader.list { try $0.shortString() }
      default: try reader.skip()
      }
    }
    guard version.major == Self.major else {
      throw TorchError.Reason.unsupported(
        at: "", "version \(version.major).\(version.minor) of the format (\(Self.major).x is read)",
        advice: version.major < Self.major ? TorchError.exportAnew : "")
    }
    if let failure { throw failure }
    guard hasGraph else { throw reader.error(.expected("graph_module with a graph")) }
  }
}
