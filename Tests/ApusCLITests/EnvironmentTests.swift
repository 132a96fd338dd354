import ApusTestSupport
import Foundation
import Testing

@testable import Apus

/// What the environment asks for is done, or refused.
@Suite struct EnvironmentTests {
  @Test(arguments: [
    ("APUS_MEMORY_LIMIT", "abc"), ("APUS_MEMORY_LIMIT", "-1"), ("APUS_MEMORY_LIMIT", "0"), ("APUS_THREADS", "0"),
    ("APUS_THREADS", "many"), ("APUS_KERNELS", "sse9"), ("APUS_BLAS", "/nowhere/libopenblas.so"),
    ("APUS_BLAS", "libc.so.6"),
  ])
  func aValueThatMakesNoSenseIsAnError(variable: String, value: String) throws {
    for arguments in [["doctor"], ["inspect", shipped("behavior/shipped/behavior-classifier.safetensors")]] {
      let result = try Command.run(arguments, environment: [variable: value])
      #expect(result.status == 64 && result.output.isEmpty)
      #expect(result.errors.hasPrefix("apus: \(variable)=\(value): expected "))
      #expect(result.errors.split(separator: "\n").count == 1)
    }
  }

  @Test func helpNeedsNoEnvironment() throws {
    #expect(try Command.run("--help", environment: ["APUS_THREADS": "many"]).status == 0)
  }

  @Test func aLimitIsKept() throws {
    let walking = shipped("behavior/samples/walking.jsonl")
    let result = try Command.run("behavior", walking, environment: ["APUS_MEMORY_LIMIT": "4K"])
    #expect(result.status != 0 && result.errors.contains("4096"))
    #expect(try Command.run("behavior", walking, environment: ["APUS_MEMORY_LIMIT": "1G"]).status == 0)
  }

  private static let lacking = KernelVariant.allCases.filter { !Execution.availableVariants.contains($0) }

  @Test(.enabled(if: !lacking.isEmpty, "this processor has every variant"), arguments: lacking)
  func aVariantThatTheProcessorLacksIsAWarning(variant: KernelVariant) throws {
    let result = try Command.run("doctor", "--json", environment: ["APUS_KERNELS": variant.rawValue])
    #expect(result.status == 0)
    #expect(result.errors.contains("APUS_KERNELS=\(variant.rawValue): this processor runs "))
  }
}
