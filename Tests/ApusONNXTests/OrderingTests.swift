import Apus
import Testing

@testable import ApusGraph

/// TopK, Unique, and MaxPool's indices beside a plain reading of their definitions.
@Suite struct OrderingTests {
  /// Numbers of which many are equal, among them those that have an order of their own.
  private func numbers(_ count: Int, below limit: Int, seed: UInt64) -> [Float] {
    var generator = SplitMix64(seed: seed)
    return (0..<count).map { _ in
      let number = Int.random(in: -limit...limit, using: &generator)
      return number == limit ? .nan : number == -limit ? -.infinity : number == 0 ? -0.0 : Float(number)
    }
  }

  /// As NumPy sorts them: NaN is the greatest.
  private func precedes(_ a: Float, _ b: Float) -> Bool { b.isNaN ? !a.isNaN : a < b }
  private func areEqual(_ a: Float, _ b: Float) -> Bool { a == b || (a.isNaN && b.isNaN) }

  /// More than are sorted at once: in order, or as they were where nobody wants them any more.
  @Test func manyAreSortedInParts() throws {
    let (count, k) = (300_000, 200_000)
    // 7,919 and the number of elements have no factor in common: a permutation.
    let x = (0..<count).map { $0 * 7919 % count }
    let inputs = [GraphValue(try Tensor(x.map { Float($0) })), GraphValue(try Tensor([Int64(k)]))]
    func indices() throws -> [Int64] {
      try #require(runNode("TopK", inputs, outputs: 2, ["largest": .int(0)])[1]?.tensor(of: Int64.self)).elements
    }
    #expect(try indices().map { x[Int($0)] } == Array(0..<k))
    #expect(try TimeLimit.with(.zero) { try indices() }.map { x[Int($0)] } != Array(0..<k))
  }

  @Test(arguments: [1, 5, 40, 999, 1000], [3, 100, 1_000_000]) func theFirstOfEqualsComeFirst(k: Int, limit: Int) throws
  {
    let (rows, size) = (3, 1000)
    let x = numbers(rows * size, below: limit, seed: UInt64(k))
    for isLargest in [true, false] {
      for axis in [0, 1] {
        let given = try Tensor(x, shape: [rows, size])
        let input = try axis == 1 ? given : given.permuted([1, 0])
        let result = try runNode(
          "TopK", [GraphValue(input), GraphValue(Tensor([Int64(k)], shape: [1]))], outputs: 2,
          ["axis": .int(Int64(axis)), "largest": .int(isLargest ? 1 : 0)])
        let found = try #require(result[1]?.tensor(of: Int64.self))
        let indices = try (axis == 1 ? found : found.permuted([1, 0])).elements
        for row in 0..<rows {
          let own = x[(row * size)..<((row + 1) * size)].map { $0 }
          let expected = own.indices.sorted { a, b in
            let (first, second) = isLargest ? (own[b], own[a]) : (own[a], own[b])
            return precedes(first, second) || (areEqual(first, second) && a < b)
          }
          #expect(indices[(row * k)..<((row + 1) * k)].elementsEqual(expected.prefix(k).map { Int64($0) }))
        }
      }
    }
  }

  @Test(arguments: [1, 2, 3000], [2, 50, 1_000_000]) func differentElementsInOrder(count: Int, limit: Int) throws {
    let x = numbers(count, below: limit, seed: UInt64(limit))
    let result = try runNode("Unique", [GraphValue(Tensor(x))], outputs: 4)
    var (first, sorted) = ([Int](), [Float]())
    for index in x.indices where !x[..<index].contains(where: { areEqual($0, x[index]) }) { first.append(index) }
    first.sort { precedes(x[$0], x[$1]) }
    sorted = first.map { x[$0] }
    let found = try #require(result[0]?.tensor(of: Float.self)).elements
    #expect(found.count == sorted.count && zip(found, sorted).allSatisfy { areEqual($0, $1) })
    #expect(try result[1]?.tensor(of: Int64.self)?.elements == first.map { Int64($0) })
    let groups = x.map { element in Int64(sorted.firstIndex { areEqual($0, element) } ?? -1) }
    #expect(try result[2]?.tensor(of: Int64.self)?.elements == groups)
    let counts = sorted.map { element in Int64(x.count { areEqual($0, element) }) }
    #expect(try result[3]?.tensor(of: Int64.self)?.elements == counts)
  }

  /// Extremes of what has 64 bits, and those whose bytes are equal.
  @Test func differentIntegersInOrder() throws {
    let x: [Int64] = [5, .max, -1, .min, 0, 255, 256, -256, 5, .max, 1 << 40, -1]
    let result = try runNode("Unique", [GraphValue(Tensor(x))], outputs: 4)
    #expect(try result[0]?.tensor(of: Int64.self)?.elements == Set(x).sorted())
    let same = try runNode("Unique", [GraphValue(Tensor([7, 7, 7] as [Int64]))], outputs: 4)
    #expect(try same[3]?.tensor(of: Int64.self)?.elements == [3])
  }

  @Test(arguments: [[2, 3], [3, 2]], [[1, 1], [2, 3]]) func greatestAndTheirPlaces(kernel: [Int], strides: [Int]) throws
  {
    let (height, width, dilation, padding) = (9, 11, [1, 2], 1)
    let x = numbers(2 * height * width, below: 6, seed: 3)
    let result = try runNode(
      "MaxPool", [GraphValue(Tensor(x, shape: [1, 2, height, width]))], outputs: 2,
      [
        "kernel_shape": .ints(kernel.map(Int64.init)), "strides": .ints(strides.map(Int64.init)),
        "dilations": .ints(dilation.map(Int64.init)), "pads": .ints([1, 1, 1, 1]),
      ])
    func outputs(_ size: Int, _ axis: Int) -> Int {
      (size + 2 * padding - (kernel[axis] - 1) * dilation[axis] - 1) / strides[axis] + 1
    }
    var (values, places) = ([Float](), [Int64]())
    for map in 0..<2 {
      for row in 0..<outputs(height, 0) {
        for column in 0..<outputs(width, 1) {
          var best: Int?
          for r in 0..<kernel[0] {
            for c in 0..<kernel[1] {
              let y = row * strides[0] + r * dilation[0] - padding
              let z = column * strides[1] + c * dilation[1] - padding
              guard 0..<height ~= y, 0..<width ~= z else { continue }
              let place = (map * height + y) * width + z
              if best.map({ precedes(x[$0], x[place]) }) ?? true { best = place }
            }
          }
          let place = try #require(best)
          values.append(x[place])
          places.append(Int64(place))
        }
      }
    }
    #expect(try result[1]?.tensor(of: Int64.self)?.elements == places)
    let found = try #require(result[0]?.tensor(of: Float.self)).elements
    #expect(zip(found, values).allSatisfy { areEqual($0, $1) })
  }
}
