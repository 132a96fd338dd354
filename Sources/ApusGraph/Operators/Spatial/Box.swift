import Apus

/// A box in a plane, of which it is asked how much others overlap it.
struct Box<Scalar: FloatingPointScalar> {
  let left, right, top, bottom, area: Scalar

  /// Opposite corners, y₁, x₁, y₂, x₂ from `index` on, or with `isCentered` x, y, width, height. The area is that of
  /// the corners.
  init(_ numbers: [Scalar], at index: Int, isCentered: Bool) {
    let (a, b, c, d) = (numbers[index], numbers[index + 1], numbers[index + 2], numbers[index + 3])
    if isCentered {
      (left, right, top, bottom) = (a - c / 2, a + c / 2, b - d / 2, b + d / 2)
    } else {
      (left, right, top, bottom) = (min(b, d), max(b, d), min(a, c), max(a, c))
    }
    area = (right - left) * (bottom - top)
  }

  /// x, y, width, height, with the area of the size that is given: corners are rounded, and differences of them are
  /// not it.
  init(sized numbers: [Scalar], at index: Int) {
    let (x, y, width, height) = (numbers[index], numbers[index + 1], numbers[index + 2], numbers[index + 3])
    (left, right, top, bottom) = (x - width / 2, x + width / 2, y - height / 2, y + height / 2)
    area = width * height
  }

  /// The area that both have over the area that either has; nil where they have none in common, or what is no number.
  func intersectionOverUnion(_ other: Box) -> Scalar? {
    // A comparison with what is no number fails.
    let width = (other.right < right ? other.right : right) - (other.left >= left ? other.left : left)
    let height = (other.bottom < bottom ? other.bottom : bottom) - (other.top >= top ? other.top : top)
    guard width > 0, height > 0 else { return nil }
    let common = width * height
    let union = area + other.area - common
    return common > 0 && union > 0 ? common / union : nil
  }
}
