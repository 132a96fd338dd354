import Apus

/// An order of axes: axis `i` of what a node is given is axis `axes[i]` of what lies in memory.
struct AxisPermutation: Hashable, Sendable {
  let axes: [Int]

  /// - Throws: ``ShapeFacts/Unknown`` where `axes` does not name every axis once.
  init(_ axes: [Int]) throws {
    guard Shape.isPermutation(axes, rank: axes.count) else { throw ShapeFacts.Unknown() }
    self.axes = axes
  }

  private init(sound axes: [Int]) { self.axes = axes }

  var rank: Int { axes.count }
  var isIdentity: Bool { axes == Array(axes.indices) }
  var inverse: AxisPermutation { AxisPermutation(sound: axes.indices.sorted { axes[$0] < axes[$1] }) }

  /// The axis in memory that the node knows as `axis`, which may count from the end.
  func callAsFunction(_ axis: Int) throws -> Int { axes[try Axes.resolve(axis, rank: rank)] }

  /// The order in which `next` leaves what comes in this one.
  func followed(by next: AxisPermutation) throws -> AxisPermutation {
    guard next.rank == rank else { throw ShapeFacts.Unknown() }
    return AxisPermutation(sound: next.axes.map { axes[$0] })
  }

  /// What remains when the node takes axes away.
  func without(_ removed: [Int]) throws -> AxisPermutation {
    let removed = Set(try removed.map { try Axes.resolve($0, rank: rank) })
    let kept = axes.indices.filter { !removed.contains($0) }.map { axes[$0] }
    let places = kept.sorted()
    return AxisPermutation(sound: kept.compactMap { places.firstIndex(of: $0) })
  }
}

/// What becomes of an operator when the axes of its inputs lie in another order.
enum AxisRule: Sendable {
  /// It goes by the order of the axes.
  case fixed
  /// It computes every element by itself: of reordered inputs it gives the reordered result.
  case free
  /// It names axes, and does the same to others when it names those.
  ///
  /// - Parameters:
  ///   - inputs: the inputs whose axes are meant; the others are lists and settings.
  ///   - exactly: whether each element of the result keeps its bits; sums may be added up in another order.
  ///   - rule: what to change in a node whose inputs come in an order; throws where that is not known.
  case named(_ inputs: Inputs, exactly: Bool, _ rule: @Sendable (ShapeFacts, AxisPermutation) throws -> Renaming)

  enum Inputs: Sendable {
    case first
    case all
  }

  /// What is to be changed in a node so that it does to reordered inputs what it did to them.
  struct Renaming {
    private(set) var attributes: [String: AttributeValue] = [:]
    /// Lists of integers, by the number of the input.
    private(set) var lists: [Int: [Int]] = [:]
    /// The order that its results come in.
    var order: AxisPermutation

    init(_ order: AxisPermutation) { self.order = order }

    mutating func set(_ name: String, _ axis: Int) { attributes[name] = .int(Int64(axis)) }

    /// A list that is attribute `name` before version `version`, input `index` since.
    mutating func set(_ list: [Int], _ index: Int, attribute name: String, inputSince version: Int, _ facts: ShapeFacts)
    {
      if facts.opset < version {
        attributes[name] = .ints(list.map { Int64($0) })
      } else {
        lists[index] = list
      }
    }
  }
}

extension AxisRule {
  /// Attribute `axis` is an axis of all inputs, or of the first.
  static func axis(of inputs: Inputs, default: Int? = nil) -> AxisRule {
    .named(inputs, exactly: true) { facts, order in
      guard let axis = try facts.node.optionalInt("axis") ?? `default` else { throw ShapeFacts.Unknown() }
      var renaming = Renaming(order)
      renaming.set("axis", try order(axis))
      return renaming
    }
  }
}
