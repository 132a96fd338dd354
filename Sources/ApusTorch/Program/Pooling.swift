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
      result["adaptive_avg_pool\(count)d"] = { call in try [adaptiveMean(call, count)] }
      result["_adaptive_avg_pool\(count)d"] = result["adaptive_avg_pool\(count)d"]
      result["adaptive_max_pool\(count)d"] = { call in try adaptiveMaximum(call, count).map { $0 } }
      if count > 1 { result["max_unpool\(count)d"] = { call in try [unpooled(call)] } }
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
      guard divisor != 0 else { throw OperatorError("divisor_override is 0") }
      let mean =
        try call.bool("ceil_mode")
        ? wholeWindows(call, x, window) : e.node("AveragePool", [x], attributes)
      let factor = window.kernel.reduce(1.0) { $0 * Double($1) } / Double(divisor)
      return [try e.node("Mul", [mean, e.numbers(factor, as: call.outputType)])]
    }[0]
  }

  /// The means of windows that lie within zeros, of which a last one that is cut needs more.
  private static func wholeWindows(_ call: Call, _ x: Graph.ValueID, _ window: Window) throws -> Graph.ValueID {
    let e = call.emitter
    let count = window.kernel.count
    let (wanted, sizes) = (try call.outputShape.suffix(count), try e.shape(call.x).suffix(count))
    guard wanted.count == count, sizes.count == count else {
      throw OperatorError("windows of \(count) axes over a map of \(sizes.count)")
    }
    let behind = try zip(wanted, sizes).enumerated().map { axis, lengths -> Int in
      guard let wanted = lengths.0, let size = lengths.1 else {
        throw OperatorError("the sizes of its argument must be known before the program runs")
      }
      let reach = (wanted - 1).multipliedClamped(by: window.stride[axis]).addingClamped(window.kernel[axis])
      return max(0, reach - size - window.padding[axis])
    }
    let padded = try e.node("Pad", [x, e.integers([0, 0] + window.padding + [0, 0] + behind)])
    return try e.node(
      "AveragePool", [padded], ["kernel_shape": .list(window.kernel), "strides": .list(window.stride)])
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

  /// How many parts each axis is cut into, which overlap where they do not divide it: sizes and parts.
  private static func parts(_ call: Call, _ x: Graph.ValueID, _ count: Int) throws -> [(size: Int, parts: Int)] {
    let wanted = Array(try call.outputShape.suffix(count))
    let sizes = Array(try call.emitter.shape(x).suffix(count))
    let known = zip(sizes, wanted).compactMap { size, parts in size.flatMap { size in parts.map { (size, $0) } } }
    guard known.count == count, known.allSatisfy({ $0.0 > 0 && $0.1 > 0 && max($0.0, $0.1) <= 1 << 16 }) else {
      throw OperatorError("the sizes \(sizes.map { $0.map(String.init) ?? "?" }) must be known before the program runs")
    }
    return known
  }

  /// Where part `index` begins and ends.
  fileprivate static func bounds(_ size: Int, _ parts: Int, _ index: Int) -> Range<Int> {
    (index * size / parts)..<(((index + 1) * size + parts - 1) / parts)
  }

  private static func adaptiveMean(_ call: Call, _ count: Int) throws -> Graph.ValueID {
    try batched(call, count) { e, x in
      let wanted = try call.outputShape.suffix(count)
      if wanted.allSatisfy({ $0 == 1 }) { return [try e.node("GlobalAveragePool", [x])] }
      if try e.shape(x).suffix(count).allSatisfy({ $0 != nil }) {
        let axes = try parts(call, x, count)
        if axes.allSatisfy({ $0.size % $0.parts == 0 }) {
          let kernel = axes.map { $0.size / $0.parts }
          return [try e.node("AveragePool", [x], ["kernel_shape": .list(kernel), "strides": .list(kernel)])]
        }
      }
      // One axis after the other, part by part.
      var result = x
      for (axis, parts) in zip(2..., wanted) {
        guard let parts, 1...1 << 16 ~= parts else {
          throw OperatorError("into how many parts axis \(axis) is cut must be known before the program runs")
        }
        let size = try e.extent(x, axis)
        if case .known(parts) = size { continue }
        let pieces = try (0..<parts).map { part in
          try e.node("ReduceMean", [e.part(part, of: parts, axis: axis, size: size, of: result), e.integers([axis])])
        }
        result = try e.node("Concat", pieces, ["axis": .int(axis)])
      }
      return [result]
    }[0]
  }

  /// The largest of each part, and where in its plane it was.
  private static func adaptiveMaximum(_ call: Call, _ count: Int) throws -> [Graph.ValueID] {
    try batched(call, count) { e, x in
      if try e.shape(x).suffix(count).contains(nil) { return try openMaximum(call, x, count) }
      let axes = try parts(call, x, count)
      // Where each part reads, all parts of an axis as long as its longest: the last place again says nothing new.
      let tables = axes.map { size, parts in
        let all = (0..<parts).map { Array(bounds(size, parts, $0)) }
        let length = all.map(\.count).max() ?? 0
        return all.map { $0 + [Int](repeating: $0.last ?? 0, count: length - $0.count) }
      }
      var windows = x
      for (index, table) in tables.enumerated() {
        windows = try e.node("Gather", [windows, e.places(table)], ["axis": .int(2 + 2 * index)])
      }
      // [batch, channels, parts…, places of a part]
      let order = [0, 1] + (0..<count).map { 2 + 2 * $0 } + (0..<count).map { 3 + 2 * $0 }
      let lengths = tables.map { $0.first?.count ?? 0 }
      let places = try Shape.elementCount(lengths, operation: "adaptive_max_pool")
      try Shape.checkMemory(axes.map(\.parts) + lengths, of: Int64.self, operation: "adaptive_max_pool")
      let shape = [0, 0] + axes.map(\.parts) + [places]
      let rows = try e.node("Reshape", [e.transpose(windows, order), e.integers(shape)])
      let values = try e.reduce("ReduceMax", rows, axes: [count + 2], keeps: false, as: call.outputType)
      let choice = try e.choice("ArgMax", rows, axis: count + 2, keeps: false)
      // The places of all parts in a row, and where the row of each begins.
      var planes = [0]
      for (index, table) in tables.enumerated() {
        planes = planes.flatMap { plane in table.indices.map { plane * axes[index].parts + $0 } }
      }
      var inPlane: [Int] = []
      for part in planes {
        var (rest, own) = (part, [Int](repeating: 0, count: count))
        for index in (0..<count).reversed() {
          (own[index], rest) = (rest % axes[index].parts, rest / axes[index].parts)
        }
        var found = [0]
        for index in 0..<count {
          found = found.flatMap { start in tables[index][own[index]].map { start * axes[index].size + $0 } }
        }
        inPlane += found
      }
      let starts = e.constant(
        GraphValue(try Tensor(planes.map { Int64($0 * places) }, shape: axes.map(\.parts))))
      return [
        values, try e.node("Gather", [e.integers(inPlane), e.node("Add", [choice, starts])], ["axis": .int(0)]),
      ]
    }
  }

  /// The same of a plane whose sizes the run says: along one axis after the other, from the last.
  private static func openMaximum(_ call: Call, _ x: Graph.ValueID, _ count: Int) throws -> [Graph.ValueID] {
    let e = call.emitter
    let wanted = Array(try call.outputShape.suffix(count))
    var (values, places): (Graph.ValueID, Graph.ValueID?) = (x, nil)
    // How far apart in the plane neighbours along the axis are.
    var stride = GraphExtent.known(1)
    for (index, parts) in wanted.enumerated().reversed() {
      guard let parts, 1...1 << 16 ~= parts else {
        throw OperatorError("into how many parts axis \(2 + index) is cut must be known before the program runs")
      }
      let axis = 2 + index
      let size = try e.extent(x, axis)
      var (largest, found): ([Graph.ValueID], [Graph.ValueID]) = ([], [])
      for part in 0..<parts {
        let own = try e.part(part, of: parts, axis: axis, size: size, of: values)
        let choice = try e.choice("ArgMax", own, axis: axis, keeps: true)
        largest.append(try e.reduce("ReduceMax", own, axes: [axis], keeps: true, as: call.outputType))
        let start = try e.node("Div", [e.node("Mul", [e.list([size]), e.integers([part])]), e.integers([parts])])
        let along = try e.node("Mul", [e.node("Add", [choice, start]), e.list([stride])])
        let across = try places.map { places in
          try e.node(
            "GatherElements", [e.part(part, of: parts, axis: axis, size: size, of: places), choice],
            ["axis": .int(axis)])
        }
        found.append(try across.map { try e.node("Add", [along, $0]) } ?? along)
      }
      values = try e.joined(largest, axis: axis, as: call.outputType)
      places = try e.joined(found, axis: axis, as: .int64)
      stride = try e.product(stride, size)
    }
    guard let places else { throw OperatorError("a plane without axes") }
    return [values, places]
  }

  /// Numbers put back where the largest ones were, zeros elsewhere.
  private static func unpooled(_ call: Call) throws -> Graph.ValueID {
    let e = call.emitter
    let (x, index) = (try call.x, try call.value("indices", as: .int64))
    let rank = try e.rank(x)
    let count = call.node.target.contains("2d") ? 2 : 3
    let wanted = try call.extents("output_size")
    guard rank == count + 1 || rank == count + 2, wanted.count == count else {
      throw OperatorError("a map of \(rank) axes to be \(wanted.count) axes large")
    }
    let kept = try (0..<(rank - count)).map { try e.extent(x, $0) }
    let plane = try wanted.reduce(.known(1)) { try e.product($0, $1) }
    let zeros = try e.expand(e.number(0, as: call.outputType), e.list(kept + [plane]))
    let rows = try e.integers([Int](repeating: 0, count: kept.count) + [-1])
    let scattered = try e.node(
      "ScatterElements", [zeros, e.node("Reshape", [index, rows]), e.node("Reshape", [x, rows])],
      ["axis": .int(kept.count)])
    return try e.reshape(scattered, kept + wanted)
  }
}

extension Emitter {
  /// One of the parts that an axis is cut into, which overlap where they do not divide it.
  fileprivate func part(
    _ index: Int, of parts: Int, axis: Int, size: GraphExtent, of x: Graph.ValueID
  ) throws -> Graph.ValueID {
    switch size {
    case .known(let size):
      let bounds = ProgramBuilder.bounds(size, parts, index)
      return try slice(x, from: [bounds.lowerBound], to: [bounds.upperBound], axes: [axis])
    case .value(let size):
      let (count, behind) = (try integers([parts]), try integers([parts - 1]))
      let start = try node("Div", [node("Mul", [size, integers([index])]), count])
      let end = try node("Div", [node("Add", [node("Mul", [size, integers([index + 1])]), behind]), count])
      return try node("Slice", [x, start, end, integers([axis])])
    }
  }
}
