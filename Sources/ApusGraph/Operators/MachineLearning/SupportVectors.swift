import Apus
import ApusPlatform

// Support vector machines of `ai.onnx.ml`.

extension Operators {
  static let supportVectors: [OperatorDefinition] = [
    OperatorDefinition(ml: "SVMClassifier", .plain(.svmClassifier), SVMClassifier),
    OperatorDefinition(ml: "SVMRegressor", .plain(.svmRegressor), SVMRegressor),
  ]

  /// Σ coefficient · kernel(x, support vector) + rho for each row, `[N, 1]`, FLOAT; its sign where `one_class` is set.
  /// Without support vectors the coefficients are those of a linear model.
  static func SVMRegressor(_ node: NodeDescription) throws -> PreparedOperator {
    let count = try node.int("n_supports", default: 0)
    let kernel = try Kernel(node, vectors: count)
    let coefficients = try node.optionalFloats("coefficients")?.map { Double($0) } ?? []
    let rho = try node.optionalFloats("rho")?.first.map { Double($0) } ?? 0
    let isOneClass = try node.flag("one_class")
    let transform = try ScoreTransform(node)
    guard count <= 0 || coefficients.count == count else {
      throw OperatorError("\(coefficients.count) coefficients are given for \(count) support vectors")
    }
    let layer = count > 0 ? nil : try Linear(weight: Tensor(coefficients, shape: [1, coefficients.count]))
    return { arguments in
      let (x, rows, width) = try arguments.rows(0)
      var scores: Scores
      if let layer {
        guard width == layer.inputs else {
          throw OperatorError("\(layer.inputs) coefficients are given for \(width) features")
        }
        scores = Scores(try layer(x.reshaped([rows, width])))
      } else {
        scores = Scores(
          try kernel.scores(of: x, rows, width, count: 1) { near, scores in scores[0] = dot(near, coefficients) })
      }
      try scores.forEachRow { scores in
        let score = scores[0] + rho
        scores[0] = isOneClass ? (score > 0 ? 1 : -1) : score
        transform.apply(to: scores)
      }
      return [try scores.value()]
    }
  }

  /// The label of the class that wins, `[N]`, and scores, FLOAT: of classes, `[N, classes]`, where there are
  /// probabilities (`prob_a`, `prob_b`) or no support vectors; otherwise of each pair of classes; of two classes both.
  static func SVMClassifier(_ node: NodeDescription) throws -> PreparedOperator {
    let machine = try VectorClassifier(node)
    let transform = try ScoreTransform(node)
    return { arguments in
      let (x, rows, width) = try arguments.rows(0)
      var (classes, scores) = try machine.classify(x, rows, width)
      if scores.width == 1 { scores = try scores.withOpposites() }
      try scores.forEachRow { scores in transform.apply(to: scores) }
      return try [machine.labels.values(classes), scores.value()]
    }
  }
}

/// Both as long as the second.
private func dot(_ a: UnsafePointer<Double>, _ b: [Double]) -> Double {
  var sum = 0.0
  for index in b.indices { sum += a[index] * b[index] }
  return sum
}

/// How near a row is to each support vector.
private struct Kernel: Sendable {
  private let count: Int
  private let width: Int
  /// Eight vectors side by side, feature by feature; zeros where there are fewer.
  private let vectors: [SIMD8<Double>]
  private let type: String
  private let gamma: Double
  private let offset: Double
  private let degree: Double

  init(_ node: NodeDescription, vectors count: Int) throws {
    type = try node.string("kernel_type", default: "LINEAR")
    let parameters = try node.optionalFloats("kernel_params") ?? []
    guard ["LINEAR", "POLY", "RBF", "SIGMOID"].contains(type) else {
      throw OperatorError("kernel_type '\(type)' is not known; it is LINEAR, POLY, RBF or SIGMOID")
    }
    guard parameters.isEmpty || parameters.count == 3 else {
      throw OperatorError("kernel_params has \(parameters.count) entries; gamma, coef0 and degree are needed")
    }
    (gamma, offset, degree) =
      parameters.isEmpty
      ? (0, 0, 0) : (Double(parameters[0]), Double(parameters[1]), Double(parameters[2]))
    let elements = try node.optionalFloats("support_vectors")?.map { Double($0) } ?? []
    guard count > 0 else {
      (self.count, width, vectors) = (0, 0, [])
      return
    }
    guard count <= max(elements.count, 1), elements.count.isMultiple(of: count) else {
      throw OperatorError("support_vectors has \(elements.count) elements for \(count) vectors")
    }
    let width = elements.count / count
    var vectors = [SIMD8<Double>](repeating: .zero, count: (count + 7) / 8 * width)
    for vector in 0..<count {
      for feature in 0..<width {
        vectors[vector / 8 * width + feature][vector % 8] = elements[vector * width + feature]
      }
    }
    (self.count, self.width, self.vectors) = (count, width, vectors)
  }

