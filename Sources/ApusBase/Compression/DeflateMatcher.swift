/// Finds repetitions: strings that stand within the last 32 KiB already.
struct DeflateMatcher {
  static let shortest = 4
  static let longest = 258
  private static let window = 1 << 15
  private static let hashBits = 15
  /// How many earlier places are looked at.
  private static let patience = 32
  /// A repetition of so many bytes is good enough to look at fewer places for a better one, a byte later.
  private static let good = 8
  /// One of so many is taken without looking for a better one a byte later.
  private static let fine = 32
  /// One of so many ends the search.
  private static let nice = 128

  private let input: UnsafeRawBufferPointer
  private var position = 0
  /// The place of the latest string with each hash, modulo 2³². One that was never set leads to the beginning, which
  /// does no harm: what is found is compared byte by byte.
  private let heads: UnsafeMutablePointer<UInt32>
  /// For each place in the window, the one before it with the same hash.
  private let previous: UnsafeMutablePointer<UInt32>
  /// The repetition that begins one byte before `position`, or none, and whether that byte is still to be written.
  private var pendingLength = 0
  private var pendingDistance = 0
  private var hasPending = false

  init(_ input: UnsafeRawBufferPointer) {
    self.input = input
    heads = .allocate(capacity: 1 << Self.hashBits)
    heads.initialize(repeating: 0, count: 1 << Self.hashBits)
    previous = .allocate(capacity: Self.window)
    previous.initialize(repeating: 0, count: Self.window)
  }

  func deallocate() {
    heads.deallocate()
    previous.deallocate()
  }

  /// Whether all of the input has been given out.
  var isDone: Bool { position >= input.count && !hasPending }

  /// How many bytes of the input have been given out.
  var settled: Int { hasPending ? position - 1 : position }

  /// Gives out literals and repetitions until `block` is full, or there are no more.
  mutating func fill(_ block: inout DeflateBlock) {
    while !block.isFull, position < input.count {
      var (length, distance) = (0, 0)
      if input.count - position >= Self.shortest {
        let candidate = insert(position)
        if pendingLength < Self.fine { (length, distance) = search(from: candidate) }
      }
      if pendingLength > 0, length <= pendingLength {
        block.append(length: pendingLength, distance: pendingDistance)
        let end = position - 1 + pendingLength
        let last = min(end, input.count - Self.shortest + 1)
        position += 1
        while position < last {
          _ = insert(position)
          position += 1
        }
        position = end
        hasPending = false
        pendingLength = 0
      } else {
        if hasPending { block.append(literal: input[position - 1]) }
        hasPending = true
        (pendingLength, pendingDistance) = (length, distance)
        position += 1
      }
    }
    // A repetition that begins with the last byte would be too short, so what is left is a literal.
    if position >= input.count, hasPending, !block.isFull {
      block.append(literal: input[position - 1])
      hasPending = false
    }
  }

  @inline(__always)
  private func word(_ place: Int) -> UInt32 { input.loadUnaligned(fromByteOffset: place, as: UInt32.self) }

  /// Remembers the string at `place`.
  /// - Returns: where one with the same hash stands, modulo 2³².
  @inline(__always)
  private func insert(_ place: Int) -> UInt32 {
    let hash = Int((word(place) &* 0x9E37_79B1) >> UInt32(32 - Self.hashBits))
    let candidate = heads[hash]
    previous[place & (Self.window - 1)] = candidate
    heads[hash] = UInt32(truncatingIfNeeded: place)
    return candidate
  }

  /// The longest repetition at `position` that is longer than the pending one; length 0 when there is none.
  private func search(from first: UInt32) -> (length: Int, distance: Int) {
    var best = max(pendingLength, Self.shortest - 1)
    var bestDistance = 0
    let most = min(Self.longest, input.count - position)
    guard most > best else { return (0, 0) }
    let start = word(position)
    var end = word(position + best - 3)
    var candidate = first
    var lastDistance = 0
    for _ in 0..<(pendingLength >= Self.good ? Self.patience / 4 : Self.patience) {
      let distance = Int(UInt32(truncatingIfNeeded: position) &- candidate)
      // Farther and farther, or these are the rests of an earlier part of the input.
      guard distance > lastDistance, distance <= min(position, Self.window) else { break }
      lastDistance = distance
      let place = position - distance
      if word(place + best - 3) == end, word(place) == start {
        let length = commonLength(place, most)
        if length > best {
          best = length
          bestDistance = distance
          if length >= min(Self.nice, most) { break }
          end = word(position + best - 3)
        }
      }
      candidate = previous[place & (Self.window - 1)]
    }
    return bestDistance == 0 ? (0, 0) : (best, bestDistance)
  }

  /// How many bytes are equal at `place` and at `position`, at most `most`.
  @inline(__always)
  private func commonLength(_ place: Int, _ most: Int) -> Int {
    var length = 0
    while most - length >= 8 {
      let here = input.loadUnaligned(fromByteOffset: position + length, as: UInt64.self)
      let there = input.loadUnaligned(fromByteOffset: place + length, as: UInt64.self)
      if here != there { return length + UInt64(littleEndian: here ^ there).trailingZeroBitCount / 8 }
      length += 8
    }
    while length < most, input[place + length] == input[position + length] { length += 1 }
    return length
  }
}
