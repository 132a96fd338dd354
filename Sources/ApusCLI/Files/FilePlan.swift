import Apus
import ApusMedia
import ApusPlatform
import ArgumentParser

/// A command that writes files, of which standard output may be one. What it reads is safe from them: before it runs, its
/// plan is checked.
protocol WritesFiles: ParsableCommand {
  /// Every file that the command line names, or implies.
  var files: FilePlan { get throws }
}

/// What a command line reads and writes.
struct FilePlan: Sendable {
  /// Something that is read.
  struct Input: Sendable {
    /// As the command line has it; `-` for standard input.
    var path: String
    /// The option that names it, or what it is.
    var role: String
    /// How many folders deep the files of a folder are read.
    var depth = 1
    /// Whether a file of the folder is read.
    var isRead: @Sendable (String) -> Bool = { _ in true }

    /// How messages call it.
    var text: String { path == "-" ? "standard input" : "\(role) \(path)" }

    /// The same from the folder of a package on, `depth` folders deep: all of its files are the model's.
    func readingPackage(at depth: Int) -> Input {
      var input = self
      (input.depth, input.isRead) = (max(self.depth, depth + 8), { _ in true })
      return input
    }
  }

  /// Something that is written.
  struct Output: Sendable {
    /// What is written.
    enum Kind: Sendable {
      case file
      /// A folder, whose files may be replaced.
      case folder
      /// A folder that gets a new folder inside, and in which nothing is replaced.
      case collection
    }

    /// As the command line has it; `-` for standard output.
    var path: String
    /// The option that names it, or what it is.
    var role: String
    /// What it will be.
    var kind: Kind
    /// Whether `-` is standard output.
    var mayBeStandardOutput = false
    /// Whether the command goes on without it.
    var isDispensable = false
    /// Refuses a name that says that the file will be of a kind which is not written; nil where all names do.
    var checkName: (@Sendable () throws -> Void)?

    /// How messages call it.
    var text: String { path == "-" ? "standard output" : role.isEmpty ? path : "\(role) \(path)" }

    /// What has an ending is a file, whose folder must be there; folders are made.
    /// - Throws: ``CommandFailure`` before any work is done for what could not be written.
    func checkPlace() throws {
      if path == "-" {
        if mayBeStandardOutput { return }
        throw CommandFailure(
          .usage,
          "\(role) -: \(kind == .file ? "a file" : "a folder") was expected; this is not written to standard output")
      }
      guard kind == .file, path.split(separator: "/").last?.contains(".") == true else { return }
      let folder = parentFolder(of: path)
      guard isFolder(folder) else {
        throw CommandFailure(.inputOutput, "\(text): cannot be written: there is no folder \(folder)")
      }
    }

    /// - Parameter present: what is at the place now.
    /// - Throws: ``CommandFailure`` where something else is there than will be written, and for a name whose ending
    ///   says that it will be of a kind that is not written.
    func check(_ present: FileIdentity.Kind) throws {
      switch (kind, present) {
      case (.file, .folder):
        throw CommandFailure(.inputOutput, "\(text): cannot be written: is a folder; a file was expected")
      case (.folder, .file), (.collection, .file), (.folder, .other), (.collection, .other):
        if !isDispensable { throw CommandFailure(.inputOutput, "\(text): is not a folder; outputs go to a folder") }
      default: break
      }
      if present != .folder { try checkName?() }
    }
  }

  private var inputs: [Input] = []
  private var outputs: [Output] = []

  /// - Parameters:
  ///   - path: a file, a folder whose files are all read, or `-` for standard input.
  ///   - role: the option that names it.
  mutating func reads(_ path: String?, as role: String) {
    if let path { inputs.append(Input(path: path, role: role)) }
  }

  /// - Parameter path: a picture, a video, a folder of pictures, or `-`.
  mutating func readsPictures(_ path: String?, as role: String) {
    if let path { inputs.append(Input(path: path, role: role, isRead: Self.isPicture)) }
  }

