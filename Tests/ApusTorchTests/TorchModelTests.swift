import Testing
@testable import ApusTorch

struct TorchModelTests {
  @Test func `there are as many operators as are asked for`() {
    #expect(ProgramBuilder.operatorNames.count > 300)
  }
}
