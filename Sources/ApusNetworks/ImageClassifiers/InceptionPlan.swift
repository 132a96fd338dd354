import Apus

/// What the modules of InceptionV3 are made of: names, channels, kernels.
enum InceptionPlan {
  struct Convolution: Sendable {
    var name: String
    var outputs: Int
    var kernel: Size2D
    /// 1 keeps the size of the map; 2 halves it, without padding.
    var stride: Size2D = 1
  }

  enum Step: Sendable {
    case averagePool, maxPool
    case convolution(Convolution)
    case fork([Convolution])
  }

  struct Branch: Sendable {
    var steps: [Step]
  }

  /// All modules in order. The numbers are those of the paper's table 1 and figures 5 to 10, as torchvision has them.
  static var modules: [(name: String, branches: [Branch])] {
    [
      ("Mixed_5b", narrow(pool: 32)), ("Mixed_5c", narrow(pool: 64)), ("Mixed_5d", narrow(pool: 64)),
      ("Mixed_6a", firstReduction),
      ("Mixed_6b", factorized(128)), ("Mixed_6c", factorized(160)), ("Mixed_6d", factorized(160)),
      ("Mixed_6e", factorized(192)),
      ("Mixed_7a", secondReduction),
      ("Mixed_7b", wide), ("Mixed_7c", wide),
    ]
  }

  /// Figure 5: 5 × 5, and 3 × 3 twice, beside 1 × 1 and a pool.
  private static func narrow(pool: Int) -> [Branch] {
    [
      branch(step("branch1x1", 64, 1)),
      branch(step("branch5x5_1", 48, 1), step("branch5x5_2", 64, 5)),
      branch(step("branch3x3dbl_1", 64, 1), step("branch3x3dbl_2", 96, 3), step("branch3x3dbl_3", 96, 3)),
      branch(.averagePool, step("branch_pool", pool, 1)),
    ]
  }

  /// From 35 × 35 to 17 × 17.
  private static var firstReduction: [Branch] {
    [
      branch(step("branch3x3", 384, 3, stride: 2)),
      branch(step("branch3x3dbl_1", 64, 1), step("branch3x3dbl_2", 96, 3), step("branch3x3dbl_3", 96, 3, stride: 2)),
      branch(.maxPool),
    ]
  }

  /// Figure 6: 7 × 7 as 1 × 7 after 7 × 1.
  private static func factorized(_ channels: Int) -> [Branch] {
    let (row, column) = (Size2D(height: 1, width: 7), Size2D(height: 7, width: 1))
    return [
      branch(step("branch1x1", 192, 1)),
      branch(step("branch7x7_1", channels, 1), step("branch7x7_2", channels, row), step("branch7x7_3", 192, column)),
      branch(
        step("branch7x7dbl_1", channels, 1), step("branch7x7dbl_2", channels, column),
        step("branch7x7dbl_3", channels, row), step("branch7x7dbl_4", channels, column),
        step("branch7x7dbl_5", 192, row)),
      branch(.averagePool, step("branch_pool", 192, 1)),
    ]
  }

  /// From 17 × 17 to 8 × 8.
  private static var secondReduction: [Branch] {
    let (row, column) = (Size2D(height: 1, width: 7), Size2D(height: 7, width: 1))
    return [
      branch(step("branch3x3_1", 192, 1), step("branch3x3_2", 320, 3, stride: 2)),
      branch(
        step("branch7x7x3_1", 192, 1), step("branch7x7x3_2", 192, row), step("branch7x7x3_3", 192, column),
        step("branch7x7x3_4", 192, 3, stride: 2)),
      branch(.maxPool),
    ]
  }

  /// Figure 7: 3 × 3 as 1 × 3 beside 3 × 1.
  private static var wide: [Branch] {
    func fork(_ name: String) -> Step {
      .fork([
        Convolution(name: "\(name)a", outputs: 384, kernel: Size2D(height: 1, width: 3)),
        Convolution(name: "\(name)b", outputs: 384, kernel: Size2D(height: 3, width: 1)),
      ])
    }
    return [
      branch(step("branch1x1", 320, 1)),
      branch(step("branch3x3_1", 384, 1), fork("branch3x3_2")),
      branch(step("branch3x3dbl_1", 448, 1), step("branch3x3dbl_2", 384, 3), fork("branch3x3dbl_3")),
      branch(.averagePool, step("branch_pool", 192, 1)),
    ]
  }

  private static func branch(_ steps: Step...) -> Branch { Branch(steps: steps) }

  private static func step(_ name: String, _ outputs: Int, _ kernel: Size2D, stride: Size2D = 1) -> Step {
    .convolution(Convolution(name: name, outputs: outputs, kernel: kernel, stride: stride))
  }
}
