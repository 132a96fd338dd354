import ApusBase

/// Feature-wise standardisation, x ← (x − mean) / std, for models trained on standardised poses.
///
/// It works in double precision and rounds once. The zeros that stand for missing points are standardised like any
/// other number, as scikit-learn's `StandardScaler` would.
public struct Standardization: Sendable, Hashable {
  /// 48 means, in the feature order x₀, y₀, x₁, …
  public let mean: [Double]
  /// 48 standard deviations, all above 0.
  public let std: [Double]

  /// - Throws: ``StandardizationError`` unless both have 48 finite values, every deviation is above 0, and
  ///   coordinates from 0 to 1 stay finite.
  public init(mean: [Double], std: [Double]) throws(StandardizationError) {
    for (name, values) in [("mean", mean), ("std", std)] {
      guard values.count == PoseVector.featureCount else {
        throw .wrongCount(name: name, found: values.count, expected: PoseVector.featureCount)
      }
      if let index = values.firstIndex(where: { !$0.isFinite }) {
        throw .notFinite(name: name, index: index, value: values[index])
      }
    }
    if let index = std.firstIndex(where: { $0 <= 0 }) {
      throw .notPositive(index: index, value: std[index])
    }
    for index in mean.indices {
      let ends = [(0 - mean[index]) / std[index], (1 - mean[index]) / std[index]]
      guard ends.allSatisfy({ Float($0).isFinite }) else { throw .overflows(index: index) }
    }
    self.mean = mean
    self.std = std
  }

  /// Reads both from text: a JSON array of 48 numbers, or 48 numbers separated by blanks, line ends or commas.
  ///
  /// - Throws: ``StandardizationError``.
  public init(meanText: String, stdText: String) throws(StandardizationError) {
    try self.init(
      mean: Self.numbers(in: meanText, name: "mean"), std: Self.numbers(in: stdText, name: "std"))
  }

  /// Standardises a channel-major window `[48, windowLength]` in place.
  func apply(to window: UnsafeMutableBufferPointer<Float>, windowLength: Int) {
    for feature in 0..<PoseVector.featureCount {
      let (mean, std) = (mean[feature], std[feature])
      for index in feature * windowLength..<(feature + 1) * windowLength {
        window[index] = Float((Double(window[index]) - mean) / std)
      }
    }
  }

  private static func numbers(in text: String, name: String) throws(StandardizationError) -> [Double] {
    var body = Substring(text).trimmingASCIIWhitespace()
    var separators = 0
    if body.first == "[" {
      guard body.last == "]", body.utf8.count >= 2 else { throw .notANumber(name: name, index: 0, text: String(body)) }
      body = body.dropFirst().dropLast()
      separators = 1
    }
    let fields =
      separators == 1 || body.contains(",")
      ? body.split(separator: ",", omittingEmptySubsequences: false)
      : body.split(whereSeparator: \.isWhitespace)
    var values: [Double] = []
    for (index, field) in fields.enumerated() {
      let bytes = Array(field.trimmingASCIIWhitespace().utf8)
      guard let value = DecimalNumber.whole(bytes) else {
        throw .notANumber(name: name, index: index, text: String(field))
      }
      values.append(value)
    }
    return values
  }
}

/// What is wrong with a ``Standardization``.
public enum StandardizationError: ApusError, Sendable, Equatable {
  /// `mean` or `std` has another number of values than 48.
  case wrongCount(name: String, found: Int, expected: Int)
  /// A value is NaN or infinite.
  case notFinite(name: String, index: Int, value: Double)
  /// A standard deviation is 0 or negative.
  case notPositive(index: Int, value: Double)
  /// Standardised coordinates from 0 to 1 do not fit a `Float`.
  case overflows(index: Int)
  /// The text holds something else than a number.
  case notANumber(name: String, index: Int, text: String)
}

extension StandardizationError: CustomStringConvertible {
  /// What is wrong, and what was expected.
  public var description: String {
    switch self {
    case .wrongCount(let name, let found, let expected):
      "\(name) has \(found) values, expected \(expected): x and y of each keypoint"
    case .notFinite(let name, let index, let value):
      "\(name) value \(index) is \(value), expected a finite number"
    case .notPositive(let index, let value):
      "std value \(index) is \(value), expected a number above 0"
    case .overflows(let index):
      "mean and std of feature \(index) turn coordinates from 0 to 1 into numbers beyond single precision"
    case .notANumber(let name, let index, let text):
      "\(name) value \(index) is \(text.quotedForMessage), expected a number"
    }
  }
}

extension StandardizationError {
  /// The data are at fault.
  public var fault: Fault { .data }
}