  /// What `body` makes of how near each row is to the vectors, `[rows, count]`.
  func scores(
    of x: Tensor<Double>, _ rows: Int, _ width: Int, count: Int,
    _ body: @Sendable (_ near: UnsafePointer<Double>, _ scores: UnsafeMutablePointer<Double>) -> Void
  ) throws -> Tensor<Double> {
    guard width == self.width || rows == 0 else {
      throw OperatorError("support vectors of \(self.width) features do not fit rows of \(width)")
    }
    var scores = try Tensor<Double>(zeros: [rows, count])
    try x.withUnsafeBufferPointer { x in
      try scores.withUnsafeMutableBufferPointer { scores in
        guard let y = scores.baseAddress else { return }
        nonisolated(unsafe) let (rowsOfX, scores) = (x, y)
        parallelRanges(rows, grain: max(1, 16_384 / max(1, vectors.count))) { first, number in
          withUnsafeTemporaryAllocation(of: Double.self, capacity: (self.count + 7) / 8 * 8) { near in
            guard let near = near.baseAddress else { return }
            for row in first..<(first + number) {
              measure(UnsafeBufferPointer(rebasing: rowsOfX[(row * width)..<((row + 1) * width)]), into: near)
              body(near, scores + row * count)
            }
          }
        }
      }
    }
    return scores
  }

  /// - Parameter near: room for whole groups of eight.
  private func measure(_ x: UnsafeBufferPointer<Double>, into near: UnsafeMutablePointer<Double>) {
    let isDistance = type == "RBF"
    vectors.withUnsafeBufferPointer { vectors in
      for group in 0..<(count + 7) / 8 {
        var sum = SIMD8<Double>.zero
        for feature in x.indices {
          let vector = vectors[group * width + feature]
          if isDistance {
            let difference = SIMD8(repeating: x[feature]) - vector
            sum += difference * difference
          } else {
            sum += SIMD8(repeating: x[feature]) * vector
          }
        }
        for lane in 0..<8 { near[group * 8 + lane] = sum[lane] }
      }
    }
    switch type {
    case "POLY": for index in 0..<count { near[index] = pow(gamma * near[index] + offset, degree) }
    case "SIGMOID": for index in 0..<count { near[index] = tanh(gamma * near[index] + offset) }
    case "RBF": for index in 0..<count { near[index] = exp(-gamma * near[index]) }
    default: break
    }
  }
}

/// A machine for each pair of classes; or, without support vectors, a linear model for each class.
private struct VectorClassifier: Sendable {
  let labels: ClassLabels
  private let classes: Int
  private let kernel: Kernel
  /// Where the support vectors of each class stand.
  private let ranges: [Range<Int>]
  private let vectorCount: Int
  private let coefficients: [Double]
  private let rho: [Double]
  /// The linear models that there are without support vectors.
  private let layer: Linear<Double>?
  private let probabilities: (a: [Double], b: [Double])?

  init(_ node: NodeDescription) throws {
    func numbers(_ name: String) throws -> [Double] { try node.optionalFloats(name)?.map { Double($0) } ?? [] }
    labels = try ClassLabels(node, numbers: "classlabels_ints", texts: "classlabels_strings")
    let counts = try node.ints("vectors_per_class", default: [])
    coefficients = try numbers("coefficients")
    rho = try numbers("rho")
    var (ranges, start) = ([Range<Int>](), 0)
    for count in counts {
      guard count >= 0, count <= coefficients.count - start else {
        throw OperatorError("vectors_per_class \(counts) do not fit \(coefficients.count) coefficients")
      }
      ranges.append(start..<(start + count))
      start += count
    }
    self.ranges = ranges
    vectorCount = start
    classes = start > 0 ? counts.count : max(labels.count, 1)
    kernel = try Kernel(node, vectors: start)
    let pairs = classes * (classes - 1) / 2
    let (a, b) = try (numbers("prob_a"), numbers("prob_b"))
    probabilities = a.isEmpty || start == 0 ? nil : (a, b)
    let isComplete =
      start > 0
      ? coefficients.count >= (classes - 1) * start && rho.count >= pairs : coefficients.count.isMultiple(of: classes)
    guard isComplete, a.isEmpty || (a.count >= pairs && b.count >= pairs) else {
      throw OperatorError("\(coefficients.count) coefficients and \(rho.count) rhos do not fit \(classes) classes")
    }
    layer =
      start > 0 ? nil : try Linear(weight: Tensor(coefficients, shape: [classes, coefficients.count / classes]))
  }

