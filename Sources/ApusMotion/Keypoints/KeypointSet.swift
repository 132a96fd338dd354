/// A set of dog keypoints: the validity mask that travels beside a frame's 48 numbers.
///
/// The numbers alone cannot tell a keypoint that was not seen from one that was seen at (0, 0); this set can.
public struct KeypointSet: SetAlgebra, Sendable, Hashable {
  /// Bit `k` stands for the keypoint of index `k`; bits 24 and above are always zero.
  public private(set) var bits: UInt32

  /// The empty set.
  public init() { bits = 0 }

  private init(bits: UInt32) { self.bits = bits }

  /// All 24 keypoints.
  public static let all = KeypointSet(bits: (1 << UInt32(DogKeypoint.count)) - 1)

  /// The keypoints in the set, in their order.
  public var keypoints: [DogKeypoint] { DogKeypoint.allCases.filter(contains) }

  /// How many keypoints the set holds, 0...24.
  public var count: Int { bits.nonzeroBitCount }

  /// Whether no keypoint is in the set.
  public var isEmpty: Bool { bits == 0 }

  /// Whether a keypoint is in the set.
  public func contains(_ member: DogKeypoint) -> Bool { bits & Self.bit(member) != 0 }

  /// Adds a keypoint.
  @discardableResult
  public mutating func insert(
    _ newMember: DogKeypoint
  ) -> (inserted: Bool, memberAfterInsert: DogKeypoint) {
    let inserted = !contains(newMember)
    bits |= Self.bit(newMember)
    return (inserted, newMember)
  }

  /// Removes a keypoint.
  @discardableResult
  public mutating func remove(_ member: DogKeypoint) -> DogKeypoint? {
    guard contains(member) else { return nil }
    bits &= ~Self.bit(member)
    return member
  }

  /// Adds a keypoint, in the place of itself where it is there.
  @discardableResult
  public mutating func update(with newMember: DogKeypoint) -> DogKeypoint? {
    insert(newMember).inserted ? nil : newMember
  }

  /// The keypoints in either set.
  public func union(_ other: KeypointSet) -> KeypointSet { KeypointSet(bits: bits | other.bits) }

  /// The keypoints in both sets.
  public func intersection(_ other: KeypointSet) -> KeypointSet { KeypointSet(bits: bits & other.bits) }

  /// The keypoints in one of the sets alone.
  public func symmetricDifference(_ other: KeypointSet) -> KeypointSet { KeypointSet(bits: bits ^ other.bits) }

  /// Adds the keypoints of another set.
  public mutating func formUnion(_ other: KeypointSet) { bits |= other.bits }

  /// Keeps the keypoints that are in another set too.
  public mutating func formIntersection(_ other: KeypointSet) { bits &= other.bits }

  /// Keeps the keypoints that are in one of the sets alone.
  public mutating func formSymmetricDifference(_ other: KeypointSet) { bits ^= other.bits }

  private static func bit(_ keypoint: DogKeypoint) -> UInt32 { 1 << UInt32(keypoint.rawValue) }
}
