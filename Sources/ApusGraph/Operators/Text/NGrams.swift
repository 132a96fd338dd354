import Apus

// How often runs of words or numbers occur.

extension Operators {
  static let ngrams: [OperatorDefinition] = [
    OperatorDefinition("TfIdfVectorizer", .plain(.ngramCounts), TfIdfVectorizer)
  ]

  /// For each n-gram of a pool how often it occurs in each row; its words may be up to `max_skip_count` words apart;
  /// in mode `IDF` whether it occurs; in modes `IDF` and `TFIDF` times its weight. `[columns]` for a row,
  /// `[rows, columns]` for a matrix.
  static func TfIdfVectorizer(_ node: NodeDescription) throws -> PreparedOperator {
    let pool = try NGramPool(node)
    let mode = try node.string("mode", default: "")
    guard ["TF", "IDF", "TFIDF"].contains(mode) else {
      throw OperatorError("mode '\(mode)' is not known; it is TF, IDF or TFIDF")
    }
    let columns = try node.ints("ngram_indexes", default: [])
    guard columns.count == pool.count, columns.allSatisfy({ $0 >= 0 }) else {
      throw OperatorError(
        "ngram_indexes has \(columns.count) entries, some perhaps negative; the pool has \(pool.count)")
    }
    let weights = try node.optionalFloats("weights") ?? [Float](repeating: 1, count: pool.count)
    guard weights.count == pool.count else {
      throw OperatorError("\(weights.count) weights are given for \(pool.count) n-grams")
    }
    let width = (columns.max() ?? -1).addingReportingOverflow(1)
    guard !width.overflow else { throw OperatorError("ngram_indexes are too large") }
    return { arguments in
      let x = try arguments.value(0)
      let shape = try x.extents
      guard shape.count <= 2 else { throw OperatorError("input 0 has shape \(shape); [C] or [N, C] is needed") }
      let tokens = try pool.tokens(x)
      let length = shape.last ?? 1
      let rows = shape.count == 2 ? shape[0] : 1
      var result = try Tensor<Float>(zeros: shape.dropLast() + [width.partialValue])
      try result.withUnsafeMutableBufferPointer { result in
        try tokens.withUnsafeBufferPointer { tokens in
          // Rows without words count nothing, however many there are.
          for row in 0..<(length == 0 ? 0 : rows) {
            let words = UnsafeBufferPointer(rebasing: tokens[(row * length)..<((row + 1) * length)])
            let counts = try pool.counts(words) { try arguments.context.checkCancellation() }
            for (ngram, count) in counts {
              let value = mode == "TF" ? Float(count) : (mode == "IDF" ? 1 : Float(count)) * weights[ngram]
              result[row * width.partialValue + columns[ngram]] += value
            }
          }
        }
      }
      return [GraphValue(result)]
    }
  }
}

/// The n-grams that are counted, as a tree of words.
private struct NGramPool {
  private struct Edge: Hashable {
    let node: Int
    let token: Int
  }

  /// The number of n-grams, those of lengths that are not asked for included.
  private(set) var count = 0
  private let lengths: ClosedRange<Int>
  private let mostSkips: Int
  private var children: [Edge: Int] = [:]
  /// The n-gram that ends at a node.
  private var ngramAtNode: [Int: Int] = [:]
  /// The number of each word; nil where the words are numbers themselves.
  private let numberOfWord: [UTF8Key: Int]?

  init(_ node: NodeDescription) throws {
    let (shortest, longest) = try (node.int("min_gram_length"), node.int("max_gram_length"))
    mostSkips = try node.int("max_skip_count")
    guard shortest >= 1, shortest <= longest, mostSkips >= 0 else {
      throw OperatorError("n-grams of \(shortest) to \(longest) words with up to \(mostSkips) skipped are asked for")
    }
    lengths = shortest...longest
    let words: [Int]
    if let texts = try node.optionalStrings("pool_strings"), !texts.isEmpty {
      // A word's number is the first place at which it stands.
      let numbers = Dictionary(texts.enumerated().map { (UTF8Key($1), $0) }, uniquingKeysWith: { first, _ in first })
      words = texts.map { numbers[UTF8Key($0)] ?? 0 }
      numberOfWord = numbers
    } else {
      words = try node.ints("pool_int64s", default: [])
      numberOfWord = nil
    }
    let starts = try node.ints("ngram_counts", default: [])
    for (index, start) in starts.enumerated() {
      let end = index + 1 < starts.count ? starts[index + 1] : words.count
      let length = index + 1
      guard start >= 0, start <= end, end <= words.count, (end - start).isMultiple(of: length) else {
        throw OperatorError("ngram_counts \(starts) do not cut a pool of \(words.count) into n-grams")
      }
      for first in stride(from: start, to: end, by: length) {
        if lengths.contains(length) { add(words[first..<(first + length)]) }
        count += 1
      }
    }
  }

  private mutating func add(_ words: ArraySlice<Int>) {
    var node = 0
    for word in words {
      let next = children.count + 1
      let child = children[Edge(node: node, token: word), default: next]
      children[Edge(node: node, token: word)] = child
      node = child
    }
    ngramAtNode[node] = count
  }

  /// The words of a tensor as numbers; words that no n-gram has are -1.
  func tokens(_ x: GraphValue) throws -> Tensor<Int64> {
    if let numberOfWord {
      guard case .strings(let texts) = x else { throw OperatorError("input 0 is \(x.type); strings are needed") }
      return try Tensor(texts.elements.lazy.map { Int64(numberOfWord[UTF8Key($0)] ?? -1) }, shape: texts.shape)
    }
    guard case .tensor(let tensor) = x, !tensor.dataType.isFloatingPoint, tensor.dataType != .bool else {
      throw OperatorError("input 0 is \(x.type); integers are needed")
    }
    return try tensor.converted(to: Int64.self)
  }

  /// How often each n-gram occurs in a row.
  /// - Parameter check: called now and then; what it throws ends the search.
  func counts(_ words: UnsafeBufferPointer<Int64>, check: () throws -> Void) throws -> [Int: Int] {
    var counts: [Int: Int] = [:]
    // With as many words skipped as there are, only single ones are left.
    for distance in 1...max(1, min(mostSkips, words.count) + 1) {
      try check()
      for start in words.indices {
        var (node, place, length) = (0, start, 1)
        while place < words.count, let child = children[Edge(node: node, token: Int(words[place]))] {
          node = child
          // Single words are the same whatever is skipped, and count once.
          if let ngram = ngramAtNode[node], length > 1 || distance == 1 { counts[ngram, default: 0] += 1 }
          place += distance
          length += 1
        }
      }
    }
    return counts
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let ngramCounts = ShapeRule.rule { facts in
    let shape = try facts.shape(0)
    let last = try facts.node.ints("ngram_indexes", default: []).max() ?? -1
    return [InferredType(.float, shape.dropLast() + [try Extent.sum([last, 1])])]
  }
}
