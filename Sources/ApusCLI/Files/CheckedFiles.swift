import Apus
import ApusPlatform

/// The files of a command line, none of which is written over another: for the files inside folders, whose names are
/// known only when they are made.
struct CheckedFiles: Sendable {
  /// Those of the command that runs.
  @TaskLocal static var current = CheckedFiles()

  private var inputs: [FileIdentity: (path: String, input: FilePlan.Input)] = [:]
  private var folders: [FileIdentity: FilePlan.Input] = [:]
  private var outputs: [FileIdentity: FilePlan.Output] = [:]
  /// The outputs by their places: files that are replaced become others, at the same place.
  private var places: [String: FilePlan.Output] = [:]
  /// The outputs by the places where they are until they are complete.
  private var parts: [String: FilePlan.Output] = [:]
  /// What is read that only the command found out.
  private let found = Locked<[FileIdentity: (path: String, input: FilePlan.Input)]>([:])

  /// Checks a file before it is written.
  /// - Throws: ``CommandFailure`` where it is one that is read, or written under another option.
  func check(_ path: String) throws {
    guard let (identity, kind) = FileIdentity.of(path) else { return }
    var files = self
    try files.add(FilePlan.Output(path: path, role: "", kind: .file), identity, kind)
  }

  /// Takes files that are read too, as only the command found out: from here on they are spared as the others are.
  /// - Throws: ``CommandFailure`` where one of them is to be written.
  func add(_ paths: [String], as role: String) throws {
    for path in paths {
      let input = FilePlan.Input(path: path, role: role)
      guard let (identity, kind) = FileIdentity.of(path), kind == .file else { continue }
      if let output = outputs[identity] { throw Self.same(output, input) }
      found.withLock { $0[identity] = (path, input) }
    }
  }

  /// Adds the files with weights of a model, once that is open.
  /// - Throws: ``CommandFailure`` where one of them is to be written.
  func addData(_ paths: [String]) throws { try add(paths, as: "the model's data") }

  /// Adds what is read: a file, or those of a folder.
  mutating func add(_ input: FilePlan.Input) {
    if input.path == "-" {
      if let identity = FileIdentity.ofFile(STDIN_FILENO) { inputs[identity] = ("-", input) }
    } else {
      add(input, at: input.path, depth: 0)
    }
  }

  private mutating func add(_ input: FilePlan.Input, at path: String, depth: Int) {
    // What is not there is for the command to miss.
    guard let (identity, kind) = FileIdentity.of(path) else { return }
    switch kind {
    case .file where depth == 0 || inputs[identity] == nil: inputs[identity] = (path, input)
    case .folder where depth < input.depth:
      folders[identity] = input
      let input = (try? FileFormat(of: path)) == .coreMLPackage ? input.readingPackage(at: depth) : input
      for name in (try? folderNames(at: path)) ?? [] { add(input, at: "\(path)/\(name)", depth: depth + 1) }
    case .file, .folder, .absent, .other: break
    }
  }

  /// Adds what is written.
  /// - Throws: ``CommandFailure`` where it is something that was added before.
  mutating func add(
    _ output: FilePlan.Output, _ identity: FileIdentity, _ kind: FileIdentity.Kind
  ) throws {
    if kind == .other { return }
    if let (path, input) = inputs[identity] ?? found.withLock({ $0[identity] }),
      path == input.path || input.isRead(path)
    {
      throw Self.same(output, input, inside: path)
    }
    if output.kind == .folder, let input = folders[identity] {
      throw CommandFailure(
        .usage,
        "\(output.text) is the folder of \(input.text), whose files are read; expected another folder to write to")
    }
    let place = output.path == "-" ? nil : FileIdentity.place(of: output.path)
    if let other = outputs[identity] ?? place.flatMap({ places[$0] }), other.kind == .file || output.kind == .file {
      throw CommandFailure(.usage, "\(other.text) and \(output.text) are the same file; expected two to write to")
    }
    outputs[identity] = output
    if let place { try add(output, at: place) }
  }

  /// Adds where a file is going to be, and where it is until then.
  private mutating func add(_ output: FilePlan.Output, at place: String) throws {
    places[place] = output
    guard output.kind == .file else { return }
    let part = FileIdentity.place(of: AtomicFile.part(of: output.path))
    if let other = parts[place] { throw Self.crossing(other, output) }
    if let part, let other = places[part], other.kind == .file { throw Self.crossing(output, other) }
    if let part { parts[part] = output }
  }

  private static func crossing(_ output: FilePlan.Output, _ other: FilePlan.Output) -> CommandFailure {
    CommandFailure(
      .usage,
      "\(output.text) is written as \(AtomicFile.part(of: output.path)) until it is complete, and that is "
        + "\(other.text); expected another file to write to")
  }

  private static func same(
    _ output: FilePlan.Output, _ input: FilePlan.Input, inside path: String? = nil
  ) -> CommandFailure {
    let place = path.flatMap { $0 == input.path ? nil : " (\($0))" } ?? ""
    return CommandFailure(
      .usage, "\(output.text) and \(input.text)\(place) are the same file; expected another one to write to")
  }
}
