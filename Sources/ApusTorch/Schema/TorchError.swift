import Apus

/// Why an archive of `torch.export` cannot be read.
public struct TorchError: ApusError, Hashable, Sendable {
  /// The archive, as it was named when it was opened.
  public let file: String
  /// What is wrong.
  public let reason: Reason

  /// What can be wrong with an archive.
  public enum Reason: Error, Hashable, Sendable {
    /// What is no ZIP archive, or a damaged one.
    case zip(String)
    /// An entry of the archive that is missing, or is not as it should be: which, and what is wrong.
    case entry(String, String)
    /// Something in the program that contradicts the format: where, and what is wrong.
    case invalid(at: String, String)
    /// Something that the format has and Apus does not: where, what it is, and what helps, if anything does.
    case unsupported(at: String, String, advice: String)
  }

  /// What helps where an archive is too old.
  static let exportAnew =
    "write it anew with torch 2.9 or later: torch.export.save(torch.export.load(\"model.pt2\"), \"model.pt2\")"

  /// What makes a program of core operators.
  static let decomposing =
    "torch.export.save(torch.export.load(\"model.pt2\").run_decompositions(), \"core.pt2\")"

  init(_ file: String, _ reason: Reason) {
    self.file = file
    self.reason = reason
  }
}

extension TorchError: CustomStringConvertible {
  /// The file, and what is wrong.
  public var description: String { "\(file): \(reason)" }
}

extension TorchError.Reason: CustomStringConvertible {
  /// What is wrong, without the file.
  public var description: String {
    switch self {
    case .zip(let what): "not an archive of torch.export, or damaged: \(what)"
    case .entry(let name, let what): "entry '\(name)': \(what)"
    case .invalid(let place, let what): place.isEmpty ? what : "\(place): \(what)"
    case .unsupported(let place, let what, let advice):
      (place.isEmpty ? "" : "\(place): ") + "\(what) is not supported" + (advice.isEmpty ? "" : "; \(advice)")
    }
  }
}

extension TorchError {
  /// ``Fault/data``: the file is damaged, or has what Apus does not know.
  public var fault: Fault { .data }
}
