import Apus

/// Attention in whole steps, scores and probabilities as tensors of their own: where a graph asks for one of them,
/// changes them, or has the softmax computed in another type.
struct AttentionSteps<Scalar: FloatingPointScalar>: Sendable {
  /// What the output of scores shows, numbered as `qk_matmul_output_mode`.
  enum Stage: Int {
    case product, capped, masked, probabilities
  }

  var options = AttentionOptions<Scalar>()
  /// What the softmax is computed in; `Scalar` when nil.
  var precision: ElementType?
  var stage: Stage?
  /// The type of the tensors in the graph, to which probabilities are rounded.
  var type: ElementType

  /// - Returns: the result in the order of `query`, and `[batch, heads, queries, keys]` at ``stage``.
  func callAsFunction(
    query: AttentionHeads<Scalar>, key: AttentionHeads<Scalar>, value: AttentionHeads<Scalar>
  ) throws -> (output: Tensor<Scalar>, scores: Tensor<Scalar>?) {
    var scores = try self.scores(query: query, key: key)
    var shown = stage == .product ? scores : nil
    if let cap = options.softcap {
      scores = try activation(scores / cap, .tanh) * cap
      // The standard's own implementation shows the capped scores here, too.
      shown = stage == .product ? scores : shown
    }
    if stage == .capped { shown = scores }
    let bias = try self.bias(over: scores.shape)
    if let bias { scores = try scores + bias }
    if stage == .masked { shown = scores }

    var probabilities = try probabilities(scores)
    if let bias { try clearEmptyRows(&probabilities, bias: bias) }
    probabilities = try probabilities.rounded(to: type)
    if stage == .probabilities { shown = probabilities }
    return (try product(probabilities, value, like: query), shown)
  }

  /// `query · keyᵀ · scale`, `[batch, heads, queries, keys]`.
  func scores(query: AttentionHeads<Scalar>, key: AttentionHeads<Scalar>) throws -> Tensor<Scalar> {
    guard key.batch == query.batch, key.features == query.features, key.heads > 0,
      query.heads.isMultiple(of: key.heads)
    else {
      throw OperatorError(
        "queries of \(query.heads) heads of \(query.features) features and keys of \(key.heads) of \(key.features) do "
          + "not fit each other")
    }
    let group = query.heads / key.heads
    let grouped = try query.split.reshaped([query.batch, key.heads, group, query.time, query.features])
    let scale = options.scale ?? 1 / Scalar(max(1, query.features)).squareRoot()
    let product = try matmul(grouped, key.split.unsqueezed(2), transposingB: true)
    return try product.reshaped([query.batch, query.heads, query.time, key.time]) * scale
  }

  /// `probabilities · value`, in the order of `query`.
  func product(
    _ probabilities: Tensor<Scalar>, _ value: AttentionHeads<Scalar>, like query: AttentionHeads<Scalar>
  ) throws -> Tensor<Scalar> {
    let (batch, heads, time) = (query.batch, query.heads, query.time)
    guard value.batch == batch, value.heads > 0, heads.isMultiple(of: value.heads), probabilities.rank == 4,
      probabilities.shape[3] == value.time
    else {
      throw OperatorError("values \(value.tensor.shape) do not fit probabilities of shape \(probabilities.shape)")
    }
    let grouped = try probabilities.reshaped([batch, value.heads, heads / value.heads, time, value.time])
    let output = try matmul(grouped, value.split.unsqueezed(2)).reshaped([batch, heads, time, value.features])
    return query.isSplit ? output : try output.permuted([0, 2, 1, 3]).reshaped([batch, time, heads * value.features])
  }

  /// Softmax over the keys, in ``precision``.
  func probabilities(_ scores: Tensor<Scalar>) throws -> Tensor<Scalar> {
    switch precision {
    case .double?: try softmax(scores.converted(to: Double.self)).converted()
    case let precision? where precision != ElementType(Scalar.dataType) && precision != .float:
      try softmax(scores.rounded(to: precision)).rounded(to: precision)
    default: try softmax(scores)
    }
  }

  /// Masks and spans as one tensor to be added; nil where there are none.
  private func bias(over shape: [Int]) throws -> Tensor<Scalar>? {
    var sum: Tensor<Scalar>?
    let left = try Tensor<Scalar>([-Scalar.infinity], shape: [])
    func add(_ bias: Tensor<Scalar>) throws { sum = try sum.map { try $0 + bias } ?? bias }
    for mask in options.masks {
      switch mask {
      case .additive(let bias): try add(bias)
      case .attending(let truth): try add(Tensor(where: truth, then: Tensor([0], shape: []), else: left))
      case .ignoring(let truth): try add(Tensor(where: truth, then: left, else: Tensor([0], shape: [])))
      }
    }
    if !options.spans.isEmpty {
      let (queries, keys) = (shape[2], shape[3])
      var reach = try Tensor<Scalar>(repeating: -.infinity, shape: [options.spans.count, 1, queries, keys])
      let spans = options.spans
      try reach.withUnsafeMutableBufferPointer { elements in
        guard let base = elements.baseAddress, keys > 0 else { return }
        for (index, span) in spans.enumerated() {
          for query in 0..<queries {
            let range = span.keys(of: query, count: keys)
            (base + (index * queries + query) * keys + range.lowerBound).update(repeating: 0, count: range.count)
          }
        }
      }
      try add(reach)
    }
    guard let sum, sum.rank <= 4, try Shape.broadcast(sum.shape, shape, operation: "attention") == shape else {
      if let sum { throw OperatorError("a mask of shape \(sum.shape) does not fit scores of shape \(shape)") }
      return nil
    }
    return sum
  }

  /// Sets the probabilities of queries to zero that `bias` leaves no key for.
  private func clearEmptyRows(_ probabilities: inout Tensor<Scalar>, bias: Tensor<Scalar>) throws {
    guard probabilities.count > 0, bias.rank > 0 else { return }
    let greatest = try bias.amax(axes: [-1], keepDims: true)
    guard try greatest.elements.contains(-.infinity) else { return }
    let isEmpty = try greatest.eq(Tensor(repeating: -.infinity, shape: greatest.shape))
    probabilities = try probabilities.maskedFill(isEmpty, with: 0)
  }
}

extension NodeDescription {
  /// What a softmax is computed in; nil where the node leaves it open.
  func softmaxPrecision() throws -> ElementType? {
    guard let precision = try optionalElementType("softmax_precision") else { return nil }
    guard precision.dataType?.isFloatingPoint == true else {
      throw OperatorError("softmax_precision is \(precision), which softmax is not computed in")
    }
    return precision
  }
}
