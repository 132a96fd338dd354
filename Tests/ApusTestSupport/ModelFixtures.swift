import Apus
import Foundation

/// The package's folder.
package let packageFolder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()

/// A file below `Weights`.
package func shipped(_ name: String) -> String {
  packageFolder.appending(path: "Weights/\(name)").path(percentEncoded: false)
}

/// A file below `Tests/Fixtures`.
package func fixture(_ name: String) -> String {
  packageFolder.appending(path: "Tests/Fixtures/\(name)").path(percentEncoded: false)
}

/// Variants whose loops over floats differ. Those that differ in products of bytes have another one's, which `ProcessorTests`
/// holds them to.
package let floatingPointVariants = Execution.availableVariants.filter { $0 == $0.base }

/// What a model may be run on: every kernel variant of this processor, with and without a BLAS library.
package struct Setting: CustomStringConvertible, Sendable {
  package var variant: KernelVariant
  package var usesBLAS: Bool

  package static let all = Execution.availableVariants.flatMap { variant in
    [Setting(variant: variant, usesBLAS: true), Setting(variant: variant, usesBLAS: false)]
  }

  package var description: String { variant.rawValue + (usesBLAS ? " with BLAS" : "") }

  package func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    try Execution.with(variant: variant, usesBLAS: usesBLAS, body)
  }
}
