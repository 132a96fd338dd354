/// The lowest `count` bits of a canonical code in the opposite order: such codes are counted with their first bit
/// highest, and deflate's bytes have it lowest.
func reversedBits(_ code: Int, count: Int) -> Int {
  var (rest, result) = (code, 0)
  for _ in 0..<count {
    result = result << 1 | rest & 1
    rest >>= 1
  }
  return result
}
