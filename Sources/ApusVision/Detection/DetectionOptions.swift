/// Which of the boxes that a network proposes are reported.
public struct DetectionOptions: Sendable, Hashable {
  /// A box is reported when its score is greater than this; 0 to 1.
  public var confidence: Float = 0.25
  /// The same for single classes, by index, instead of ``confidence``.
  public var classConfidences: [Int: Float] = [:]
  /// Of two boxes that overlap more than this (intersection over union) the one with the lower score is dropped; 0 to
  /// 1.
  public var overlap: Float = 0.45
  /// Whether boxes of different classes compete as well.
  public var isClassAgnostic = false
  /// The most boxes that are reported of a picture.
  public var maximumCount = 300
  /// The classes that are reported, by index; all when nil.
  public var classes: Set<Int>?
  /// Classes of round things: their boxes are fitted to the outline in the picture, see
  /// ``PixelBox/fittedToOutline(in:)``.
  public var roundClasses: Set<Int> = []
  /// Whether the pixels of each object are found as well, where the network can.
  public var includesMasks = true
  /// The most boxes that are compared with each other, those of the highest scores: comparing takes time that grows
  /// with the square of their number.
  public var candidateLimit = 30_000

  /// Scores above 0.25, an overlap of at most 0.45, all classes, and at most 300 boxes.
  public init() {}

  /// - Throws: ``DetectorError`` naming the setting that is out of range.
  public func validate() throws(DetectorError) {
    func check(_ value: Float, _ name: String) throws(DetectorError) {
      guard 0...1 ~= value else { throw DetectorError(.badOption("\(name) is \(value); 0 to 1 was expected")) }
    }
    try check(confidence, "the confidence")
    try check(overlap, "the overlap")
    for (index, value) in classConfidences.sorted(by: { $0.key < $1.key }) {
      try check(value, "the confidence of class \(index)")
    }
    guard maximumCount > 0 else {
      throw DetectorError(.badOption("the most boxes are \(maximumCount); 1 or more was expected"))
    }
    guard 1...Self.mostCandidates ~= candidateLimit else {
      throw DetectorError(
        .badOption("the limit of candidates is \(candidateLimit); 1 to \(Self.mostCandidates) was expected"))
    }
  }

  static let mostCandidates = 1_000_000

  /// What a score of the class must exceed.
  func confidence(ofClass index: Int) -> Float { classConfidences[index] ?? confidence }

  /// What any score must exceed to be looked at.
  var lowestConfidence: Float { classConfidences.values.reduce(confidence, min) }

  /// Whether a box of this class and score is reported, if no better one is in its place.
  func accepts(class index: Int, score: Float) -> Bool {
    score > confidence(ofClass: index) && classes?.contains(index) ?? true
  }
}
