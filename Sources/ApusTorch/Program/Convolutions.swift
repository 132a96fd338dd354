import Apus
import ApusGraph

// Convolutions, and what cuts pictures into windows.

extension ProgramBuilder {
  static let convolutions: [String: Lowering] = {
    var result: [String: Lowering] = [:]
    for count in 1...3 {
      result["conv\(count)d"] = { call in try [convolution(call, isTransposed: false)] }
      result["conv_transpose\(count)d"] = { call in try [convolution(call, isTransposed: true)] }
    }
    result["convolution"] = { call in try [convolution(call, isTransposed: call.bool("transposed"))] }
    result["_convolution"] = result["convolution"]
    // Windows become columns: [batch, channels · window, places].
    result["im2col"] = { call in
      let e = call.emitter
      let x = try call.x
      let isSingle = try e.rank(x) == 3
      let batched = isSingle ? try e.unsqueeze(x, [0]) : x
      guard try e.rank(batched) == 4 else { throw OperatorError("it is given no picture") }
      let window = Window(
        kernel: try call.ints("kernel_size", count: 2, default: 1),
        stride: try call.ints("stride", count: 2, default: 1),
        padding: try call.ints("padding", count: 2, default: 0),
        dilation: try call.ints("dilation", count: 2, default: 1))
      try window.check()
      let pads = window.padding
      let padded = try e.node("Pad", [batched, e.integers([0, 0, pads[0], pads[1], 0, 0, pads[0], pads[1]])])
      let rows = try window.places(along: 0, e.extent(batched, 2), e)
      let columns = try window.places(along: 1, e.extent(batched, 3), e)
      // [batch, channels, kernel height, rows, kernel width, columns]
      let tall = try e.node("Gather", [padded, rows.table], ["axis": .int(2)])
      let wide = try e.node("Gather", [tall, columns.table], ["axis": .int(4)])
      let ordered = try e.transpose(wide, [0, 1, 2, 4, 3, 5])
      let (kernel, channels) = (window.kernel, try e.extent(batched, 1))
      let merged = try e.reshape(
        ordered,
        [
          e.extent(batched, 0), e.times(channels, kernel[0] * kernel[1]),
          e.product(rows.count, columns.count),
        ])
      return [isSingle ? try e.squeeze(merged, [0]) : merged]
    }
    result["col2im"] = { call in
      let e = call.emitter
      let x = try call.x
      let isSingle = try e.rank(x) == 2
      let pads = try call.ints("padding", count: 2, default: 0)
      let image = try e.node(
        "Col2Im",
        [
          isSingle ? e.unsqueeze(x, [0]) : x, e.list(call.extents("output_size")),
          e.integers(call.ints("kernel_size", count: 2, default: 1)),
        ],
        [
          "dilations": .list(call.ints("dilation", count: 2, default: 1)), "pads": .list(pads + pads),
          "strides": .list(call.ints("stride", count: 2, default: 1)),
        ])
      return [isSingle ? try e.squeeze(image, [0]) : image]
    }
    return result
  }()

  private static func convolution(_ call: Call, isTransposed: Bool) throws -> Graph.ValueID {
    let e = call.emitter
    let (x, weight) = (try call.value("input"), try call.value("weight"))
    let count = try e.rank(weight) - 2
    guard count >= 1 else { throw OperatorError("its weight has \(count + 2) axes") }
    // A single picture is a batch of one.
    let isSingle = try e.rank(x) == count + 1
    let batched = isSingle ? try e.unsqueeze(x, [0]) : x
    var attributes: [String: AttributeValue] = [
      "strides": .list(try call.ints("stride", count: count, default: 1)),
      "dilations": .list(try call.ints("dilation", count: count, default: 1)),
      "group": .int(try call.int("groups", default: 1)),
    ]
    if case .string(let kind)? = call.argument("padding") {
      guard kind == "same" || kind == "valid" else { throw OperatorError("the padding '\(kind)' is not known") }
      // What does not divide evenly is put behind.
      attributes["auto_pad"] = .text(kind == "same" ? "SAME_UPPER" : "VALID")
    } else {
      let pads = try call.ints("padding", count: count, default: 0)
      attributes["pads"] = .list(pads + pads)
    }
    if isTransposed {
      attributes["output_padding"] = .list(try call.ints("output_padding", count: count, default: 0))
    }
    let result = try e.node(
      isTransposed ? "ConvTranspose" : "Conv", [batched, weight, call.optional("bias")], attributes)
    return isSingle ? try e.squeeze(result, [0]) : result
  }
}

/// A window that goes over a picture.
struct Window {
  var kernel: [Int]
  var stride: [Int]
  var padding: [Int]
  var dilation: [Int]

  func check() throws {
    guard kernel.allSatisfy({ 1...4096 ~= $0 }), stride.allSatisfy({ 1...1 << 20 ~= $0 }),
      dilation.allSatisfy({ 1...1 << 20 ~= $0 }), padding.allSatisfy({ 0...1 << 20 ~= $0 })
    else { throw OperatorError("a window of \(kernel) by steps of \(stride), \(dilation) with \(padding) around") }
  }

  /// Where along an axis each place of the window reads, for each place of the result: [kernel, places], and how many
  /// places there are.
  fileprivate func places(
    along axis: Int, _ extent: GraphExtent, _ e: Emitter
  ) throws -> (table: Graph.ValueID, count: GraphExtent) {
    let (step, space) = (stride[axis], dilation[axis])
    let beyond = dilation[axis] * (kernel[axis] - 1) + 1 - 2 * padding[axis]
    let count: GraphExtent
    switch extent {
    case .known(let size):
      let room = size - beyond
      guard room >= 0, size <= 1 << 20 else { throw OperatorError("a window of \(kernel) over \(size)") }
      try Shape.checkMemory([kernel[axis], room / step + 1], of: Int64.self, operation: "im2col")
      count = .known(room / step + 1)
    case .value(let size):
      let steps = try e.divided(.value(e.node("Sub", [size, e.integers([beyond])])), by: step)
      count = .value(try e.node("Add", [e.list([steps]), e.integers([1])]))
    }
    let firsts = try e.node("Mul", [e.counting(count), e.integers([step])])
    let within = try e.places((0..<kernel[axis]).map { [$0 * space] })
    return (try e.node("Add", [within, firsts]), count)
  }
}

extension Emitter {
  /// 0, 1, … up to so many numbers.
  func counting(_ count: GraphExtent) throws -> Graph.ValueID {
    try node("Range", [integer(0), squeeze(list([count]), [0]), integer(1)])
  }

  /// A table of places.
  func places(_ rows: [[Int]]) throws -> Graph.ValueID {
    constant(GraphValue(try Tensor(rows.flatMap { $0.map(Int64.init) }, shape: [rows.count, rows.first?.count ?? 0])))
  }
}
