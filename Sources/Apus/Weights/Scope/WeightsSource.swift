import ApusBase

/// Where parameters come from, and which of them were asked for. All scopes of one model share it.
final class WeightsSource: Sendable {
  enum Contents: Sendable {
    case file(SafetensorsFile)
    case shards(SafetensorsShards)
    case memory([UTF8Key: AnyTensor], name: String)
    case generated([UTF8Key: GeneratedParameter], name: String)
  }

  private let contents: Contents
  private let used = Locked<Set<UTF8Key>>([])

  init(_ contents: Contents) {
    self.contents = contents
  }

  /// A model is made of them, or not.
  deinit { Execution.releaseIdleMemory() }

  var name: String {
    switch contents {
    case .file(let file): file.name
    case .shards(let shards): shards.name
    case .memory(_, let name), .generated(_, let name): name
    }
  }

  var usedNames: Set<UTF8Key> { used.withLock { $0 } }

  /// The whole names that begin with `prefix`, sorted by their bytes.
  func names(withPrefix prefix: String) -> [String] {
    let all =
      switch contents {
      case .file(let file): file.tensorNames
      case .shards(let shards): shards.tensorNames
      case .memory(let tensors, _): tensors.keys.map(\.string)
      case .generated(let parameters, _): parameters.keys.map(\.string)
      }
    return all.filter { $0.utf8.starts(with: prefix.utf8) }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  func contains(_ key: UTF8Key) -> Bool {
    switch contents {
    case .file(let file): file.contains(key.string)
    case .shards(let shards): shards.file(holding: key) != nil
    case .memory(let tensors, _): tensors[key] != nil
    case .generated(let parameters, _): parameters[key] != nil
    }
  }

  /// The tensor of that name, which counts as used from now on; `nil` when there is none.
  func take(_ key: UTF8Key) throws -> AnyTensor? {
    guard contains(key) else { return nil }
    used.withLock { _ = $0.insert(key) }
    switch contents {
    case .file(let file): return try file.anyTensor(named: key.string)
    case .shards(let shards): return try shards.file(holding: key)?.anyTensor(named: key.string)
    case .memory(let tensors, _): return tensors[key]
    case .generated(let parameters, _):
      return try parameters[key].map {
        AnyTensor(
          try Tensor<Float>(generated: key.string, shape: $0.shape, mean: $0.mean, deviation: $0.deviation))
      }
    }
  }

  func shape(of key: UTF8Key) throws -> [Int]? {
    guard contains(key) else { return nil }
    switch contents {
    case .file(let file): return try file.info(key.string).shape
    case .shards(let shards): return try shards.file(holding: key)?.info(key.string).shape
    case .memory(let tensors, _): return tensors[key]?.shape
    case .generated(let parameters, _): return parameters[key]?.shape
    }
  }
}
