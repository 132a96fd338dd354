import Testing

@testable import Apus

/// Elements of a table, at the places that bytes say: vectors of them, and what is left.
@Suite struct ByteTableTests {
  @Test(arguments: [0, 1, 63, 64, 127, 128, 255, 256, 257, 300, 1000])
  func elementsAreThoseOfTheTable(count: Int) throws {
    let table = try randomIntegers([256], seed: 1, as: UInt8.self).elements
    // Every byte, and then those that chance brings.
    let x = try (0..<256).map { UInt8($0) } + randomIntegers([1000], seed: 2, as: UInt8.self).elements
    for start in [0, 3] {
      let places = Array(x[start..<start + count])
      for variant in Execution.availableVariants {
        let y = Execution.with(variant: variant) { () -> [UInt8] in
          var y = [UInt8](repeating: 7, count: count + 1)
          Execution.current.kernels.quantized.lookUp(places, table: table, &y, isWide: false, count: count)
          return y
        }
        #expect(y == places.map { table[Int($0)] } + [7], "\(variant)")
      }
    }
  }
}
