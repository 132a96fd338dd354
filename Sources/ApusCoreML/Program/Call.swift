import Apus
import ApusGraph

/// One operation being turned into nodes: its parameters by name, with defaults.
struct Call {
  let operation: MILOperation
  let emitter: Emitter
  let builder: ProgramBuilder

  /// The version of the set of operations: 5 for iOS 15, 6 for iOS 16, and so on.
  var opset: Int { builder.opset }
}

extension Call {
  func has(_ name: String) -> Bool { operation.inputs[name]?.isEmpty == false }

  /// The values of a parameter.
  func values(_ name: String) throws -> [Graph.ValueID] {
    guard let bindings = operation.inputs[name], !bindings.isEmpty else {
      throw OperatorError("parameter '\(name)' is missing")
    }
    return try bindings.map { try value($0, name) }
  }

  private func value(_ binding: MILBinding, _ parameter: String) throws -> Graph.ValueID {
    switch binding {
    case .name(let name):
      guard let id = emitter.resolve(name) else {
        throw OperatorError("parameter '\(parameter)' is '\(name)', which nothing gives")
      }
      return id
    case .value(let fields): return try builder.constant(MILConstant(fields), in: emitter)
    }
  }

  /// The value of a parameter that must be given.
  func value(_ name: String) throws -> Graph.ValueID {
    let values = try values(name)
    guard values.count == 1 else { throw OperatorError("parameter '\(name)' has \(values.count) values") }
    return values[0]
  }

  func optional(_ name: String) throws -> Graph.ValueID? { has(name) ? try value(name) : nil }

  /// A constant that must be given.
  func known(_ name: String) throws -> AnyTensor? {
    guard has(name) else { return nil }
    guard case .tensor(let tensor)? = builder.known(try value(name), in: emitter) else {
      throw OperatorError("parameter '\(name)' is not known before the model runs")
    }
    return tensor
  }

  /// The integers of a parameter; nil when it is left out.
  func optionalInts(_ name: String) throws -> [Int]? {
    guard let tensor = try known(name) else { return nil }
    guard !tensor.dataType.isFloatingPoint else { throw OperatorError("parameter '\(name)' holds no integers") }
    return try tensor.converted(to: Int64.self).elements.map { Int(clamping: $0).boundedSize }
  }

  func ints(_ name: String) throws -> [Int] {
    guard let list = try optionalInts(name) else { throw OperatorError("parameter '\(name)' is missing") }
    return list
  }

  /// The integers of a parameter that may be known only when the model runs.
  func intsIfKnown(_ name: String) throws -> [Int]? {
    guard has(name), case .tensor(let tensor)? = builder.known(try value(name), in: emitter),
      !tensor.dataType.isFloatingPoint
    else { return nil }
    return try tensor.converted(to: Int64.self).elements.map { Int(clamping: $0).boundedSize }
  }

  func int(_ name: String, default value: Int) throws -> Int {
    guard let list = try optionalInts(name) else { return value }
    guard list.count == 1 else { throw OperatorError("parameter '\(name)' has \(list.count) elements; one is needed") }
    return list[0]
  }

  func bool(_ name: String, default value: Bool = false) throws -> Bool { try int(name, default: value ? 1 : 0) != 0 }

  func float(_ name: String, default value: Float) throws -> Float {
    guard let tensor = try known(name) else { return value }
    guard tensor.count == 1 else {
      throw OperatorError("parameter '\(name)' has \(tensor.count) elements; one is needed")
    }
    return try tensor.converted(to: Float.self).elements[0]
  }

  func string(_ name: String, default value: String) throws -> String {
    guard has(name) else { return value }
    guard case .strings(let tensor)? = emitter.constant(try self.value(name)), tensor.elements.count == 1 else {
      throw OperatorError("parameter '\(name)' is no text")
    }
    return tensor.elements[0]
  }

  /// What the file declares of output `index`.
  func output(_ index: Int = 0) throws -> MILValueType {
    guard operation.outputs.indices.contains(index) else {
      throw OperatorError("the operation has \(operation.outputs.count) outputs; one more is needed")
    }
    return operation.outputs[index].type
  }

  /// The element type of output `index`, as it is computed.
  func outputType(_ index: Int = 0) throws -> ElementType {
    guard let type = try output(index).type else { throw OperatorError("output \(index) is no tensor") }
    return builder.computed(type)
  }

  /// The axis that a parameter names, counted from the front of `x`.
  func axis(_ name: String = "axis", default value: Int, of x: Graph.ValueID) throws -> Int {
    try emitter.axis(int(name, default: value), rank: emitter.rank(x))
  }
}

extension Int {
  /// A size, a place or a count cut at a number beyond any that can be meant: see ``Fields/sizeLimit``.
  var boundedSize: Int { Swift.min(Swift.max(self, -Fields.sizeLimit), Fields.sizeLimit) }
}