  /// The scores of a row.
  var width: Int {
    if vectorCount == 0 || probabilities != nil { return classes == 1 ? 2 : classes }
    return classes == 2 ? 2 : classes * (classes - 1) / 2
  }

  /// The class of each row, and its scores.
  func classify(_ x: Tensor<Double>, _ rows: Int, _ width: Int) throws -> (classes: [Int], scores: Scores) {
    var classes: [Int] = []
    if let layer {
      guard rows == 0 || width == layer.inputs else {
        throw OperatorError("\(layer.inputs) coefficients are given for \(width) features")
      }
      var scores = Scores(try layer(x.reshaped([rows, width])))
      try scores.forEachRow { scores in
        for index in scores.indices { scores[index] += rho.first ?? 0 }
        classes.append(self.classes == 1 ? (scores[0] > 0 ? 1 : 0) : indexOfLargest(scores))
      }
      return (classes, scores)
    }
    let pairs = self.classes * (self.classes - 1) / 2
    var scores = Scores(try kernel.scores(of: x, rows, width, count: pairs, compare))
    var likely: [Double] = []
    try scores.forEachRow { scores in
      // The label is that of most votes, also where the probabilities prefer another.
      classes.append(winner(scores))
      guard let (a, b) = probabilities else { return }
      let pairwise = scores.indices.map {
        min(max(1 - ScoreTransform.logistic(a[$0] * scores[$0] + b[$0]), 1e-7), 1 - 1e-7)
      }
      likely += coupledProbabilities(pairwise, self.classes)
    }
    if probabilities != nil { scores = Scores(try Tensor(likely, shape: [rows, self.classes])) }
    return (classes, scores)
  }

  /// The score of each class against each later one.
  @Sendable private func compare(_ near: UnsafePointer<Double>, _ scores: UnsafeMutablePointer<Double>) {
    func part(_ row: Int, _ range: Range<Int>) -> Double {
      var sum = 0.0
      for index in range { sum += coefficients[row * vectorCount + index] * near[index] }
      return sum
    }
    var pair = 0
    for i in 0..<classes {
      for j in (i + 1)..<max(classes, i + 1) {
        scores[pair] = rho[pair] + part(j - 1, ranges[i]) + part(i, ranges[j])
        pair += 1
      }
    }
  }

  /// The class that wins most comparisons, the first of several.
  private func winner(_ scores: UnsafeMutableBufferPointer<Double>) -> Int {
    var votes = [Int](repeating: 0, count: classes)
    var pair = 0
    for i in 0..<classes {
      for j in (i + 1)..<max(classes, i + 1) {
        votes[scores[pair] > 0 ? i : j] += 1
        pair += 1
      }
    }
    return votes.indices.max { votes[$0] < votes[$1] } ?? 0
  }
}

/// The probabilities of classes that fit best to those of each against each other (Wu, Lin and Weng, 2004).
///
/// - Parameter pairwise: for each pair i < j how likely i is when it is one of the two.
private func coupledProbabilities(_ pairwise: [Double], _ classes: Int) -> [Double] {
  var r = [[Double]](repeating: [Double](repeating: 0, count: classes), count: classes)
  var pair = 0
  for i in 0..<classes {
    for j in (i + 1)..<max(classes, i + 1) {
      (r[i][j], r[j][i]) = (pairwise[pair], 1 - pairwise[pair])
      pair += 1
    }
  }
  // The quadratic form whose least value on all probabilities is wanted.
  var q = r
  for i in 0..<classes {
    for j in 0..<classes where i != j { q[i][j] = -r[j][i] * r[i][j] }
    q[i][i] = (0..<classes).reduce(0) { $1 == i ? $0 : $0 + r[$1][i] * r[$1][i] }
  }
  var p = [Double](repeating: 1 / Double(classes), count: classes)
  for _ in 0..<max(100, classes) {
    var qp = q.map { dot($0, p) }
    var value = dot(p, qp)
    if qp.allSatisfy({ abs($0 - value) < 0.005 / Double(classes) }) { break }
    for i in 0..<classes {
      let step = (value - qp[i]) / q[i][i]
      p[i] += step
      value = (value + step * (step * q[i][i] + 2 * qp[i])) / ((1 + step) * (1 + step))
      for j in 0..<classes {
        qp[j] = (qp[j] + step * q[i][j]) / (1 + step)
        p[j] /= 1 + step
      }
    }
  }
  return p
}

// MARK: - Shapes

extension ShapeRule {
  static let svmRegressor = ShapeRule.rule { [InferredType(.float, [try $0.rows(0), 1])] }

  static let svmClassifier = ShapeRule.rule { facts in
    let machine = try VectorClassifier(facts.node)
    return try classifier(facts, labels: machine.labels, scores: machine.width)
  }
}
