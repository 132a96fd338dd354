import ApusMedia

/// How far the objects that two detectors find in the same pictures are the same ones.
package struct DetectionAgreement: Sendable, Hashable {
  /// How many pictures were compared.
  package private(set) var pictures = 0
  /// Objects that both find: of one class, with boxes that overlap by ``leastOverlap`` and more.
  package private(set) var matched = 0
  /// Objects that only the first finds.
  package private(set) var missed = 0
  /// Objects that only the other finds.
  package private(set) var added = 0

  /// How far boxes overlap that show the same object.
  package static let leastOverlap = 0.5

  /// Nothing compared yet.
  package init() {}

  /// Counts the objects of a picture. Those of the first choose in their order, and each of the other is chosen once.
  package mutating func add(_ found: [Detection], of expected: [Detection]) {
    var left = found
    for object in expected {
      let overlaps = left.map {
        $0.classIndex == object.classIndex ? $0.box.intersectionOverUnion(object.box) : 0
      }
      if let best = overlaps.indices.max(by: { overlaps[$0] < overlaps[$1] }), overlaps[best] >= Self.leastOverlap {
        left.remove(at: best)
        matched += 1
      } else {
        missed += 1
      }
    }
    added += left.count
    pictures += 1
  }
}
