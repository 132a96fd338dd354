import Apus

extension Graph {
  /// The graph as it runs fastest. With `exact` precision every output stays the same, bit for bit.
  func optimized(_ options: Session.Options) throws -> Graph {
    withoutDeadNodes()
  }
}
