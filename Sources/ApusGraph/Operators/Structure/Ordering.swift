import Apus
import ApusKernelInterface

// Operators that put elements in order.

extension Operators {
  static let orderings: [OperatorDefinition] = [
    OperatorDefinition("TopK", .plain(.topK), TopK),
    OperatorDefinition("Unique", .plain(.unknown("it depends on how many different elements there are")), Unique),
    OperatorDefinition(
      "Unique", domain: "com.microsoft", .plain(.unknown("it depends on how many different elements there are")),
      MicrosoftUnique),
  ]

  /// The `k` largest elements along `axis` (the smallest, where `largest` is 0), in order, and their indices. Of equal
  /// elements that with the smaller index comes first. `k` is an attribute before version 10, input 1 since.
  static func TopK(_ node: NodeDescription) throws -> PreparedOperator {
    let axis = try node.int("axis", default: -1)
    let isLargest = try node.flag("largest", default: true)
    // What need not be sorted may be.
    _ = try node.flag("sorted", default: true)
    let known = node.opset < 10 ? try node.int("k") : nil
    return { arguments in
      let k = try known ?? arguments.integer(1)
      let x = try arguments.take(0)
      let shape = try x.extents
      let axis = try Axes.resolve(axis, rank: shape.count)
      guard k >= 0, k <= shape[axis] else {
        throw OperatorError("k is \(k); axis \(axis) of a tensor of shape \(shape) has \(shape[axis]) elements")
      }
      let indices: Tensor<Int64>
      if case .tensor(.float32(let floats)) = x {
        let kernels = Execution.current.dataKernels
        indices = try topIndices(floats.rowMajor, k, axis: axis, until: arguments.context.stop) {
          FloatRow(elements: $0, step: $1, isLargest: isLargest, kernels: kernels)
        }
      } else {
        // ~ turns the order round and overflows nowhere.
        indices = try topIndices(x.orderKeys, k, axis: axis, until: arguments.context.stop) {
          KeyRow(keys: $0, step: $1, flip: isLargest ? -1 : 0)
        }
      }
      return [try ElementSelection(axis: axis, indices: indices).run(x), GraphValue(indices)]
    }
  }

  /// The indices of the first `k` along `axis`, `row` being one to choose from, which begins at an element and goes on in
  /// steps.
  private static func topIndices<Scalar, Row: OrderedRow>(
    _ x: Tensor<Scalar>, _ k: Int, axis: Int, until stop: StopSign,
    row: @Sendable (_ first: UnsafePointer<Scalar>, _ step: Int) -> Row
  ) throws -> Tensor<Int64> {
    let size = x.shape[axis]
    var shape = x.shape
    shape[axis] = k
    guard try Shape.elementCount(shape) > 0 else { return try Tensor(uninitialized: shape) }
    let inner = try Shape.elementCount(Array(shape[(axis + 1)...]))
    let rows = x.count / size
    let memory = try SmallestKeys.reservation(k, of: size, lists: min(rows, Execution.current.threads))
    return try withExtendedLifetime((x, memory)) {
      nonisolated(unsafe) let elements = x.pointer
      return try Tensor<Int64>.filled(shape) { indices in
        nonisolated(unsafe) let indices = indices
        parallelRows(rows, width: size * 8) { first, count in
          var selection = SmallestKeys(k, of: size, until: stop)
          for index in first..<(first + count) {
            let (outer, column) = index.quotientAndRemainder(dividingBy: inner)
            selection.find(
              in: row(elements + (outer * size * inner + column), inner), count: size,
              indices + (outer * k * inner + column), step: inner)
          }
        }
      }
    }
  }

  /// Every element once (every entry along `axis`, where one is given), in order or, where `sorted` is 0, as they first
  /// occur; where each first occurs; which of them each element is; and how often each occurs.
  static func Unique(_ node: NodeDescription) throws -> PreparedOperator {
    let axis = try node.optionalInt("axis")
    let isSorted = try node.flag("sorted", default: true)
    return { arguments in
      var x = try arguments.take(0)
      if axis == nil { x = try x.reshaped([Shape.elementCount(x.extents)]) }
      let shape = try x.extents
      let axis = try Axes.resolve(axis ?? 0, rank: shape.count)
      let keys = try x.orderKeys.permuted([axis] + shape.indices.filter { $0 != axis })
      let groups = try EqualRows(keys, isSorted: isSorted)
      let first = try Tensor(groups.first)
      return try [
        Selection(axis: axis, indices: first).run(x), GraphValue(first), GraphValue(Tensor(groups.groupOfRow)),
        GraphValue(Tensor(groups.count)),
      ]
    }
  }

  /// Every element of a list once, as they first occur, which of them each element is, and how often each occurs.
  static func MicrosoftUnique(_ node: NodeDescription) throws -> PreparedOperator {
    { arguments in
      let x = try arguments.take(0)
      guard try x.extents.count == 1 else {
        throw OperatorError("input 0 has shape \(try x.extents); one axis is needed")
      }
      let groups = try EqualRows(x.orderKeys, isSorted: false)
      return try [
        Selection(axis: 0, indices: Tensor(groups.first)).run(x), GraphValue(Tensor(groups.groupOfRow)),
        GraphValue(Tensor(groups.count)),
      ]
    }
  }
}

