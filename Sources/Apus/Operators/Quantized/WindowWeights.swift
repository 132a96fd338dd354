import ApusKernelInterface

/// The weights of groups of one channel: as they are, and laid out for kernels that spread bytes.
struct WindowWeights: Sendable {
  /// `[outputs, height, width]`, less the weights' zero points.
  let taps: [Int32]
  /// The kernels that laid them out: they alone can read what they did.
  let kernels: any QuantizedKernels.Type
  private let area: Int
  private let words: [Int32]
  /// Where the words of each output begin.
  private let starts: [Int]

  init(_ taps: [Int32], _ parameters: ConvolutionParameters) {
    let kernels = Execution.current.kernels.quantized
    (self.taps, self.kernels) = (taps, kernels)
    area = parameters.kernel.height * parameters.kernel.width
    var (words, starts): ([Int32], [Int]) = ([], [0])
    let shape = parameters.taps(kernels)
    var room = [Int32](repeating: 0, count: WindowTaps.maximumParts * shape.wordCount)
    for first in stride(from: 0, to: kernels.spreadsBytes ? taps.count : 0, by: area) {
      let parts = taps.withUnsafeBufferPointer { taps in
        room.withUnsafeMutableBufferPointer { room in
          guard let from = taps.baseAddress, let to = room.baseAddress else { return 0 }
          return kernels.packTaps(from + first, shape, to)
        }
      }
      words += room[..<(parts * shape.wordCount)]
      starts.append(words.count)
    }
    (self.words, self.starts) = (words, starts)
  }

  /// Calls `body` with the taps of an output.
  func withTaps(of output: Int, _ body: (UnsafePointer<Int32>) -> Void) {
    taps.withUnsafeBufferPointer { taps in
      guard let base = taps.baseAddress else { return }
      body(base + output * area)
    }
  }

  /// Calls `body` with the words of all outputs, and with where those of each begin and those of the last end.
  func withWords(_ body: (_ words: UnsafePointer<Int32>, _ starts: UnsafePointer<Int>) -> Void) {
    words.withUnsafeBufferPointer { words in
      starts.withUnsafeBufferPointer { starts in
        guard let words = words.baseAddress, let starts = starts.baseAddress else { return }
        body(words, starts)
      }
    }
  }

  /// Calls `body` with the words of an output, and with how many times those of a kernel they are.
  func withWords(of output: Int, _ taps: WindowTaps, _ body: (_ words: UnsafePointer<Int32>, _ parts: Int) -> Void) {
    withWords { words, starts in
      body(words + starts[output], (starts[output + 1] - starts[output]) / taps.wordCount)
    }
  }
}

extension ConvolutionParameters {
  /// How kernels that spread bytes multiply windows of one channel.
  func taps(_ kernels: any QuantizedKernels.Type) -> WindowTaps {
    WindowTaps(
      tapsPerWord: kernels.tapsPerWord, kernelRows: kernel.height, kernelColumns: kernel.width,
      rowStride: stride.height, rowDilation: dilation.height)
  }
}
