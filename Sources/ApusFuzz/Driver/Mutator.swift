import Apus

/// Makes new inputs of old ones.
struct Mutator {
  /// The largest input, in bytes.
  static let sizeLimit = 1 << 16

  /// Sound inputs; at least one.
  let corpus: [[UInt8]]
  private let target: any FuzzTarget
  /// Words of the format.
  private let dictionary: [[UInt8]]

  init(_ target: any FuzzTarget, corpus: [[UInt8]]) {
    self.target = target
    self.corpus = corpus
    dictionary = target.dictionary.map { Array($0.utf8) }
  }

  /// The input that `random` leads to.
  func makeInput(using random: inout SplitMix64) -> [UInt8] {
    mutated(corpus[random.below(corpus.count)], using: &random)
  }

  /// A changed copy of `input`.
  func mutated(_ input: [UInt8], using random: inout SplitMix64) -> [UInt8] {
    var input = input
    // Mostly one or two changes, so that much of the input stays sound; sometimes many.
    let isVaried = random.once(in: 2)
    repeat {
      if isVaried, let varied = target.vary(input, with: random.element(of: corpus), using: &random) {
        input = varied
      } else {
        mutate(&input, using: &random)
      }
    } while random.once(in: 2)
    if random.once(in: 8) { for _ in 0..<random.below(32) { mutate(&input, using: &random) } }
    if input.count > Self.sizeLimit { input.removeSubrange(Self.sizeLimit...) }
    if random.once(in: 2) { target.mend(&input) }
    return input
  }

  private func mutate(_ input: inout [UInt8], using random: inout SplitMix64) {
    guard !input.isEmpty else {
      input = corpus[random.below(corpus.count)]
      return
    }
    let place = random.below(input.count)
    switch random.below(12) {
    case 0, 1: input[place] ^= 1 << random.below(8)
    case 2: input[place] = UInt8(truncatingIfNeeded: random.next())
    case 3 where random.once(in: 3): input.removeSubrange(place...)
    case 3: swapBytes(in: &input, place, random.below(input.count))
    case 4: input.removeSubrange(range(in: input, using: &random))
    case 5: input.insert(contentsOf: noise(using: &random), at: place)
    case 6: input.insert(contentsOf: input[range(in: input, using: &random)], at: place)
    case 7: splice(into: &input, at: place, using: &random)
    case 8, 9: overwriteNumber(in: &input, at: place, using: &random)
    case 10: overwriteDigits(in: &input, from: place, using: &random)
    default: insertWord(into: &input, at: place, using: &random)
    }
  }
}

// MARK: - Mutations

extension Mutator {
  /// Mostly a short range.
  private func range(in input: [UInt8], using random: inout SplitMix64) -> Range<Int> {
    let start = random.below(input.count)
    let longest = random.once(in: 4) ? input.count - start : min(8, input.count - start)
    return start..<start + 1 + random.below(longest)
  }

  private func noise(using random: inout SplitMix64) -> [UInt8] {
    let count = 1 + random.below(random.once(in: 8) ? 256 : 8)
    if random.once(in: 2) { return [UInt8](repeating: UInt8(truncatingIfNeeded: random.next()), count: count) }
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
  }

  private func swapBytes(in input: inout [UInt8], _ a: Int, _ b: Int) {
    (input[a], input[b]) = (input[b], input[a])
  }

  /// Goes on with the rest of another input, or puts a piece of it in.
  private func splice(into input: inout [UInt8], at place: Int, using random: inout SplitMix64) {
    let other = corpus[random.below(corpus.count)]
    guard !other.isEmpty else { return }
    if random.once(in: 2) {
      input.replaceSubrange(place..., with: other[random.below(other.count)...])
    } else {
      input.insert(contentsOf: other[range(in: other, using: &random)], at: place)
    }
  }

  /// A binary number of a length field: an extreme value, one near the size, or one near what stands there.
  private func overwriteNumber(in input: inout [UInt8], at place: Int, using random: inout SplitMix64) {
    let width = [1, 2, 4, 8][random.below(4)]
    guard place + width <= input.count else { return }
    var old: UInt64 = 0
    for index in 0..<width { old |= UInt64(input[place + index]) << UInt64(8 * index) }
    var value: UInt64
    switch random.below(4) {
    case 0: value = old &+ UInt64(truncatingIfNeeded: random.below(9) - 4)
    case 1: value = UInt64(truncatingIfNeeded: input.count - place + random.below(9) - 4)
    case 2: value = 1 << UInt64(random.below(8 * width)) &- UInt64(random.below(2))
    default: value = [0, 1, .max, UInt64(Int.max), 0x7FFF_FFFF, 0xFFFF_FFFF, 0xFFFF][random.below(7)]
    }
    if random.once(in: 8) { value = value.byteSwapped }
    for index in 0..<width { input[place + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index)) }
  }

  /// A number written in digits, the next one there is.
  private func overwriteDigits(in input: inout [UInt8], from place: Int, using random: inout SplitMix64) {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard let start = input[place...].firstIndex(where: digits.contains) else { return }
    let end = input[start...].firstIndex { !digits.contains($0) } ?? input.count
    let old = Int(String(decoding: input[start..<end], as: UTF8.self)) ?? 0
    let value =
      switch random.below(4) {
      case 0: "\(old &+ random.below(9) &- 4)"
      case 1: "\(1 << random.below(63))"
      case 2: ["0", "-1", "00", "1e9", "1.5", "9223372036854775807", "9223372036854775808"][random.below(7)]
      default: "\(random.below(100))"
      }
    input.replaceSubrange(start..<end, with: Array(value.utf8))
  }

  private func insertWord(into input: inout [UInt8], at place: Int, using random: inout SplitMix64) {
    guard !dictionary.isEmpty else { return }
    let word = dictionary[random.below(dictionary.count)]
    if random.once(in: 2) {
      input.replaceSubrange(place..<min(place + word.count, input.count), with: word)
    } else {
      input.insert(contentsOf: word, at: place)
    }
  }
}