/// What the first in some order are chosen from.
private protocol OrderedRow: SendableMetatype {
  /// Grows in that order; of equal ones the first comes first.
  func key(_ index: Int) -> Int64

  /// The first element of `range` that may come before the one at `limit`; the range's end where none does.
  func next(_ range: Range<Int>, before limit: Int) -> Int
}

private struct KeyRow: OrderedRow {
  let keys: UnsafePointer<Int64>
  let step: Int
  /// Bits that are turned round in each key.
  let flip: Int64

  func key(_ index: Int) -> Int64 { keys[index &* step] ^ flip }

  func next(_ range: Range<Int>, before limit: Int) -> Int { range.lowerBound }
}

private struct FloatRow: OrderedRow {
  let elements: UnsafePointer<Float>
  let step: Int
  let isLargest: Bool
  let kernels: any DataKernels.Type

  @inline(__always)
  func key(_ index: Int) -> Int64 {
    let key = elements[index &* step].orderKey
    return isLargest ? ~key : key
  }

  /// Looks at the elements only where they lie side by side: then many are compared at once.
  @inline(__always)
  func next(_ range: Range<Int>, before limit: Int) -> Int {
    guard step == 1 else { return range.lowerBound }
    return range.lowerBound
      + kernels.firstBeyond(
        elements + range.lowerBound, elements[limit], isLess: !isLargest, count: range.count)
  }
}

/// Finds the `k` with the smallest keys, the first ones among equals.
///
/// What may be among them is collected until there is twice as much, and then most of the others are dropped: few are
/// collected after the first, and each is moved a few times.
private struct SmallestKeys {
  private typealias Entry = (key: Int64, index: Int)
  private let k: Int
  /// Room for what is collected.
  private var entries: [Entry]
  private let stop: StopSign
  /// Entries that are sorted in a few milliseconds.
  private static let partCount = 65_536

  /// - Parameter count: of how many they are the smallest.
  init(_ k: Int, of count: Int, until stop: StopSign) {
    self.k = k
    self.stop = stop
    entries = Array(repeating: (0, 0), count: Self.room(k, of: count))
  }

  private static func room(_ k: Int, of count: Int) -> Int { min(count, k + max(k, 16)) }

  /// What `lists` of them take, each sorted with half as much beside it.
  static func reservation(_ k: Int, of count: Int, lists: Int) throws -> MemoryReservation {
    try MemoryReservation(
      [lists, room(k, of: count) + room(k, of: count) / 2], of: Entry.self, operation: "TopK")
  }

  /// Writes the indices of the `k` of `count`, in order, `step` apart.
  mutating func find<Row: OrderedRow>(in row: Row, count: Int, _ indices: UnsafeMutablePointer<Int64>, step: Int) {
    let (k, stop) = (k, stop)
    entries.withUnsafeMutableBufferPointer { entries in
      var collected = min(k, count)
      for index in 0..<collected { entries[index] = (row.key(index), index) }
      // One that equals the limit comes after it, and is not wanted.
      var limit: Entry = (.max, -1)
      var index = k
      while index < count {
        if limit.index >= 0 {
          index = row.next(index..<count, before: limit.index)
          if index == count { break }
        }
        let key = row.key(index)
        if key < limit.key {
          entries[collected] = (key, index)
          collected &+= 1
          if collected == entries.count {
            if k > Self.partCount, stop.check() { break }
            (collected, limit) = Self.dropOthers(entries, keeping: k...(k + k / 2))
          }
        }
        index += 1
      }
      var rest = UnsafeMutableBufferPointer(rebasing: entries[..<collected])
      if collected > k {
        let (kept, _) = Self.dropOthers(rest, keeping: k...k)
        rest = UnsafeMutableBufferPointer(rebasing: rest[..<kept])
      }
      Self.sort(rest, until: stop)
      for place in rest.indices { indices[place * step] = Int64(rest[place].index) }
    }
  }

  /// Sorts entries, or some of them once the sign is raised: many in parts, none of which comes before the one in front of it.
  private static func sort(_ entries: UnsafeMutableBufferPointer<Entry>, until stop: StopSign) {
    var entries = entries
    guard entries.count > partCount else { return entries.sort { $0 < $1 } }
    if stop.check() { return }
    let quarter = entries.count / 4
    let (border, _) = dropOthers(entries, keeping: quarter...(3 * quarter))
    sort(UnsafeMutableBufferPointer(rebasing: entries[..<border]), until: stop)
    sort(UnsafeMutableBufferPointer(rebasing: entries[border...]), until: stop)
  }

