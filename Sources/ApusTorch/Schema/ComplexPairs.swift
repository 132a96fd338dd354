/// Complex numbers become pairs: the real and the imaginary part side by side along an axis behind all others.
extension TorchTensorType {
  var isComplex: Bool { [.complexHalf, .complexFloat, .complexDouble].contains(scalar) }

  /// The type of the pairs that stand for complex numbers.
  var ofPairs: TorchTensorType {
    var pairs = self
    pairs.scalar = scalar == .complexDouble ? .double : scalar == .complexHalf ? .half : .float
    func twice(_ size: TorchSize) -> TorchSize {
      size.known.map { .known(2 * $0.bounded) } ?? .expression("", hint: nil)
    }
    pairs.sizes.append(.known(2))
    pairs.strides = strides.map(twice) + [.known(1)]
    pairs.offset = twice(offset)
    return pairs
  }
}

extension TorchGraph {
  /// Declares complex tensors as pairs, and gives their names.
  mutating func pairComplexNumbers() -> Set<String> {
    let names = tensors.filter { $0.value.isComplex }.map(\.key)
    for name in names { tensors[name] = tensors[name]?.ofPairs }
    return Set(names)
  }
}
