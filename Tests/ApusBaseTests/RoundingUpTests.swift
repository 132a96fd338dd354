import Testing

@testable import ApusBase

@Suite struct RoundingUpTests {
  @Test func numbersAreRoundedUpToWholeParts() {
    #expect([0, 1, 7, 8, 9, 16].map { $0.dividedRoundingUp(by: 8) } == [0, 1, 1, 1, 2, 2])
    #expect([0, 1, 7, 8, 9, 16].map { $0.roundedUp(toMultipleOf: 8) } == [0, 8, 8, 8, 16, 16])
    #expect([0, 5, 6].map { $0.dividedRoundingUp(by: 1) } == [0, 5, 6])
  }
}
