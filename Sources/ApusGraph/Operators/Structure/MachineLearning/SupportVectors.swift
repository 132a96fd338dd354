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
    return { arguments in
      let scores = try rows(arguments).map { x -> [Double] in
        let sum = count > 0 ? dot(try kernel(x), coefficients[...]) : try linear(x, coefficients[...])
        let score = sum + rho
        return transform([isOneClass ? (score > 0 ? 1 : -1) : score])
      }
      return [try scoreTensor(scores, width: 1)]
    }
  }

  /// The label of the class that wins, `[N]`, and scores, FLOAT: of classes, `[N, classes]`, where there are
  /// probabilities (`prob_a`, `prob_b`) or no support vectors; otherwise of each pair of classes; of two classes both.
  static func SVMClassifier(_ node: NodeDescription) throws -> PreparedOperator {
    let machine = try VectorClassifier(node)
    let transform = try ScoreTransform(node)
    return { arguments in
      var best: [Int] = []
      let scores = try rows(arguments).map { x in
        let (winner, scores) = try machine.classify(x)
        best.append(winner)
        return transform(scores.count == 1 ? [-scores[0], scores[0]] : scores)
      }
      return try [machine.labels.values(best), scoreTensor(scores, width: scores.first?.count ?? machine.width)]
    }
  }

  private static func rows(_ arguments: Arguments) throws -> [[Double]] {
    let (x, rows, width) = try arguments.rows(0)
    let elements = try x.elements
    return (0..<rows).map { Array(elements[($0 * width)..<(($0 + 1) * width)]) }
  }
}

private func dot(_ a: [Double], _ b: ArraySlice<Double>) -> Double {
  zip(a, b).reduce(0) { $0 + $1.0 * $1.1 }
}

private func linear(_ x: [Double], _ coefficients: ArraySlice<Double>) throws -> Double {
  guard x.count == coefficients.count else {
    throw OperatorError("\(coefficients.count) coefficients are given for \(x.count) features")
  }
  return dot(x, coefficients)
}

/// How near a row is to each support vector.
private struct Kernel: Sendable {
  private let vectors: [[Double]]
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
      vectors = []
      return
    }
    guard count <= max(elements.count, 1), elements.count.isMultiple(of: count) else {
      throw OperatorError("support_vectors has \(elements.count) elements for \(count) vectors")
    }
    let width = elements.count / count
    vectors = (0..<count).map { Array(elements[($0 * width)..<(($0 + 1) * width)]) }
  }

  func callAsFunction(_ x: [Double]) throws -> [Double] {
    try vectors.map { vector in
      guard vector.count == x.count else {
        throw OperatorError("support vectors of \(vector.count) features do not fit rows of \(x.count)")
      }
      let product = dot(x, vector[...])
      switch type {
      case "POLY": return pow(gamma * product + offset, degree)
      case "SIGMOID": return tanh(gamma * product + offset)
      case "RBF": return exp(-gamma * zip(x, vector).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) })
      default: return product
      }
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
  }

  /// The scores of a row.
  var width: Int {
    if vectorCount == 0 || probabilities != nil { return classes == 1 ? 2 : classes }
    return classes == 2 ? 2 : classes * (classes - 1) / 2
  }

  func classify(_ x: [Double]) throws -> (winner: Int, scores: [Double]) {
    if vectorCount == 0 {
      let width = coefficients.count / classes
      let scores = try (0..<classes).map {
        try linear(x, coefficients[($0 * width)..<(($0 + 1) * width)]) + (rho.first ?? 0)
      }
      return (classes == 1 ? (scores[0] > 0 ? 1 : 0) : indexOfLargest(scores), scores)
    }
    let near = try kernel(x)
    var votes = [Double](repeating: 0, count: classes)
    var scores: [Double] = []
    for i in 0..<classes {
      for j in (i + 1)..<max(classes, i + 1) {
        func part(_ row: Int, _ range: Range<Int>) -> Double {
          range.reduce(0) { $0 + coefficients[row * vectorCount + $1] * near[$1] }
        }
        let score = rho[scores.count] + part(j - 1, ranges[i]) + part(i, ranges[j])
        votes[score > 0 ? i : j] += 1
        scores.append(score)
      }
    }
    // The label is that of most votes, also where the probabilities prefer another.
    guard let (a, b) = probabilities else { return (indexOfLargest(votes), scores) }
    let pairwise = scores.enumerated().map { min(max(1 - ScoreTransform.logistic(a[$0] * $1 + b[$0]), 1e-7), 1 - 1e-7) }
    let coupled = coupledProbabilities(pairwise, classes)
    return (indexOfLargest(votes), coupled)
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
    var qp = q.map { dot($0, p[...]) }
    var value = dot(p, qp[...])
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
