import Apus
import ApusGraph
import ApusMedia

extension PictureClue {
  /// What the graph does to its input before anything else: a scale and a shift, as Sub, Add, Mul, Div or
  /// BatchNormalization by constants, show which numbers come in. Nil where it begins with something else, or where
  /// the numbers fit more than one scale.
  ///
  /// The shift says it: the graph brings some value to zero, and that is a colour in the middle. Between 0 and 1 it is
  /// one of numbers from 0 to 1, above one of bytes.
  ///
  /// - Parameter input: the name of the picture's input.
  init?(graph: Graph, input: String) {
    guard var value = graph.value(named: input) else { return nil }
    var readers: [Graph.ValueID: [Node]] = [:]
    for node in graph.nodes { for id in node.reads { readers[id, default: []].append(node) } }
    var (map, operators) = (ChannelMap(), [String]())
    while let node = readers[value]?.first, readers[value]?.count == 1, let output = node.outputs.first ?? nil {
      let name = node.operatorName.type
      if node.operatorName.domain.isEmpty, !["Identity", "Cast", "Transpose"].contains(name) {
        guard map.append(node, reading: value, in: graph) else { break }
        operators.append(name)
      }
      value = output
    }
    guard !operators.isEmpty, let normalization = map.inputScale else { return nil }
    origin = .graph(operators.joined(separator: ", "))
    self.normalization = normalization
    order = map.order
  }
}

/// `factor · x + shift` for each channel, or for all.
private struct ChannelMap {
  private var factor = [1.0, 1, 1]
  private var shift = [0.0, 0, 0]

  /// - Returns: false for a node that does anything else; the map is then what it was.
  mutating func append(_ node: Node, reading value: Graph.ValueID, in graph: Graph) -> Bool {
    func constant(_ place: Int) -> [Double]? {
      guard node.inputs.indices.contains(place), let id = node.inputs[place] else { return nil }
      return Self.channels(of: graph.constant(id))
    }
    if node.operatorName.type == "BatchNormalization" {
      guard let scale = constant(1), let bias = constant(2), let mean = constant(3), let variance = constant(4) else {
        return false
      }
      let epsilon = if case .float(let value)? = node.attributes["epsilon"] { Double(value) } else { 1e-5 }
      let inverse = zip(scale, variance).map { $0 / ($1 + epsilon).squareRoot() }
      return append(inverse, zip(bias, zip(mean, inverse)).map { $0 - $1.0 * $1.1 })
    }
    guard node.inputs.count == 2 else { return false }
    let isFirst = node.inputs[0] == value
    guard let other = constant(isFirst ? 1 : 0) else { return false }
    let none = [0.0, 0, 0]
    return switch node.operatorName.type {
    case "Add": append([1, 1, 1], other)
    case "Sub": isFirst ? append([1, 1, 1], other.map { -$0 }) : append([-1, -1, -1], other)
    case "Mul": append(other, none)
    case "Div" where isFirst: append(other.map { 1 / $0 }, none)
    default: false
    }
  }

  private mutating func append(_ factor: [Double], _ shift: [Double]) -> Bool {
    let factors = zip(self.factor, factor).map { $0 * $1 }
    let shifts = zip(zip(self.shift, factor), shift).map { $0.0 * $0.1 + $1 }
    guard (factors + shifts).allSatisfy(\.isFinite) else { return false }
    (self.factor, self.shift) = (factors, shifts)
    return true
  }

  /// What comes to zero, by channel.
  private var zeros: [Double] { zip(factor, shift).map { -$1 / $0 } }

  /// The scale of the numbers that such a map is made for.
  var inputScale: ImageNormalization? {
    guard zeros.allSatisfy(\.isFinite) else { return nil }
    if zeros.allSatisfy({ (1.0...255).contains($0) && $0 > 1 }) { return .bytes }
    if zeros.allSatisfy({ (0.05..<1).contains($0) }) { return .unit }
    // No shift: only the factor that brings bytes to small numbers is one that says something.
    if zeros.allSatisfy({ $0 == 0 }), factor.allSatisfy({ abs($0) < 1.0 / 20 && $0 != 0 }) { return .bytes }
    return nil
  }

  /// ImageNet's colours have means that fall from red to blue: the other way round they are in the other order.
  var order: ColorOrder? {
    let means = ImageNormalization.imageNet.mean.map(Double.init)
    let unit = zeros.map { $0 > 1 ? $0 / 255 : $0 }
    func areNear(_ means: [Double]) -> Bool { zip(unit, means).allSatisfy { abs($0 - $1) < 0.01 } }
    return areNear(means) ? .rgb : areNear(means.reversed()) ? .bgr : nil
  }

  /// One number for all channels, or one for each of three.
  private static func channels(of value: GraphValue?) -> [Double]? {
    guard case .tensor(let tensor)? = value, [1, 3].contains(tensor.count),
      tensor.count == 1 || tensor.shape.contains(3),
      let elements = try? tensor.converted(to: Double.self).elements
    else { return nil }
    return elements.count == 1 ? [Double](repeating: elements[0], count: 3) : elements
  }
}

extension Graph {
  /// What a value is known to be: a constant of the graph, or what a `Constant` gives.
  fileprivate func constant(_ id: ValueID) -> GraphValue? {
    if let value = constants[id] { return value }
    let maker = nodes.first { $0.outputs.contains(id) && $0.operatorName == OperatorName(type: "Constant") }
    if case .tensor(let value)? = maker?.attributes["value"] { return value }
    if case .float(let value)? = maker?.attributes["value_float"] { return try? GraphValue(Tensor([value], shape: [])) }
    return nil
  }
}
