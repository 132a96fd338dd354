import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

@Suite struct ElementTypeTests {
  @Test func numbersAreTheStandards() {
    #expect(ElementType.float.rawValue == 1)
    #expect(ElementType.complex128.rawValue == 15)
    #expect(ElementType.float8e4m3fn.rawValue == 17)
    #expect(ElementType.float8e8m0.rawValue == 24)
    #expect(ElementType.int2.rawValue == 26)
    #expect(ElementType.float6e3m2.rawValue == 28)
  }

  @Test(arguments: DataType.allCases)
  func everyTensorTypeHasAnElementType(_ dataType: DataType) {
    #expect(ElementType(dataType).dataType == dataType)
    #expect(ElementType(dataType).bitCount == dataType.byteCount * 8)
  }
}
