import Apus
import ApusKernelInterface

/// What is known of an operator besides what it computes: all that passes, plans, parity and inspection go by.
///
/// No fact has a default. An operator says each of them, or begins from one of the kinds below, which say what they
/// stand for: so none can be forgotten, and nothing elsewhere switches over names.
struct OperatorFacts: Sendable {
  /// How the types of the outputs follow from those of the inputs.
  let shapes: ShapeRule
  /// Where results lie.
  let results: ResultMemory
  /// What becomes of channel-blocked maps.
  let layout: LayoutRule
  /// What becomes of it when the axes of its inputs lie in another order.
  let axes: AxisRule
  /// The multiply-adds that a node takes.
  let work: Work
  /// What the rounding errors of a right result grow with.
  let accuracy: Accuracy
  /// What passes may make of a node and its neighbours.
  let fusion: Fusion
  /// What a node gives when everything is computed in float64.
  let float64: Float64Rule
  /// Whether the same inputs always give the same outputs. What depends on chance is never folded, and not compared.
  let isDeterministic: Bool
}

// MARK: - Kinds of operators

extension OperatorFacts {
  /// An operator of which nothing is known but its shapes: new row-major results, work that is not counted, no sums.
  static func plain(
    _ shapes: ShapeRule, axes: AxisRule = .fixed, float64: Float64Rule = .computes
  ) -> OperatorFacts {
    OperatorFacts(
      shapes: shapes, results: .fresh, layout: .rowMajor, axes: axes, work: .none, accuracy: .plain, fusion: .none,
      float64: float64, isDeterministic: true)
  }

  /// An operator that depends on chance.
  static func random(_ shapes: ShapeRule, float64: Float64Rule = .computes) -> OperatorFacts {
    OperatorFacts(
      shapes: shapes, results: .fresh, layout: .rowMajor, axes: .fixed, work: .none, accuracy: .plain, fusion: .none,
      float64: float64, isDeterministic: false)
  }

  /// An operator that adds up terms and counts no multiply-adds: reductions, normalisations.
  static func reduction(
    _ shapes: ShapeRule, terms: TermCount, layout: LayoutRule = .rowMajor, axes: AxisRule = .fixed,
    accuracy: Accuracy = .plain, float64: Float64Rule = .computes
  ) -> OperatorFacts {
    OperatorFacts(
      shapes: shapes, results: .fresh, layout: layout, axes: axes, work: .none, accuracy: accuracy.adding(terms),
      fusion: .none, float64: float64, isDeterministic: true)
  }

  /// A function of single elements with one input that decides the shape.
  static func elementwise(
    _ shapes: ShapeRule = .likeInput, results: ResultMemory, layout: LayoutRule, axes: AxisRule = .free,
    accuracy: Accuracy = .plain, fusion: Fusion = .none
  ) -> OperatorFacts {
    OperatorFacts(
      shapes: shapes, results: results, layout: layout, axes: axes, work: .none, accuracy: accuracy, fusion: fusion,
      float64: .computes, isDeterministic: true)
  }

  /// Elements moved, none computed: errors of the inputs are those of the outputs.
  static func movement(
    _ shapes: ShapeRule, results: ResultMemory, layout: LayoutRule, axes: AxisRule = .fixed,
    accuracy: Accuracy = .passingErrorsOn, float64: Float64Rule = .computes
  ) -> OperatorFacts {
    OperatorFacts(
      shapes: shapes, results: results, layout: layout, axes: axes, work: .none, accuracy: accuracy, fusion: .none,
      float64: float64, isDeterministic: true)
  }

  /// Sums of products: convolutions, matrix products, attention, recurrent networks.
  static func product(
    _ shapes: ShapeRule, work: Work, accuracy: Accuracy, layout: LayoutRule = .rowMajor, fusion: Fusion = .none,
    float64: Float64Rule = .computes
  ) -> OperatorFacts {
    OperatorFacts(
      shapes: shapes, results: .fresh, layout: layout, axes: .fixed, work: work, accuracy: accuracy, fusion: fusion,
      float64: float64, isDeterministic: true)
  }
}

// MARK: - Memory

/// Where an operator's results lie. A forecast: where it is wrong memory is used less well, and nothing else happens.
enum ResultMemory: Sendable {
  /// In memory of their own.
  case fresh
  /// Over an input of the same size that no later node reads, where there is one.
  case overInput
  /// The first output is the first input again.
  case input
  /// The first output is the first input again where types and shapes are the same.
  case inputIfUnchanged
  /// The first output has the elements of the first input in the same order; a channel-blocked map is copied where
  /// channels are joined or divided.
  case reshapedInput
  /// The first output is the first input with its axes in another order: a view where only axes of extent 1 move.
  case transposedInput
  /// Outputs are parts of the first input: views where these lie in one piece, or are whole blocks of channels of one
  /// sample.
  case partOfInput
}

/// What an operator makes of maps that are kept channel-blocked.
enum LayoutRule: Sendable {
  /// Results are row-major.
  case rowMajor
  /// Results are channel-blocked where their shape allows.
  case makesBlocked
  /// Results are channel-blocked where an input of the same rank is.
  case keepsBlocked
  /// The result is channel-blocked where all inputs are, and its channels are theirs, one input's after the other.
  case joinsBlocked
  /// The first output is channel-blocked where the first input is and positions alone are joined or divided.
  case keepsBlockedChannels
}

// MARK: - Rewriting

/// What passes may make of a node and its neighbours.
enum Fusion: Sendable {
  case none
  /// The operator applies ``Node/activation`` to its first output while that is in the cache.
  case appliesActivation
  /// A function of single elements of one tensor, computed by this kernel: a step of one pass over memory.
  case unary(UnaryOperation)
  /// A function of two tensors of one shape, computed by this kernel: a step of one pass over memory.
  case binary(BinaryOperation)
  /// A function that operators which apply activations can take over, with the same kernel, and a step of one pass over
  /// memory; nil where attributes or bounds are not known.
  case activation(@Sendable (NodeDescription) throws -> Activation?)

  /// The step of one pass over memory that a node is which computes a function of its first input.
  func unaryStep(of node: NodeDescription) -> UnaryOperation? {
    switch self {
    case .unary(let operation): operation
    case .activation(let function): (try? function(node))??.operation
    default: nil
    }
  }

  /// The step of one pass over memory that an operator of two inputs is.
  var binaryStep: BinaryOperation? {
    if case .binary(let operation) = self { operation } else { nil }
  }

  var appliesActivation: Bool {
    if case .appliesActivation = self { true } else { false }
  }
}

/// What a node gives when every floating-point tensor is in float64.
enum Float64Rule: Sendable {
  /// The true value, as far as rounding to float64 goes.
  case computes
  /// The true value, once the element type that an attribute of this name asks for is widened too.
  case typeAttribute(String)
  /// Levels of a few bits, whatever the inputs are: no true value.
  case roundsToLevels
  /// Numbers computed from levels of a few bits, to which it rounds its inputs: no true value.
  case roundsInputs

  /// Whether what the operator gives is rounded to a few bits, or made of what was.
  var rounds: Bool {
    switch self {
    case .computes, .typeAttribute: false
    case .roundsToLevels, .roundsInputs: true
    }
  }
}
