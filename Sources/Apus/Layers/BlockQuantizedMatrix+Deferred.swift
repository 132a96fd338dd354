extension BlockQuantizedMatrix {
  /// The same matrix, of whose elements `weight` knows how they are made; nil where they are made otherwise, or where its
  /// blocks are not such as a layer keeps.
  ///
  /// One scale for all inputs of an output is one of a block that holds all of them.
  init?(_ weight: LinearWeight<Scalar>) throws {
    guard let elements = weight.tensor.deferredSource as? BlockQuantizedElements<Scalar>,
      let (inputs, outputs) = weight.sizes, inputs > 0, outputs > 0
    else { return nil }
    let isOutputsFirst = weight.isOutputsFirst
    let block = elements.blockShape
    let size =
      isOutputsFirst ? (outputs: block.rows, inputs: block.columns) : (outputs: block.columns, inputs: block.rows)
    var blockSize = size.inputs
    if blockSize >= inputs {
      blockSize = 16
      while blockSize < inputs { blockSize *= 2 }
    }
    guard Self.isSupported(bits: 8, blockSize: blockSize) else { return nil }
    let places = try Tensor((0..<outputs).map { Int64($0 / size.outputs) })
    func perOutput<Element: TensorScalar>(_ values: Tensor<Element>) throws -> Tensor<Element> {
      let values = try isOutputsFirst ? values : values.transposed(0, 1)
      return try size.outputs == 1 ? values : values.indexSelect(axis: 0, places)
    }
    let blocks = try BlockCodes(
      elements.codes, signBit: elements.signBit, zeroPoints: elements.zeroPoints, groups: elements.scales.shape)
    try self.init(
      codes: blocks.packed(inputs: inputs, outputs: outputs, isOutputsFirst: isOutputsFirst, blockSize: blockSize),
      bits: blocks.bits, blockSize: blockSize, scales: perOutput(elements.scales),
      zeroPoints: blocks.zeroPoints.map { try perOutput($0) }, inputs: inputs)
  }
}

/// Codes of a matrix in as few bits as hold all of them: a file may keep four bits in bytes.
private struct BlockCodes {
  let bits: Int
  /// `[groups of rows, groups of columns]`; nil where all are the middle.
  let zeroPoints: Tensor<UInt8>?
  private let codes: Tensor<UInt8>
  private let signBit: UInt8
  /// What is taken away from all codes and zero points.
  private let least: UInt8

  /// - Parameter groups: of rows and of columns.
  init(_ codes: Tensor<UInt8>, signBit: UInt8, zeroPoints: Tensor<UInt8>?, groups: [Int]) throws {
    (self.codes, self.signBit) = (codes, signBit)
    let points = try zeroPoints?.elements ?? [signBit]
    // Signed bytes that four bits would hold lie around the middle of all bytes.
    let (low, high) = Self.bounds(codes, signBit)
    let first: UInt8 = signBit == 128 ? 120 : 0
    let isNarrow = low >= first && high <= first + 15 && points.allSatisfy { $0 >= first }
    bits = isNarrow ? 4 : 8
    least = isNarrow ? first : 0
    let (taken, middle): (UInt8, UInt8) = (least, isNarrow ? 8 : 128)
    if points.allSatisfy({ $0 - taken == middle }) {
      self.zeroPoints = nil
    } else if zeroPoints != nil {
      self.zeroPoints = try Tensor(points.map { $0 - taken }, shape: groups)
    } else {
      self.zeroPoints = try Tensor(repeating: points[0] - taken, shape: groups)
    }
  }

  private static func bounds(_ codes: Tensor<UInt8>, _ signBit: UInt8) -> (UInt8, UInt8) {
    withExtendedLifetime(codes.storage) {
      var (low, high): (UInt8, UInt8) = (.max, .min)
      for code in UnsafeBufferPointer(start: codes.pointer, count: codes.count) {
        low = min(low, code ^ signBit)
        high = max(high, code ^ signBit)
      }
      return (low, high)
    }
  }

  /// The codes as ``BlockQuantizedMatrix`` has them.
  func packed(inputs: Int, outputs: Int, isOutputsFirst: Bool, blockSize: Int) throws -> Tensor<UInt8> {
    let blocks = (inputs + blockSize - 1) / blockSize
    let width = blocks * blockSize * bits / 8
    let (inputStep, outputStep) = isOutputsFirst ? (1, inputs) : (outputs, 1)
    let source = Unchecked(codes.pointer)
    let (bits, signBit, least) = (bits, signBit, least)
    // Columns that lie side by side, so that a line of the cache is read once.
    let outputsPerTask = 64
    let packed = try Tensor<UInt8>.filled([outputs, width]) { bytes in
      let bytes = Unchecked(bytes)
      parallel((outputs + outputsPerTask - 1) / outputsPerTask) { task in
        let first = task * outputsPerTask
        let last = min(outputs, first + outputsPerTask)
        (bytes.value + first * width).initialize(repeating: 0, count: (last - first) * width)
        for input in 0..<inputs {
          let (byte, shift) = (input * bits / 8, UInt8(input * bits % 8))
          for output in first..<last {
            let code = source.value[input * inputStep + output * outputStep] ^ signBit
            bytes.value[output * width + byte] |= (code - least) << shift
          }
        }
      }
    }
    codes.storage.discardFilePages()
    return packed
  }
}
