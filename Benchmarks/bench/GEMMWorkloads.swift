import Apus

/// Matrix products: as Apus computes them, with its Swift kernels, and as a bare call of the BLAS library.
func gemmWorkloads() -> [Workload] {
  MatrixProduct.shapes.flatMap { [$0.workload, $0.swiftWorkload, $0.libraryWorkload] }
}

/// `[m, n] = [m, k] · [k, n]`, or with the right operand stored as `[n, k]`, as a linear layer's weights are.
private struct MatrixProduct {
  let m, n, k: Int
  var isTransposed = false

  static let shapes = [
    // MobileBERT: projections, feed-forward, vocabulary.
    MatrixProduct(m: 32, n: 128, k: 512, isTransposed: true),
    MatrixProduct(m: 32, n: 512, k: 128, isTransposed: true),
    MatrixProduct(m: 32, n: 512, k: 384, isTransposed: true),
    MatrixProduct(m: 32, n: 30522, k: 128),
    // Attention: scores and values of one head.
    MatrixProduct(m: 32, n: 32, k: 32, isTransposed: true),
    // Square.
    MatrixProduct(m: 128, n: 128, k: 128),
    MatrixProduct(m: 512, n: 512, k: 512),
    MatrixProduct(m: 1024, n: 1024, k: 1024),
    // A 3×3 convolution of 64 channels, unfolded.
    MatrixProduct(m: 64, n: 1600, k: 576),
    MatrixProduct(m: 256, n: 400, k: 2304),
    // The behaviour classifier's bottleneck, one window and 64.
    MatrixProduct(m: 1, n: 32, k: 6400, isTransposed: true),
    MatrixProduct(m: 64, n: 32, k: 6400, isTransposed: true),
    // A recurrent step.
    MatrixProduct(m: 1, n: 1024, k: 256, isTransposed: true),
  ]

  private var label: String { "\(m)x\(n)x\(k)\(isTransposed ? "-bt" : "")" }
  private var shape: String { "[\(m), \(k)] · [\(k), \(n)]\(isTransposed ? ", stored [\(n), \(k)]" : "")" }
  private var cost: Workload.Cost { .operations(2 * Double(m) * Double(n) * Double(k)) }
  private var left: Operand { Operand([m, k], seed: 1) }
  private var right: Operand { Operand(weights: isTransposed ? [n, k] : [k, n], seed: 2, terms: k) }

  var workload: Workload {
    let node = Twin.Node(
      op: isTransposed ? "Gemm" : "MatMul", parameters: [right], integers: isTransposed ? ["transB": [1]] : [:])
    return Workload(
      name: "gemm/\(label)", shape: shape, cost: cost, twin: Twin(input: left, nodes: [node]), prepare: product)
  }

  var swiftWorkload: Workload {
    Workload(name: "gemm-swift/\(label)", shape: shape, cost: cost, twin: nil) {
      let body = try product()
      return { try Execution.with(usesBLAS: false) { try body() } }
    }
  }

  var libraryWorkload: Workload {
    Workload(name: "gemm-blas/\(label)", shape: shape, cost: cost, twin: nil) {
      guard let library = BLASLibrary.shared else { throw BenchmarkUnavailable("there is no BLAS library") }
      let (a, b) = (try left.tensor().elements, try right.tensor().elements)
      var c = try Tensor<Float>(zeros: [m, n])
      return {
        try c.withUnsafeMutableBufferPointer { c in
          a.withUnsafeBufferPointer { a in
            b.withUnsafeBufferPointer { b in
              library.multiply(m: m, n: n, k: k, a, b, transposingB: isTransposed, into: c)
            }
          }
        }
        return c
      }
    }
  }

  private func product() throws -> Workload.Body {
    let (a, b) = (try left.tensor(), try right.tensor())
    return { try matmul(a, b, transposingB: isTransposed) }
  }
}

/// A workload that cannot run here; the text says why. It is not in the table.
struct BenchmarkUnavailable: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
