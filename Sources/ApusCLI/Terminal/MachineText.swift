import Apus

/// A diagnosis as text.
struct MachineText {
  let diagnosis: Diagnosis

  init(_ diagnosis: Diagnosis) { self.diagnosis = diagnosis }

  /// What runs the kernels, in one line.
  var line: String {
    let threads = diagnosis.threads == 1 ? "1 thread" : "\(diagnosis.threads) threads"
    let blas = diagnosis.blas.map { "BLAS for \($0.core)" } ?? "no BLAS"
    return "\(diagnosis.processor.name); \(diagnosis.kernels.selected.rawValue) kernels, \(blas), \(threads)"
  }

  /// Everything, in columns.
  var text: String {
    let terminal = Terminal.output
    var table = TextTable(separator: "   ")
    func add(_ label: String, _ text: String) {
      table.add("  " + terminal.styled(label, .dim), ErrorReport.oneLine(text))
    }
    let available = diagnosis.kernels.available.map(\.rawValue).joined(separator: ", ")
    let cores = diagnosis.processor.cores
    add("processor", diagnosis.processor.name)
    if !diagnosis.processor.features.isEmpty { add("features", diagnosis.processor.features.joined(separator: " ")) }
    add("kernels", "\(diagnosis.kernels.selected.rawValue) (this processor runs \(available))")
    add("threads", "\(diagnosis.threads) on \(cores) core\(cores == 1 ? "" : "s")")
    if let blas = diagnosis.blas {
      add("BLAS", "\(blas.library), kernels for \(blas.core)")
      add("", blas.config)
    } else {
      add("BLAS", "none: Swift multiplies matrices")
    }
    var lines = [terminal.styled("Apus \(ApusVersion.current)", .bold), ""] + table.lines + [""]
    lines += diagnosis.warnings.map { terminal.styled("!", .yellow) + " " + ErrorReport.oneLine($0) }
    if diagnosis.warnings.isEmpty { lines.append("\(terminal.mark(true)) nothing to complain about") }
    return lines.map { $0 + "\n" }.joined()
  }
}
