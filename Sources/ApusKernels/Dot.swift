extension Float32Kernels {
  public static func dot(_ x: UnsafePointer<Float>, _ y: UnsafePointer<Float>, count: Int) -> Float {
    var sum: Float = 0
    for i in 0..<count { sum += x[i] * y[i] }
    return sum
  }
}

extension Float64Kernels {
  public static func dot(_ x: UnsafePointer<Double>, _ y: UnsafePointer<Double>, count: Int) -> Double {
    var sum = 0.0
    for i in 0..<count { sum += x[i] * y[i] }
    return sum
  }
}
