import ApusBase

extension PackedCache {
  /// The cache of a model in `folder`: a file for each model and variant of the kernels.
  package convenience init(folder: String, model: UInt64) {
    let variant = Execution.current.variant.rawValue
    let digits = String(model, radix: 16)
    let name = "apus-" + String(repeating: "0", count: 16 - digits.count) + digits + "-\(variant).packed"
    self.init(path: "\(withoutTrailingSlashes(folder))/\(name)", label: Self.label)
  }

  /// Files of other versions are not used.
  private static let label = Array(ApusVersion.current.utf8).withUnsafeBytes { XXH64.hash($0, seed: PackedKey.version) }

  /// A number that models which differ hardly ever share. Nothing but the name of a file depends on it.
  package struct Fingerprint {
    package private(set) var value: UInt64 = 0

    package init() {}

    package mutating func add(_ text: String) {
      var text = text
      value = text.withUTF8 { XXH64.hash(UnsafeRawBufferPointer($0), seed: value) }
    }

    package mutating func add(_ numbers: [Int]) {
      value = numbers.withUnsafeBytes { XXH64.hash($0, seed: value) }
    }

    /// The shape, and some of the elements at both ends where they are in memory.
    package mutating func add(_ tensor: AnyTensor) {
      add([tensor.dataType.byteCount] + tensor.shape)
      let storage = tensor.storage
      guard storage.deferred == nil else { return }
      withExtendedLifetime(storage) {
        let bytes = UnsafeRawBufferPointer(start: storage.base, count: storage.byteCount)
        for end in [bytes.prefix(64), bytes.suffix(64)] {
          value = XXH64.hash(UnsafeRawBufferPointer(rebasing: end), seed: value)
        }
      }
    }
  }
}
