import Apus

/// The outputs of a node that the reference has, compared.
struct ParityJudgement {
  var outputs: [ParityReport.Output] = []
  var terms = 1
  /// Those at which it depends on how the inputs were rounded.
  var sensitive: [Graph.ValueID] = []
  /// The names of those whose difference may have no effect: by the constants of masks alone, or from what they were paired
  /// with for being alike.
  var harmless: Set<String> = []

  var differsHarmlessly: Bool { differsOnlyAt(harmless) }

  func differsOnlyAt(_ names: Set<String>) -> Bool {
    outputs.allSatisfy { $0.isolated?.isAcceptable == true || names.contains($0.name) }
  }

  var hasNumbers: Bool { outputs.contains { !$0.hasNoNumbers } }

  var isRight: Bool { outputs.allSatisfy { $0.isolated?.isAcceptable == true } }

  func differs(_ name: String) -> Bool {
    outputs.contains { $0.name == name && $0.isolated?.isAcceptable == false }
  }
}
