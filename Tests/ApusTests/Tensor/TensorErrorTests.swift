import Foundation
import Testing

@testable import Apus

@Suite struct TensorErrorTests {
  private static let errors: [(TensorError, Fault)] = [
    (.argument(operation: "slice", reason: "step 0 is not positive"), .data),
    (.environment(EnvironmentError(variable: "APUS_MEMORY_LIMIT", value: "-1", expected: "bytes")), .usage),
  ]

  @Test(arguments: errors.indices)
  func faultsAreSaid(index: Int) {
    let (error, fault) = Self.errors[index]
    #expect(error.fault == fault)
  }

  /// Without a description of its own Foundation says "error 0".
  @Test(arguments: errors.indices)
  func localizedDescriptionIsTheDescription(index: Int) {
    let error: any Error = Self.errors[index].0
    #expect(error.localizedDescription == "\(error)")
  }
}
