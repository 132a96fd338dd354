import Apus
import ArgumentParser

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Say what Apus found on this machine.",
    discussion: """
      Processor, kernel variant, BLAS library and threads, as the environment sets them and this machine allows; and a \
      warning for everything that makes Apus slower than it could be.

      EXAMPLES
        apus doctor
        APUS_KERNELS=avx2 APUS_BLAS=none apus doctor
        apus doctor --json | jq -r '.warnings[]'
      """)

  @Flag(help: "Print one line of JSON: processor, kernels, blas, threads, warnings.")
  var json = false

  func run() throws {
    let diagnosis = Diagnosis()
    try Output.write(json ? jsonText(diagnosis) + "\n" : MachineText(diagnosis).text)
  }
}
