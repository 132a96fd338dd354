import Apus
import ArgumentParser

/// The root command. It does nothing itself.
struct ApusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apus",
    abstract: "Runs exported neural networks in pure Swift, and reports where two of them differ.",
    discussion: """
      Start with 'apus demo': it checks this installation and runs what ships.

      EXAMPLES
        apus demo
        apus inspect model.onnx
        apus run model.onnx --random 1 --output results
        apus classify photo.jpg --model mobilenet_v2.onnx
        apus compare ours.npz golden.safetensors
        apus parity model.onnx --expected reference.safetensors
        apus behavior poses.jsonl
        apus suggest "how are "

      ENVIRONMENT
        APUS_WEIGHTS       folder with weights, instead of those that ship
        APUS_THREADS       number of threads, 1 to 256, one a core when unset;
                           changes no result
        APUS_KERNELS       instruction set: baseline; avx2, avxvnni or avx512 on
                           x86-64, dotprod or i8mm on arm64
        APUS_BLAS          path of the BLAS library, or none
        APUS_MEMORY_LIMIT  the most memory that tensors may take: bytes, or a
                           number with K, M or G; when unset, half of the
                           machine's, or what the process may use
        APUS_SESSIONS      folder in which runs are kept, see 'apus history'
        NO_COLOR           no colours, even on a terminal
      A value that makes no sense is an error (64).

      FILES
        Files are written beside their places as NAME.part, and get their names
        when they are complete. Tables that are written row by row, and videos,
        keep what was finished as NAME.part when the command is interrupted.
        No file that is read may be written (64).

      EXIT STATUS
         0  success                    66  no such input
         1  compared and different     70  internal error
        64  wrong command line         74  reading or writing failed
        65  bad data, or a limit on    75  longer than --time-limit
            memory or loops            128 + n  ended by signal n

      SHELL COMPLETION
        apus --generate-completion-script bash|zsh|fish
      """,
    version: ApusVersion.current,
    subcommands: [
      DemoCommand.self, RunCommand.self, InspectCommand.self, CompareCommand.self, ParityCommand.self,
      ReduceCommand.self, DetectCommand.self, PoseCommand.self, ClassifyCommand.self, BreedCommand.self,
      ImageCommand.self,
      BehaviorCommand.self, BarPathCommand.self, ArmDriftCommand.self, HistoryCommand.self, SuggestCommand.self,
      FillCommand.self,
      TypeCommand.self, TokenizeCommand.self, QuantizeCommand.self, VerifyCommand.self, ConformanceCommand.self,
      DoctorCommand.self,
    ])
}
