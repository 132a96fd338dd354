extension Operators {
  /// The families in this folder.
  static let transformer: [[OperatorDefinition]] = [
    attentions, caches, recurrentNetworks, rotaryEmbeddings, microsoftAttentions, skipNormalizations, microsoftFusions,
    microsoftProducts, mixturesOfExperts, gates, diffusion,
  ]
}
