import Foundation
import Testing

@testable import ApusBase

@Suite struct ApusErrorTests {
  private static let errors: [(any ApusError, Fault)] = [
    (FileError.notFound(path: "model.onnx"), .missing), (FileError.empty(path: "model.onnx"), .data),
    (FileError.unwritable(path: "out", reason: "no space"), .inputOutput),
    (EnvironmentError(variable: "APUS_THREADS", value: "many", expected: "a number"), .usage),
    (JSONError(offset: 3, reason: .badNumber), .data),
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
