import Apus
import ApusGraph

// The largest and the mean of windows.

extension ProgramBuilder {
  static let pooling: [String: Lowering] = {
    var result: [String: Lowering] = [:]
    for count in 1...3 {
      result["avg_pool\(count)d"] = { call in try [average(call, count)] }
      result["max_pool\(count)d"] = { call in try [maximum(call, count, withIndices: false)[0]] }
      result["max_pool\(count)d_with_indices"] = { call in
        try maximum(call, count, withIndices: true).map { $0 }
      }
      result["adaptive_avg_pool\(count)d"] = { call in try [adaptive(call, count, isLargest: false)] }
      result["_adaptive_avg_pool\(count)d"] = result["adaptive_avg_pool\(count)d"]
      result["adaptive_max_pool\(count)d"] = { call in [try adaptive(call, count, isLargest: true), nil] }
    }
    return result
  }()

  /// The picture as a batch, pooled, and as it came.
  private static func batched(
    _ call: Call, _ count: Int, _ body: (Emitter, Graph.ValueID) throws -> [Graph.ValueID]
  ) throws -> [Graph.ValueID] {
    let e = call.emitter
    let x = try call.x
    guard try e.rank(x) == count + 1 else { return try body(e, x) }
    return try body(e, e.unsqueeze(x, [0])).map { try e.squeeze($0, [0]) }
  }

  private static func window(_ call: Call, _ count: Int) throws -> Window {
    let kernel = try call.ints("kernel_size", count: count, default: 1)
    let hasStride = try call.optionalInts("stride")?.isEmpty == false
    let window = Window(
      kernel: kernel, stride: hasStride ? try call.ints("stride", count: count, default: 1) : kernel,
      padding: try call.ints("padding", count: count, default: 0),
      dilation: try call.ints("dilation", count: count, default: 1))
    try window.check()
    return window
  }

  private static func attributes(_ call: Call, _ window: Window) throws -> [String: AttributeValue] {
    [
      "kernel_shape": .list(window.kernel), "strides": .list(window.stride),
      "pads": .list(window.padding + window.padding), "ceil_mode": .flag(try call.bool("ceil_mode")),
    ]
  }

  private static func average(_ call: Call, _ count: Int) throws -> Graph.ValueID {
    try batched(call, count) { e, x in
      let window = try window(call, count)
      var attributes = try attributes(call, window)
      let divisor = try call.optionalInt("divisor_override")
      attributes["count_include_pad"] = .flag(try divisor != nil || call.bool("count_include_pad", default: true))
      guard let divisor else { return [try e.node("AveragePool", [x], attributes)] }
      guard try !call.bool("ceil_mode"), divisor != 0 else {
        throw OperatorError("divisor_override \(divisor) together with ceil_mode is not supported")
      }
      let mean = try e.node("AveragePool", [x], attributes)
      let factor = Double(window.kernel.reduce(1, *)) / Double(divisor)
      return [try e.node("Mul", [mean, e.numbers(factor, as: call.outputType)])]
    }[0]
  }

  private static func maximum(_ call: Call, _ count: Int, withIndices: Bool) throws -> [Graph.ValueID] {
    try batched(call, count) { e, x in
      let window = try window(call, count)
      var attributes = try attributes(call, window)
      attributes["dilations"] = .list(window.dilation)
      guard withIndices else { return [try e.node("MaxPool", [x], attributes)] }
      let results = try e.nodes("MaxPool", [x], outputs: 2, attributes)
      // The standard counts through batch and channels too.
      var plane = GraphExtent.known(1)
      for axis in 2..<(count + 2) { plane = try e.product(plane, e.extent(x, axis)) }
      return [results[0], try e.node("Mod", [results[1], e.list([plane])])]
    }
  }

  /// The mean or the largest of as many parts as are asked for, which overlap where they do not divide the whole.
  private static func adaptive(_ call: Call, _ count: Int, isLargest: Bool) throws -> Graph.ValueID {
    try batched(call, count) { e, x in
      let wanted = Array(try call.outputShape.suffix(count))
      let sizes = Array(try e.shape(x).suffix(count))
      if wanted.allSatisfy({ $0 == 1 }) {
        return [try e.node(isLargest ? "GlobalMaxPool" : "GlobalAveragePool", [x])]
      }
      let known = zip(sizes, wanted).compactMap { size, parts in size.flatMap { size in parts.map { (size, $0) } } }
      guard known.count == count, known.allSatisfy({ $0.0 > 0 && $0.1 > 0 && max($0.0, $0.1) <= 1 << 16 }) else {
        throw OperatorError(
          "the sizes \(sizes.map { $0.map(String.init) ?? "?" }) must be known before the program runs")
      }
      if known.allSatisfy({ $0.0 % $0.1 == 0 }) {
        let kernel = known.map { $0.0 / $0.1 }
        return [
          try e.node(
            isLargest ? "MaxPool" : "AveragePool", [x], ["kernel_shape": .list(kernel), "strides": .list(kernel)])
        ]
      }
      // One axis after the other, part by part.
      var result = x
      for (index, (size, parts)) in known.enumerated() where size != parts {
        let axis = index + 2
        let pieces = try (0..<parts).map { part -> Graph.ValueID in
          let (start, end) = (part * size / parts, ((part + 1) * size + parts - 1) / parts)
          let piece = try e.slice(result, from: [start], to: [end], axes: [axis])
          return try e.node(isLargest ? "ReduceMax" : "ReduceMean", [piece, e.integers([axis])])
        }
        result = try e.node("Concat", pieces, ["axis": .int(axis)])
      }
      return [result]
    }[0]
  }
}