  /// Moves the smallest entries to the front, as many of `wanted` as are found first.
  ///
  /// Hoare's selection, with Lomuto's partition, which needs no branch. What chance and three samples do not divide well is
  /// sorted.
  /// - Returns: their number, and the one that all of them come before or equal.
  private static func dropOthers(
    _ entries: UnsafeMutableBufferPointer<Entry>, keeping wanted: ClosedRange<Int>
  ) -> (kept: Int, limit: Entry) {
    let k = wanted.lowerBound
    var (low, high, rounds) = (0, entries.count, 0)
    while high - low > 16, rounds < 40 {
      let (a, b, c) = (low, (low + high) / 2, high - 1)
      let (x, y, z) = (entries[a], entries[b], entries[c])
      entries.swapAt(x < y ? (y < z ? b : (x < z ? c : a)) : (x < z ? a : (y < z ? c : b)), c)
      let pivot = entries[c]
      var border = low
      for index in low..<c {
        let entry = entries[index]
        entries[index] = entries[border]
        entries[border] = entry
        border &+= entry < pivot ? 1 : 0
      }
      entries.swapAt(border, c)
      if wanted ~= border { return (border, pivot) }
      if k < border { high = border } else { low = border + 1 }
      rounds += 1
    }
    var rest = UnsafeMutableBufferPointer(rebasing: entries[low..<high])
    rest.sort { $0 < $1 }
    return (k, k == 0 ? (.min, -1) : entries[k - 1])
  }
}

/// The rows of a tensor, equal ones together.
private struct EqualRows {
  /// For each group its first row and the number of its rows.
  private(set) var first: [Int64] = []
  private(set) var count: [Int64] = []
  private(set) var groupOfRow: [Int64]

  init(_ keys: Tensor<Int64>, isSorted: Bool) throws {
    let rows = keys.shape[0]
    let memory = try MemoryReservation([rows, 8], of: Int64.self, operation: "Unique")
    defer { withExtendedLifetime(memory) {} }
    let width = rows == 0 ? 0 : keys.count / rows
    groupOfRow = [Int64](repeating: 0, count: rows)
    guard rows > 0 else { return }
    let (order, startsGroup) = try keys.withUnsafeBufferPointer { keys in
      func comparison(_ a: Int, _ b: Int) -> Int64 {
        for column in 0..<width {
          let (x, y) = (keys[a * width + column], keys[b * width + column])
          if x != y { return x < y ? -1 : 1 }
        }
        return 0
      }
      let order =
        width == 1
        ? ascendingOrder(of: keys)
        : (0..<rows).sorted { a, b in
          let result = comparison(a, b)
          return result == 0 ? a < b : result < 0
        }
      return (order, order.indices.map { $0 == 0 || comparison(order[$0 - 1], order[$0]) != 0 })
    }
    for (place, row) in order.enumerated() {
      if startsGroup[place] {
        first.append(Int64(row))
        count.append(0)
      }
      count[count.count - 1] += 1
      groupOfRow[row] = Int64(first.count - 1)
    }
    if isSorted { return }
    // In the order in which the groups first occur.
    let groups = first.indices.sorted { first[$0] < first[$1] }
    var place = [Int64](repeating: 0, count: groups.count)
    for (index, group) in groups.enumerated() { place[group] = Int64(index) }
    first = groups.map { first[$0] }
    count = groups.map { count[$0] }
    groupOfRow = groupOfRow.map { place[Int($0)] }
  }
}

/// Where the numbers lie in order, the first of equals first: sorted by one byte after the other, the last first.
/// - Complexity: O(*n*)
private func ascendingOrder(of keys: UnsafeBufferPointer<Int64>) -> [Int] {
  typealias Entry = (key: UInt64, index: Int)
  var entries: [Entry] = keys.enumerated().map { (UInt64(bitPattern: $1) ^ 1 << 63, $0) }
  var sorted = entries
  for shift in stride(from: 0, to: UInt64.bitWidth, by: 8) {
    var places = [Int](repeating: 0, count: 256)
    for entry in entries { places[Int(entry.key >> shift & 255)] += 1 }
    // Often all numbers have the byte in common.
    if places.contains(keys.count) { continue }
    var first = 0
    for byte in places.indices { (places[byte], first) = (first, first + places[byte]) }
    for entry in entries {
      let byte = Int(entry.key >> shift & 255)
      sorted[places[byte]] = entry
      places[byte] += 1
    }
    swap(&entries, &sorted)
  }
  return entries.map(\.index)
}

// MARK: - Shapes

extension ShapeRule {
  static let topK = ShapeRule.rule { facts in
    let x = try facts.input(0)
    let axis = try Axes.resolve(facts.node.int("axis", default: -1), rank: x.shape.count)
    let sizes = try facts.opset < 10 ? [facts.node.int("k")] : facts.integers(1)
    guard let size = sizes?.first else { throw ShapeFacts.Unknown() }
    let shape = x.shape.replacing(axis, with: size)
    return [InferredType(x.elementType, shape), InferredType(.int64, shape)]
  }
}
