/// What Apus found on this machine, what it uses of it, and what makes it slower than it could be.
///
/// `apus doctor` prints it; `description` is the text for people, the encoding the one for programs. Making one loads
/// the BLAS library if that has not happened.
public struct Diagnosis: Codable, Sendable, Hashable {
  /// What runs the kernels.
  public struct Processor: Codable, Sendable, Hashable {
    /// As its maker writes it. Under an emulator, that of the machine outside.
    public let name: String
    /// The processors that this process may use.
    public let cores: Int
    /// The instruction-set extensions that matter to Apus, as `/proc/cpuinfo` spells them.
    public let features: [String]
  }

  /// The copies of the kernels.
  public struct Kernels: Codable, Sendable, Hashable {
    /// The variant in use.
    public let selected: KernelVariant
    /// The variants that this processor can run, the widest last.
    public let available: [KernelVariant]
  }

  /// The library that multiplies matrices.
  public struct Library: Codable, Sendable, Hashable {
    /// What was opened, a file name or a path.
    public let library: String
    /// The processor family that its kernels were written for.
    public let core: String
    /// Its own description of its version and build.
    public let config: String
  }

  /// The processor this process runs on.
  public let processor: Processor
  /// Which copies of the kernels it can run, and which of them is in use.
  public let kernels: Kernels
  /// Nil where matrices are multiplied by Swift kernels.
  public let blas: Library?
  /// The number of threads an operator may use.
  public let threads: Int
  /// What is wrong with the settings, and what is slow; a sentence each.
  public let warnings: [String]

  /// The state of things under some settings.
  public init(of execution: Execution = .current) {
    let library = execution.usesBLAS ? BLAS.shared : nil
    let warnings = Execution.warnings + (execution.usesBLAS ? BLAS.warnings : [])
    self.init(
      processor: Processor(
        name: ProcessorInformation.name, cores: ProcessorInformation.coreCount,
        features: ProcessorFeatures.current.names),
      kernels: Kernels(selected: execution.variant, available: Execution.availableVariants),
      blas: library.map { Library(library: $0.library, core: $0.core, config: $0.config) },
      threads: execution.threads, warnings: warnings)
  }

  /// - Parameter warnings: those found so far; what the other arguments show to be slow is added.
  init(processor: Processor, kernels: Kernels, blas: Library?, threads: Int, warnings: [String]) {
    self.processor = processor
    self.kernels = kernels
    self.blas = blas
    self.threads = threads
    var warnings = warnings
    if let best = kernels.available.last, best != kernels.selected {
      warnings.append("the \(kernels.selected.rawValue) kernels are in use; this processor runs \(best.rawValue)")
    }
    if threads > processor.cores {
      warnings.append("\(threads) threads share \(processor.cores) processor\(processor.cores == 1 ? "" : "s")")
    }
    #if DEBUG
      warnings.append("built for debugging: all but the kernels is slow")
    #endif
    self.warnings = warnings
  }
}

extension Diagnosis {
  /// Like the synthesised one, but `blas` is there as null when there is none.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(processor, forKey: .processor)
    try container.encode(kernels, forKey: .kernels)
    try container.encode(blas, forKey: .blas)
    try container.encode(threads, forKey: .threads)
    try container.encode(warnings, forKey: .warnings)
  }
}

extension Diagnosis: CustomStringConvertible {
  /// A few lines for people to read.
  public var description: String {
    let variants = kernels.available.map(\.rawValue).joined(separator: ", ")
    var lines = [
      ("processor", processor.name),
      ("", processor.features.joined(separator: " ")),
      ("cores", "\(processor.cores)"),
      ("threads", "\(threads)"),
      ("kernels", "\(kernels.selected.rawValue) (this processor runs \(variants))"),
    ]
    if let blas {
      lines += [("BLAS", "\(blas.library), kernels for \(blas.core)"), ("", blas.config)]
    } else {
      lines += [("BLAS", "none; Swift kernels")]
    }
    lines += warnings.map { ("warning", $0) }
    return lines.map { label, text in
      label + String(repeating: " ", count: max(1, 11 - label.count)) + text
    }.joined(separator: "\n")
  }
}
