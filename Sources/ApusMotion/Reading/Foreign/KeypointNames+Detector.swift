extension KeypointNames {
  /// Those points of a dog that a detector of animals finds.
  ///
  /// - Returns: nil for a detector of something else: none of its points is a paw or of a tail.
  public init?(ofAnimal names: [String]) {
    guard let found = try? KeypointNames(names, order: .cvat, map: [:]) else { return nil }
    let isAnimal = found.parts.contains { $0.ours.map { $0.contains("paw") || $0.contains("tail") } ?? false }
    guard isAnimal else { return nil }
    self = found
  }

  /// What a detector says of its points, in the order of ``DogKeypoint``; nil for those that it does not find.
  public func dogPoints<Point>(_ points: [Point?]) -> [Point?] {
    var found = [Point?](repeating: nil, count: DogKeypoint.count)
    for (place, point) in zip(places, points) { if let place { found[place] = point } }
    return found
  }
}
