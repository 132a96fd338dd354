import Testing

@testable import Apus

@Suite("Printed tensors")
struct PrintingTests {
  @Test("columns, decimals, type and shape")
  func columns() throws {
    let x = try Tensor<Float>([1, -2.5, 0.25, 10, 0, 3], shape: [2, 3])
    #expect(
      x.description == """
        float32 [2, 3]
        [[ 1.00, -2.50,  0.25],
         [10.00,  0.00,  3.00]]
        """)
    #expect(
      try x.channelBlocked.reshaped([1, 2, 3]).description == """
        float32 [1, 2, 3]
        [[[ 1.00, -2.50,  0.25],
          [10.00,  0.00,  3.00]]]
        """)
    #expect(try Tensor<Float>([1, 2], shape: [2, 1, 1]).description == "float32 [2, 1, 1]\n[[[1.0]],\n\n [[2.0]]]")
  }

  @Test("integers, Booleans, single values and nothing")
  func others() throws {
    #expect(try Tensor<Int32>([1, -20]).description == "int32 [2]\n[  1, -20]")
    #expect(try Tensor([true, false]).description == "bool [2]\n[ true, false]")
    #expect(try Tensor<Double>([0.1], shape: []).description == "float64 [] 0.1")
    #expect(try Tensor<Float>(zeros: [0, 3]).description == "float32 [0, 3] []")
    #expect(try Tensor<Float16>([0.5]).description == "float16 [1]\n[0.5]")
    #expect(try Tensor([BFloat16(1.5)]).description == "bfloat16 [1]\n[1.5]")
  }

  @Test("large, small and special numbers")
  func exponents() throws {
    #expect(
      try Tensor<Float>([1.5e7, -2, 0, .nan, .infinity]).description
        == "float32 [5]\n[ 1.5000e+07, -2.0000e+00,  0.0000e+00,         nan,         inf]")
    #expect(try Tensor<Double>([1e-300, -9.99999e-5]).description == "float64 [2]\n[1.0000e-300, -1.0000e-04]")
    #expect(try Tensor<Float>([Float(1) / 3, 2]).description == "float32 [2]\n[0.3333, 2.0000]")
    #expect(try Tensor<Float>([.nan, 1]).description == "float32 [2]\n[nan, 1.0]")
  }

  /// NumPy's choices, with `precision=4` and `floatmode="maxprec_equal"`; decimals of numbers with exponents are four here.
  @Test(
    "exponents where NumPy has them",
    arguments: [
      ([1e-10, 123456.789], "[1.0000e-10, 1.2346e+05]"), ([1001, 1], "[1.0010e+03, 1.0000e+00]"),
      ([1000, 1], "[1000.0,    1.0]"), ([9.9e7, 1e5], "[99000000.0,   100000.0]"), ([1e8], "[1.0000e+08]"),
      ([1e-4, 0], "[0.0001, 0.0000]"), ([9.9e-5], "[9.9000e-05]"), ([0.001, 0.5], "[0.001, 0.500]"),
      ([-0.0, 1], "[-0.0,  1.0]"), ([-0.0, 1e9], "[-0.0000e+00,  1.0000e+09]"), ([0, 0], "[0.0, 0.0]"),
      ([999.5, -0.9995], "[999.5000,  -0.9995]"), ([.nan, -.infinity], "[ nan, -inf]"),
    ] as [([Double], String)])
  func exponentsOfNumPy(_ numbers: [Double], _ text: String) throws {
    #expect(try Tensor<Double>(numbers).description == "float64 [\(numbers.count)]\n\(text)")
  }

  @Test("beyond a thousand elements only the ends are shown")
  func summary() throws {
    #expect(
      try Tensor<Float>(range: 1001).description
        == "float32 [1001]\n[   0.0,    1.0,    2.0, …,  998.0,  999.0, 1000.0]")
    let text = try Tensor<Float>(zeros: [100, 7, 50]).description
    #expect(text.split(separator: "\n").filter { !$0.isEmpty }.count == 1 + 6 * 7 + 1)
    #expect(text.contains("…"))
  }
}
