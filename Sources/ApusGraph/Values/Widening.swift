import Apus

// What values and types become where everything is computed in float64.

extension ElementType {
  /// DOUBLE for the types that ``InferenceSession/Options/computesInFloat64`` widens; itself otherwise.
  var widened: ElementType {
    switch self {
    case .float, .float16, .bfloat16: .double
    default: self
    }
  }
}

extension GraphValueType {
  var widened: GraphValueType {
    switch self {
    case .tensor(let type, let shape): .tensor(type?.widened, shape)
    case .sequence(let element): .sequence(element.widened)
    case .optional(let element): .optional(element.widened)
    case .map(let key, let element): .map(key, element.widened)
    case .unsupported: self
    }
  }
}

extension GraphValue {
  /// The value with floating-point tensors as float64.
  func widened() throws -> GraphValue {
    switch self {
    case .tensor(let tensor):
      tensor.dataType.isFloatingPoint && tensor.dataType != .float64
        ? GraphValue(try tensor.converted(to: Double.self)) : self
    case .sequence(let values, let element):
      .sequence(try values.map { try $0.widened() }, element: element.widened)
    case .optional(let value, let element): .optional(try value?.widened(), element: element.widened)
    case .coded, .strings: self
    }
  }
}
