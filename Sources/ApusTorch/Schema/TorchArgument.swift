import Apus
import ApusGraph

/// What an operator of a program is called with, or gives.
indirect enum TorchArgument: Sendable {
  case none
  /// The name of a tensor.
  case tensor(String)
  case tensors([String])
  /// Tensors, nil where one is left out.
  case optionalTensors([String?])
  case int(Int)
  case float(Double)
  case bool(Bool)
  case string(String)
  case floats([Double])
  case bools([Bool])
  /// Integers, some of which are known only when the program runs.
  case integers([Integer])
  /// The name of a number that is known only when the program runs.
  case symbol(String)
  case scalarType(TorchScalarType)
  /// An operator that one of higher order calls: `torch.ops.aten._print.default`.
  case operatorName(String)
  /// A graph that an operator of higher order is called with.
  case graph(TorchGraph)
  /// What nothing here depends on: a device, a layout, how memory is laid out.
  case ignored
  /// A kind that nothing here reads.
  case other(String)

  enum Integer: Sendable, Hashable {
    case known(Int)
    case symbol(String)
  }
}

extension TorchArgument {
  /// Graphs within graphs.
  static let depthLimit = 32

  init(_ reader: inout JSONReader, depth: Int) throws {
    self = try reader.union("an argument") { reader, kind in
      switch kind {
      case "as_none":
        try reader.skip()
        return .none
      case "as_tensor": return .tensor(try reader.name())
      case "as_tensors": return .tensors(try reader.list { try $0.name() })
      case "as_optional_tensor", "as_optional_tensors":
        func one(_ reader: inout JSONReader) throws -> String? {
          try reader.union("a tensor or none") { reader, kind in
            if kind == "as_tensor" { return try reader.name() }
            try reader.skip()
            return nil
          }
        }
        if kind == "as_optional_tensor" { return try one(&reader).map { .tensor($0) } ?? .none }
        return .optionalTensors(try reader.list { try one(&$0) })
      case "as_int": return .int(try reader.integer())
      case "as_ints": return .integers(try reader.list { .known(try $0.integer()) })
      case "as_float": return .float(try reader.double())
      case "as_floats": return .floats(try reader.list { try $0.double() })
      case "as_bool": return .bool(try reader.boolean())
      case "as_bools": return .bools(try reader.list { try $0.boolean() })
      case "as_operator": return .operatorName(try reader.shortString())
      case "as_string": return .string(try reader.string(limit: 1 << 16))
      case "as_sym_int", "as_sym_float", "as_sym_bool": return try Self.symbolic(&reader)
      case "as_sym_ints":
        return .integers(
          try reader.list { reader in
            switch try Self.symbolic(&reader) {
            case .int(let value): .known(value)
            case .symbol(let name): .symbol(name)
            default: throw reader.error(.expected("an integer or a name"))
            }
          })
      case "as_scalar_type": return .scalarType(TorchScalarType(rawValue: try reader.integer()) ?? .unknown)
      case "as_memory_format", "as_layout", "as_device":
        try reader.skip()
        return .ignored
      case "as_graph":
        guard depth < Self.depthLimit else { throw reader.error(.tooDeep(limit: Self.depthLimit)) }
        var graph: TorchGraph?
        try reader.members { reader, key in
          if key == "graph" { graph = try TorchGraph(&reader, depth: depth + 1) } else { try reader.skip() }
        }
        guard let graph else { throw reader.error(.expected("a graph")) }
        return .graph(graph)
      default:
        try reader.skip()
        return .other(kind)
      }
    }
  }

  private static func symbolic(_ reader: inout JSONReader) throws -> TorchArgument {
    try reader.union("a number or a name") { reader, kind in
      switch kind {
      case "as_name": .symbol(try reader.shortString())
      case "as_int": .int(try reader.integer())
      case "as_float": .float(try reader.double())
      case "as_bool": .bool(try reader.boolean())
      default: throw reader.error(.expected("as_name, as_int, as_float or as_bool"))
      }
    }
  }

  /// The same with other names for values.
  func renamed(_ name: (String) -> String) -> TorchArgument {
    switch self {
    case .tensor(let old): .tensor(name(old))
    case .symbol(let old): .symbol(name(old))
    case .tensors(let list): .tensors(list.map(name))
    case .optionalTensors(let list): .optionalTensors(list.map { $0.map(name) })
    case .integers(let list):
      .integers(list.map { if case .symbol(let old) = $0 { .symbol(name(old)) } else { $0 } })
    default: self
    }
  }

  /// The names of what is given, nil for what nothing reads.
  var places: [String?] {
    switch self {
    case .optionalTensors(let names): names
    case .none: [nil]
    default: names
    }
  }

  /// The names of the values that this reads or gives.
  var names: [String] {
    switch self {
    case .tensor(let name), .symbol(let name): [name]
    case .tensors(let names): names
    case .optionalTensors(let names): names.compactMap { $0 }
    case .integers(let list): list.compactMap { if case .symbol(let name) = $0 { name } else { nil } }
    default: []
    }
  }
}
