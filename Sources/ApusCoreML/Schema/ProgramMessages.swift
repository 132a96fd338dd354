import Apus
import ApusGraph

/// The type of a value of a program: a tensor's elements and extents, or something else.
struct MILValueType: Sendable {
  /// nil for lists, tuples and dictionaries.
  var type: MILType?
  /// nil where the rank is not known; within, nil for an extent that is known when the program runs.
  var shape: [Int?]?
  /// Whether the value is a list of such tensors.
  var isList = false
  /// Whether the value is a state that holds such a tensor.
  var isState = false

  init(type: MILType?, shape: [Int?]?) {
    self.type = type
    self.shape = shape
  }

  init(_ fields: Fields) throws {
    if let tensor = try fields.message(1, "TensorType") {
      guard let type = MILType(rawValue: try tensor.int(1)) else {
        throw OperatorError("elements are of the unknown type \(try tensor.int(1))")
      }
      self.type = type
      let rank = try tensor.int(2)
      let dimensions = try tensor.messages(3, "Dimension")
      guard rank < 0 || rank == dimensions.count else {
        throw OperatorError("\(dimensions.count) dimensions are declared for a tensor of rank \(rank)")
      }
      shape =
        try rank < 0
        ? nil
        : dimensions.map { dimension in
          guard let constant = try dimension.message(1, "ConstantDimension") else { return nil }
          let size = try constant.int(1)
          guard size >= 0 else { throw OperatorError("a dimension of \(size) is declared") }
          return size
        }
    } else if let list = try fields.message(2, "ListType") {
      if let element = try list.message(1, "ValueType") { self = try MILValueType(element) }
      isList = true
    } else if let state = try fields.message(5, "StateType") {
      if let wrapped = try state.message(1, "ValueType") { self = try MILValueType(wrapped) }
      isState = true
    }
  }
}

/// A name with a type: what a block takes, what an operation gives.
struct MILPort: Sendable {
  let name: String
  let type: MILValueType

  init(_ fields: Fields) throws {
    name = try fields.string(1)
    do {
      type = try fields.message(2, "ValueType").map { try MILValueType($0) } ?? MILValueType(type: nil, shape: nil)
    } catch let error as OperatorError {
      throw OperatorError("value '\(name)': \(error)")
    }
  }
}

/// What an operation is given for a parameter: one binding, or several for a parameter of any number.
enum MILBinding: Sendable {
  case name(String)
  case value(Fields)
}

/// One operation of a block.
struct MILOperation: Sendable {
  let type: String
  let inputs: [String: [MILBinding]]
  let outputs: [MILPort]
  let blocks: [Fields]
  let attributes: [String: Fields]

  init(_ fields: Fields) throws {
    type = try fields.string(1)
    var inputs: [String: [MILBinding]] = [:]
    for entry in try fields.messages(2, "Argument entry") {
      let bindings = try entry.message(2, "Argument")?.messages(1, "Binding") ?? []
      inputs[try entry.string(1)] = try bindings.map { binding in
        if let value = try binding.message(2, "Value") { return .value(value) }
        return .name(try binding.string(1))
      }
    }
    self.inputs = inputs
    do {
      outputs = try fields.messages(3, "NamedValueType").map { try MILPort($0) }
    } catch let error as OperatorError {
      throw OperatorError("operation \(type): \(error)")
    }
    blocks = try fields.messages(4, "Block")
    attributes = try fields.namedMessages(5, "Value")
  }
}

extension Fields {
  /// The messages of a map from texts.
  func namedMessages(_ number: Int, _ name: String) throws(ProtobufError) -> [String: Fields] {
    var result: [String: Fields] = [:]
    for entry in try messages(number, "\(name) entry") {
      result[try entry.string(1)] = try entry.message(2, name) ?? Fields(empty: name, of: source)
    }
    return result
  }
}
