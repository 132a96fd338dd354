import Apus

// A classifier's scores under the names of its classes, which is how `skl2onnx` and `onnxmltools` end a classifier unless
// told otherwise. A dictionary for each row is what the standard has it give; here the rows stay rows, and which class a
// column belongs to is the value's form.

extension Operators {
  /// Rows of numbers, `[N, C]`; of a list one row.
  static func ZipMap(_ node: NodeDescription) throws -> PreparedOperator {
    let count = try zipMapLabels(node).count
    return { arguments in
      let x = try arguments.take(0)
      let shape = try x.extents
      guard shape.count == 1 || shape.count == 2, shape.last == count,
        x.elementType?.isFloatingPoint == true
      else {
        throw OperatorError("input 0 is \(x.type); FLOAT[N, \(count)] or FLOAT[\(count)] is needed")
      }
      return [shape.count == 1 ? try x.reshaped([1, count]) : x]
    }
  }

  fileprivate static func zipMapLabels(_ node: NodeDescription) throws -> ClassLabels {
    let labels = try ClassLabels(node, numbers: "classlabels_int64s", texts: "classlabels_strings")
    guard labels.count > 0 else { throw OperatorError("the class labels are missing") }
    return labels
  }
}

extension Graph {
  /// The forms of the values that ZipMap gives, by name: dictionaries whose keys are the classes. A node whose labels are
  /// missing has none; it is refused when a session is made.
  package var zipMapForms: [String: ValueForm] {
    nodes.reduce(into: [:]) { forms, node in
      guard node.operatorName == OperatorName(domain: "ai.onnx.ml", type: "ZipMap"),
        case let output?? = node.outputs.first,
        let keys = try? Operators.zipMapLabels(NodeDescription(node: node)).values()
      else { return }
      forms[values[output].name] = .dictionary(keys: keys)
    }
  }
}

extension ShapeRule {
  static let zipMap = ShapeRule.rule { facts in
    [InferredType(.float, [try facts.rows(0), try Operators.zipMapLabels(facts.node).count])]
  }
}
