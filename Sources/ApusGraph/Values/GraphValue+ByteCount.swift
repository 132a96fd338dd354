import Apus

extension GraphValue {
  /// The memory that elements take, in bytes; of texts that of their places alone.
  var byteCount: Int {
    switch self {
    case .tensor(let tensor): tensor.count * tensor.dataType.byteCount
    case .coded(let tensor): tensor.codes.count
    case .strings(let tensor): tensor.elements.count * MemoryLayout<String>.stride
    case .sequence(let values, _): values.reduce(0) { $0.addingClamped($1.byteCount) }
    case .optional(let value, _): value?.byteCount ?? 0
    }
  }

  /// Whether there are texts in it. How many there are bounds neither the memory nor the time that is taken by what
  /// operators make of them: nothing is computed of them before a run.
  var holdsTexts: Bool {
    switch self {
    case .strings: true
    case .sequence(let values, _): values.contains(where: \.holdsTexts)
    case .optional(let value, _): value?.holdsTexts ?? false
    case .tensor, .coded: false
    }
  }
}
