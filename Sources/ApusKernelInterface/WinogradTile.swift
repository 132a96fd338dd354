/// The tiles of outputs that Winograd's minimal filtering makes of 3×3 kernels at a time.
package enum WinogradTile: Sendable, CaseIterable {
  /// 4×4 and 2×2 outputs at stride 1.
  case four, two
  /// 4×4 outputs at stride 2.
  case strided

  /// Outputs a side.
  package var outputs: Int { self == .two ? 2 : 4 }

  package var stride: Int { self == .strided ? 2 : 1 }

  /// Inputs a side, which are as many as frequencies a side.
  package var side: Int { stride * (outputs - 1) + 3 }

  package var frequencies: Int { side * side }

  /// Frequencies a side whose weights differ. At stride 2 every other input of a line meets the kernel's middle alone, so that
  /// all four of these have the same.
  package var weightSide: Int { self == .strided ? 6 : side }

  package var weightFrequencies: Int { weightSide * weightSide }

  /// Which of the ``weightFrequencies`` belongs to one of the ``frequencies``.
  package func weightFrequency(_ frequency: Int) -> Int {
    min(frequency / side, weightSide - 1) * weightSide + min(frequency % side, weightSide - 1)
  }

  /// Floats that a transform of maps works in: what the first pass leaves to the second, and a square of inputs or outputs.
  package static let room = (firstPass + 81) * 16
  /// The most vectors that the first of a transform's two passes, over columns, leaves.
  package static let firstPass = 45
}