  /// - Parameters:
  ///   - path: a file, or a folder.
  ///   - endings: how the names of those files of the folder end that are read.
  ///   - depth: how deep they may be.
  mutating func reads(_ path: String?, as role: String, endings: [String], depth: Int) {
    reads(path, as: role, depth: depth) { name in endings.contains { name.hasSuffix($0) } }
  }

  /// - Parameters:
  ///   - path: a file, or a folder.
  ///   - depth: how deep those files of the folder may be that are read.
  ///   - isRead: which of them are.
  mutating func reads(
    _ path: String?, as role: String, depth: Int, where isRead: @escaping @Sendable (String) -> Bool
  ) {
    if let path { inputs.append(Input(path: path, role: role, depth: depth, isRead: isRead)) }
  }

  /// - Parameters:
  ///   - path: where the file goes, or `-` for standard output.
  ///   - role: the option that names it.
  ///   - isDispensable: whether the command goes on, with a warning, where it cannot be written.
  ///   - endings: what a name may end in, if it has an ending; anything where there are none.
  mutating func writes(
    _ path: String?, as role: String, _ kind: Output.Kind = .file, isDispensable: Bool = false, endings: [String] = []
  ) {
    guard let path else { return }
    var output = Output(path: path, role: role, kind: kind, isDispensable: isDispensable)
    if !endings.isEmpty {
      output.checkName = {
        guard let ending = FileKind.ending(of: path), !endings.contains(ending) else { return }
        let expected = endings.map { "." + $0 }.joined(separator: ", ")
        throw CommandFailure(
          .usage, "\(role) \(path): .\(ending) is not written; a name that ends in \(expected) was expected")
      }
    }
    outputs.append(output)
  }

  mutating func writes(_ output: Output) { outputs.append(output) }

  /// Compares everything that is written with everything that is read, and with each other.
  /// - Throws: ``CommandFailure`` where two are the same file, and where one cannot be written at its place.
  func checked() throws -> CheckedFiles {
    // Folders that the command makes are not there yet.
    let made = Set(outputs.filter { $0.kind != .file }.compactMap { FileIdentity.place(of: $0.path) })
    for output in outputs where !(Self.folder(of: output).map(made.contains) ?? false) { try output.checkPlace() }
    var files = CheckedFiles()
    let toFile = FileIdentity.ofFile(STDOUT_FILENO)
    guard toFile != nil || !outputs.isEmpty else { return files }
    for input in inputs { files.add(input) }
    let standardOutput = Output(path: "-", role: "", kind: .file)
    if let toFile { try files.add(standardOutput, toFile, .file) }
    var present: [(output: Output, kind: FileIdentity.Kind)] = []
    for output in outputs where output.path != "-" {
      guard let (identity, kind) = FileIdentity.of(output.path) else { continue }
      try files.add(output, identity, kind)
      present.append((output, kind))
    }
    // That nothing is written over is said first, whatever its name.
    for (output, kind) in present { try output.check(kind) }
    try makeFolders()
    return files
  }

  /// Makes the folders of outputs in which other options have theirs, which may be opened before the first is written.
  private func makeFolders() throws {
    for folder in outputs where folder.kind != .file {
      guard let place = FileIdentity.place(of: folder.path),
        outputs.contains(where: { $0.kind == .file && $0.role != folder.role && Self.folder(of: $0) == place })
      else { continue }
      do {
        try makeFolder(at: folder.path)
      } catch {
        guard folder.isDispensable else { throw error }
      }
    }
  }

  /// The place of the folder that a file goes to.
  private static func folder(of output: Output) -> String? {
    output.kind == .file && output.path != "-" ? FileIdentity.place(of: parentFolder(of: output.path)) : nil
  }

  @Sendable private static func isPicture(_ path: String) -> Bool {
    (try? MappedFile(path: path).withUnsafeBytes { try ImageFile.format(of: $0) }) != nil
  }
}
