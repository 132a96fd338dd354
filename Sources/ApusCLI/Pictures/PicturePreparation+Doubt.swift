import Apus
import ApusVision

extension PicturePreparation {
  /// What is said where no class has more than a small probability.
  func doubt(of likeliest: Double) -> String {
    "no class at all has more than \(NumberText.fixed(likeliest * 100, decimals: 1)) %: does the preprocessing fit? It "
      + "was \(summary); --mean, --std and --size change it"
  }
}
