import Apus

extension InferenceSession {
  /// What keeping weights as they are laid out was worth to a session (``InferenceSession/Options/cacheFolder``).
  ///
  /// A model's file in that folder is made by its first run and used by the sessions after it, also of other processes. Each
  /// matrix in it is found by the numbers that it was made of, by how they are laid out, and for which kernels: what was
  /// changed is made anew, and a file that is damaged, cut short, or of another version of Apus is as good as not there.
  /// Results are those without it, bit for bit.
  public struct CacheUse: Sendable, Equatable {
    /// The model's file.
    public let path: String
    /// Matrices that were found in it.
    public let found: Int
    /// Matrices that were not, and were laid out.
    public let made: Int
    /// Why the file could not be written, which is no failure of a run; nil where it could be.
    public let failure: String?
  }

  /// What the cache was worth so far; nil for a session without one.
  public var cacheUse: CacheUse? {
    cache.map { cache in
      let use = cache.use
      return CacheUse(path: cache.path, found: use.found, made: use.made, failure: cache.failure)
    }
  }
}

extension PackedCache {
  /// The cache that a session is asked to have.
  /// - Throws: ``FileError/unwritable(path:reason:)`` for an empty path: a file in it would be at the root.
  convenience init?(of graph: Graph, _ options: InferenceSession.Options) throws(FileError) {
    guard let folder = options.cacheFolder else { return nil }
    guard !folder.isEmpty else {
      throw .unwritable(path: folder, reason: "an empty path is not the name of a folder for the cache")
    }
    let name = graph.fingerprint([
      options.precision.rawValue, options.computesInFloat64 ? "float64" : "", options.optimizes ? "optimized" : "",
    ])
    self.init(folder: folder, model: name)
  }
}

extension Graph {
  /// A number by which models are told apart.
  fileprivate func fingerprint(_ words: [String]) -> UInt64 {
    var print = PackedCache.Fingerprint()
    for word in words { print.add(word) }
    for node in nodes {
      print.add(node.operatorName.type)
      print.add(node.inputs.compactMap { $0 } + node.outputs.compactMap { $0 })
    }
    for id in constants.keys.sorted() {
      if case .tensor(let tensor)? = constants[id] { print.add(tensor) }
    }
    return print.value
  }
}
