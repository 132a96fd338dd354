import Apus

// Reports as JSON: snake_case keys, absent values omitted.

extension ParityReport: Encodable {
  enum CodingKeys: String, CodingKey {
    case equal, verdict, operators, nodes
    case firstDifference = "first_difference"
    case checkedCount = "checked"
    case uncheckedCount = "unchecked"
    case bodyNodeCount = "nodes_in_bodies"
    case unknownNames = "unknown_names"
    case differingConstants = "constants_differ"
    case differingInputs = "inputs_differ"
    case unfitNames = "reference_does_not_fit"
    case namesWithoutNumbers = "without_numbers"
    case uncomparedOutputs = "outputs_not_compared"
    case impliedOutputs = "outputs_implied"
  }

  /// An object with the verdict, the counts, names that the model does not have, and `nodes` in running order.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(isEqual, forKey: .equal)
    try container.encode(verdict.name, forKey: .verdict)
    try container.encodeIfPresent(verdict.first.map { nodes[$0].name }, forKey: .firstDifference)
    try container.encode(checkedCount, forKey: .checkedCount)
    try container.encode(uncheckedCount, forKey: .uncheckedCount)
    try container.encode(bodyNodeCount, forKey: .bodyNodeCount)
    try container.encode(unknownNames, forKey: .unknownNames)
    try container.encode(differingConstants, forKey: .differingConstants)
    try container.encode(differingInputs, forKey: .differingInputs)
    try container.encode(unfitNames.sorted(), forKey: .unfitNames)
    try container.encode(namesWithoutNumbers, forKey: .namesWithoutNumbers)
    try container.encode(uncomparedOutputs, forKey: .uncomparedOutputs)
    try container.encode(impliedOutputs, forKey: .impliedOutputs)
    try container.encode(operators, forKey: .operators)
    try container.encode(nodes, forKey: .nodes)
  }
}

extension ParityReport.Verdict {
  /// One word.
  public var name: String {
    switch self {
    case .nothingChecked: "nothing_checked"
    case .equal: "equal"
    case .wrong: "wrong"
    case .accumulated: "accumulated"
    case .incomplete, .inconclusive: "incomplete"
    }
  }

  /// The position of the first node that it is about.
  public var first: Int? {
    switch self {
    case .nothingChecked, .equal, .inconclusive: nil
    case .wrong(let first, _), .accumulated(let first), .incomplete(let first): first
    }
  }
}

extension ParityReport.Status {
  /// One word or a few.
  public var name: String {
    switch self {
    case .equal: "equal"
    case .offByOneLevel: "off_by_one_level"
    case .wrong: "wrong"
    case .unfit: "reference_does_not_fit"
    case .inherits: "inherits"
    case .drifts: "drifts"
    case .unchecked: "unchecked"
    case .random: "random"
    case .failed: "failed"
    case .notComputed: "not_computed"
    }
  }
}

extension ParityReport.NodeReport: Encodable {
  enum CodingKeys: String, CodingKey {
    case index, name, opset, attributes, inputs, outputs, status, reason, terms, suspects, patterns
    case operatorName = "operator"
    case isConstant = "constant"
  }

  /// An object with the node's position, name, operator, status, inputs and outputs, and what its tolerance went by.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(index, forKey: .index)
    try container.encode(name, forKey: .name)
    try container.encode("\(operatorName)", forKey: .operatorName)
    try container.encode(opset, forKey: .opset)
    try container.encode(
      Dictionary(attributes.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first }), forKey: .attributes)
    try container.encode(inputs, forKey: .inputs)
    try container.encode(outputs, forKey: .outputs)
    try container.encode(status.name, forKey: .status)
    switch status {
    case .failed(let reason): try container.encode(reason, forKey: .reason)
    case .unfit(let reason): try container.encode("\(reason)", forKey: .reason)
    case .notComputed(let name): try container.encode("'\(name)' has no value", forKey: .reason)
    default: break
    }
    try container.encode(terms, forKey: .terms)
    try container.encode(suspects, forKey: .suspects)
    try container.encode(patterns, forKey: .patterns)
    try container.encode(isConstant, forKey: .isConstant)
  }
}

extension ParityReport.Input: Encodable {
  enum CodingKeys: String, CodingKey { case name, type, source }

  /// An object with `name`, the declared or found `type` as text, and the `source`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encodeIfPresent(type.map { "\($0)" }, forKey: .type)
    try container.encode(source, forKey: .source)
  }
}

extension ParityReport.Output: Encodable {
  enum CodingKeys: String, CodingKey {
    case name, type, isolated, cumulative, truth
    case expectedType = "expected_type"
  }

  /// An object with `name`, both types as text, and those of the three comparisons that were made.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encodeIfPresent(type.map { "\($0)" }, forKey: .type)
    try container.encode("\(expectedType)", forKey: .expectedType)
    try container.encodeIfPresent(isolated, forKey: .isolated)
    try container.encodeIfPresent(cumulative, forKey: .cumulative)
    try container.encodeIfPresent(truth, forKey: .truth)
  }
}

extension ParityReport.Truth: Encodable {
  enum CodingKeys: String, CodingKey {
    case isolatedReference = "isolated_reference"
    case isolatedActual = "isolated_actual"
    case cumulativeReference = "cumulative_reference"
    case cumulativeActual = "cumulative_actual"
  }

  /// An object of up to four comparisons, named by error and side.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(isolatedReference, forKey: .isolatedReference)
    try container.encodeIfPresent(isolatedActual, forKey: .isolatedActual)
    try container.encodeIfPresent(cumulativeReference, forKey: .cumulativeReference)
    try container.encodeIfPresent(cumulativeActual, forKey: .cumulativeActual)
  }
}

extension ValueDifference: Encodable {
  enum CodingKeys: String, CodingKey {
    case comparison, reason
    case isAcceptable = "acceptable"
    case isOffByOneLevel = "off_by_one_level"
  }

  /// An object with `acceptable`, `off_by_one_level`, and the comparison or the reason why there is none.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(isAcceptable, forKey: .isAcceptable)
    try container.encode(isOffByOneLevel, forKey: .isOffByOneLevel)
    try container.encodeIfPresent(comparison, forKey: .comparison)
    try container.encodeIfPresent(reason, forKey: .reason)
  }
}

extension ParityReport.OperatorSummary: Encodable {
  enum CodingKeys: String, CodingKey {
    case name, nodes, checked, wrong, inherits, drifts, failed
    case unfit = "reference_does_not_fit"
    case offByOneLevel = "off_by_one_level"
    case largestError = "largest_relative_rms"
    case worstNode = "worst_node"
  }

  /// An object of the counts, the largest relative RMS error, and the node that has it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(nodes, forKey: .nodes)
    try container.encode(checked, forKey: .checked)
    try container.encode(wrong, forKey: .wrong)
    try container.encode(offByOneLevel, forKey: .offByOneLevel)
    try container.encode(unfit, forKey: .unfit)
    try container.encode(inherits, forKey: .inherits)
    try container.encode(drifts, forKey: .drifts)
    try container.encode(failed, forKey: .failed)
    // JSON has no infinity: a shape or a NaN that is wrong leaves the number out.
    if largestError.isFinite { try container.encode(largestError, forKey: .largestError) }
    try container.encodeIfPresent(worstNode, forKey: .worstNode)
  }
}
