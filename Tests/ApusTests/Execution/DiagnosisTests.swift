import FoundationEssentials
import Testing

@testable import Apus

@Suite struct DiagnosisTests {
  private func diagnosis(
    selected: KernelVariant = .avx2, threads: Int = 2, blas: Diagnosis.Library? = nil, warnings: [String] = []
  ) -> Diagnosis {
    Diagnosis(
      processor: .init(name: "A Processor", cores: 2, features: ["fma", "avx2"]),
      kernels: .init(selected: selected, available: [.baseline, .avx2]), blas: blas, threads: threads,
      warnings: warnings)
  }

  private func keys(of value: some Encodable) throws -> Set<String> {
    let data = try JSONEncoder().encode(value)
    return Set(try JSONDecoder().decode([String: Anything].self, from: data).keys)
  }
  /// Decodes whatever there is, null included.
  private struct Anything: Decodable { init(from decoder: any Decoder) throws {} }

  @Test func theKeysAreThosePromised() throws {
    #expect(try keys(of: Diagnosis()) == ["processor", "kernels", "blas", "threads", "warnings"])
    #expect(try keys(of: diagnosis(blas: nil)) == ["processor", "kernels", "blas", "threads", "warnings"])
    #expect(try keys(of: Diagnosis().processor) == ["name", "cores", "features"])
    #expect(try keys(of: Diagnosis().kernels) == ["selected", "available"])
    #expect(try keys(of: Diagnosis.Library(library: "l", core: "c", config: "g")) == ["library", "core", "config"])
  }

  @Test func encodingAndDecodingAgree() throws {
    for blas in [nil, Diagnosis.Library(library: "libopenblas.so.0", core: "Haswell", config: "OpenBLAS 0.3")] {
      let diagnosis = diagnosis(blas: blas, warnings: ["one", "two"])
      let data = try JSONEncoder().encode(diagnosis)
      #expect(try JSONDecoder().decode(Diagnosis.self, from: data) == diagnosis)
    }
  }

  @Test func whatIsSlowIsWarnedOf() {
    let fine = diagnosis().warnings.count
    #expect(diagnosis(selected: .baseline).warnings.contains { $0.contains("baseline") && $0.contains("avx2") })
    #expect(diagnosis(selected: .baseline).warnings.count == fine + 1)
    #expect(diagnosis(threads: 3).warnings.contains { $0.contains("3 threads") })
    #expect(diagnosis(threads: 3).warnings.count == fine + 1)
    #expect(diagnosis(warnings: ["something else"]).warnings.first == "something else")
  }

  @Test func theDescriptionSaysEverything() {
    let blas = Diagnosis.Library(library: "libopenblas.so.0", core: "Haswell", config: "OpenBLAS 0.3.21")
    let text = diagnosis(threads: 7, blas: blas, warnings: ["mind the gap"]).description
    for part in ["A Processor", "fma avx2", "7", "avx2", "libopenblas.so.0", "Haswell", "0.3.21", "mind the gap"] {
      #expect(text.contains(part))
    }
    #expect(diagnosis().description.contains("none"))
  }

  @Test func itSpeaksOfTheSettingsGiven() {
    let diagnosis = Execution.with(threads: 5, variant: .baseline, usesBLAS: false) { Diagnosis() }
    #expect(diagnosis.threads == 5)
    #expect(diagnosis.kernels.selected == .baseline)
    #expect(diagnosis.blas == nil)
  }
}
