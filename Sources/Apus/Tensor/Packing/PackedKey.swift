import ApusBase

/// What tells apart weights that are laid out for kernels: the numbers that they are made of, and how those are laid out.
///
/// The numbers are those of the weights themselves, not where they come from: so whatever was changed in a model, or in what
/// prepares it, is found by what it changes.
package struct PackedKey: Sendable {
  /// Raised with every change of a layout that is kept. `PackedLayoutTests` notices such a change.
  static let version: UInt64 = 3

  private var layout: UInt64
  private var content: UInt64 = 0

  /// - Parameters:
  ///   - name: what lays the weights out.
  ///   - sizes: all that decides, beside the kernels and the numbers, what comes out.
  init(_ name: StaticString, _ sizes: [Int]) {
    let kernels = Array("\(Self.architecture) \(Execution.current.variant.rawValue)".utf8)
    layout = kernels.withUnsafeBytes { XXH64.hash($0, seed: Self.version) }
    add(name, sizes)
  }

  private static let architecture: String = {
    #if arch(x86_64)
      "x86_64"
    #elseif arch(arm64)
      "arm64"
    #else
      "other"
    #endif
  }()

  /// The key in a file.
  var block: BlockFile.Key { BlockFile.Key(layout, content) }

  /// A step that decides the elements, and the numbers that it depends on.
  mutating func add(_ name: StaticString, _ sizes: [Int]) {
    layout = name.withUTF8Buffer { XXH64.hash(UnsafeRawBufferPointer($0), seed: layout) }
    layout = sizes.map { UInt64(truncatingIfNeeded: $0).littleEndian }.withUnsafeBytes { XXH64.hash($0, seed: layout) }
  }

  /// The elements of a row-major tensor and their type; of deferred ones what they are made of.
  mutating func add<Scalar>(_ tensor: Tensor<Scalar>) {
    add(Scalar.dataType)
    withExtendedLifetime(tensor.storage) {
      if let deferred = tensor.storage.deferred {
        deferred.source.identify(&self)
      } else {
        add(UnsafeRawBufferPointer(UnsafeBufferPointer(start: tensor.pointer, count: tensor.count)))
      }
    }
  }

  mutating func add(_ type: DataType) {
    layout = Array(type.rawValue.utf8).withUnsafeBytes { XXH64.hash($0, seed: layout) }
  }

  mutating func add(_ bytes: UnsafeRawBufferPointer) { content = XXH64.hash(bytes, seed: content) }
}
