import Apus

/// What an input or an output stands for where its type does not say it: a picture, numbers under keys, a single number.
public enum ValueForm: Sendable {
  /// A picture: in the graph `[1, planes, height, width]` of numbers from 0 to 255.
  case picture(PictureForm)
  /// Numbers under keys, texts or INT64: in the graph a list of numbers in the order of the keys, or several such as rows.
  case dictionary(keys: GraphValue)
  /// A table: in the graph rows of numbers, of which each column belongs to one of the labels.
  case table(labels: [String])
  /// A single number: in the graph a list of one.
  case number
}

/// The planes and the sizes of a picture that a model takes or gives.
public struct PictureForm: Sendable, Hashable {
  /// The planes of a picture, in their order.
  public enum Colors: String, Sendable, Hashable {
    case gray
    case rgb
    case bgr

    /// How many planes there are.
    public var count: Int { self == .gray ? 1 : 3 }
  }

  /// The sizes that a picture may have.
  public enum Sizes: Sendable, Hashable {
    /// The declared one alone.
    case declared
    /// One of a list.
    case enumerated([Size])
    /// Any within these sides; without an upper bound where it is nil.
    case ranges(width: Range, height: Range)
  }

  /// A width and a height in pixels.
  public struct Size: Sendable, Hashable {
    /// The pixels of a row.
    public var width: Int
    /// The rows.
    public var height: Int

    /// A picture of so many pixels in a row, and so many rows.
    public init(width: Int, height: Int) { (self.width, self.height) = (width, height) }
  }

  /// The least and the greatest length of a side.
  public struct Range: Sendable, Hashable {
    /// The least length.
    public var least: Int
    /// The greatest; nil where there is none.
    public var greatest: Int?

    /// From `least` to `greatest`, both included.
    public init(least: Int, greatest: Int?) { (self.least, self.greatest) = (least, greatest) }

    func contains(_ side: Int) -> Bool { side >= least && side <= greatest ?? .max }
  }

  /// The planes.
  public let colors: Colors
  /// The size that counts where a model takes several.
  public let size: Size
  /// All that it takes.
  public let sizes: Sizes

  /// A picture of these planes and sizes.
  public init(colors: Colors, size: Size, sizes: Sizes = .declared) {
    (self.colors, self.size, self.sizes) = (colors, size, sizes)
  }

  /// Whether the model takes a picture of this size as it is.
  public func allows(_ size: Size) -> Bool {
    switch sizes {
    case .declared: size == self.size
    case .enumerated(let all): all.contains(size)
    case .ranges(let width, let height): width.contains(size.width) && height.contains(size.height)
    }
  }

  /// The shape in the graph of a picture of a size.
  func shape(_ size: Size) -> [Int] { [1, colors.count, size.height, size.width] }
}

extension PictureForm.Size: CustomStringConvertible {
  /// `640 × 480`.
  public var description: String { "\(width) × \(height)" }
}
