import ApusBase
import ApusPlatform
import FoundationEssentials

/// Finds the weights that ship with the package, wherever program and package happen to be.
///
/// In this order; the first two, when given, are the only place that is looked at:
/// 1. the file or folder the user named (`--weights`);
/// 2. the folder the environment names (`APUS_WEIGHTS`);
/// 3. the folder `Weights` beside the program, and the program's own folder;
/// 4. `../share/apus` from there, where an installation puts data;
/// 5. `Weights` of the package that the program was built in, then of the one around the working directory.
///
/// Resource bundles are not used: they trap once a program moves.
public struct WeightsLocator: Sendable {
  /// What `--weights` says: a file, or a folder that is laid out as `Weights` is.
  public var chosen: String?
  /// What `APUS_WEIGHTS` says.
  public var environment: String?
  /// The program's own file.
  public var executable: String?
  /// Where relative paths begin, and where the search for a folder `Weights` starts when nothing was chosen.
  public var workingDirectory: String

  /// The locator of this process.
  public init(chosen: String? = nil) {
    self.init(
      chosen: chosen, environment: ApusBase.environment("APUS_WEIGHTS"), executable: Self.executablePath,
      workingDirectory: Self.currentFolder)
  }

  init(chosen: String?, environment: String?, executable: String?, workingDirectory: String) {
    self.chosen = chosen
    self.environment = environment.flatMap { $0.isEmpty ? nil : $0 }
    self.executable = executable
    self.workingDirectory = workingDirectory
  }

  /// The file that ships as `name`, a path relative to the folder `Weights` such as `detector/shipped/model.safetensors`.
  /// - Throws: ``WeightsLocatorError``, which lists where it was looked for.
  public func path(of name: String) throws -> String {
    if let chosen {
      if !isFolder(chosen) {
        guard isRegularFile(chosen) else { throw WeightsLocatorError(name: name, searched: [chosen]) }
        return chosen
      }
      return try first(["\(chosen)/\(name)"], name)
    }
    if let environment { return try first(["\(environment)/\(name)"], name) }
    return try first(folders.map { "\($0)/\(name)" }, name)
  }

  /// The same, as a URL.
  public func url(of name: String) throws -> URL {
    URL(filePath: try path(of: name))
  }

  private func first(_ candidates: [String], _ name: String) throws -> String {
    guard let found = candidates.first(where: isRegularFile) else {
      throw WeightsLocatorError(name: name, searched: candidates)
    }
    return found
  }

  /// Where shipped files are looked for unless a place is given.
  private var folders: [String] {
    var folders: [String] = []
    if let executable {
      let home = parentFolder(of: executable)
      folders += ["\(home)/Weights", home, "\(parentFolder(of: home))/share/apus"]
      folders += Self.package(around: home).map { ["\($0)/Weights"] } ?? []
    }
    folders += Self.package(around: workingDirectory).map { ["\($0)/Weights"] } ?? []
    var seen: Set<String> = []
    return folders.filter { seen.insert($0).inserted }
  }
}

// MARK: - Files and folders

extension WeightsLocator {
  private static var currentFolder: String {
    guard let path = getcwd(nil, 0) else { return "." }
    defer { free(path) }
    return String(systemBytes: UnsafeRawBufferPointer(start: path, count: strlen(path)))
  }

  /// The innermost folder, `folder` or one around it, that holds a package with weights.
  private static func package(around folder: String) -> String? {
    var folder = folder
    while folder.count > 1 {
      if isRegularFile("\(folder)/Package.swift"), isFolder("\(folder)/Weights") { return folder }
      folder = parentFolder(of: folder)
    }
    return nil
  }

  private static var executablePath: String? {
    #if os(Linux)
      var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = readlink("/proc/self/exe", &buffer, buffer.count)
      guard count > 0, count < buffer.count else { return CommandLine.arguments.first }
      return String(systemBytes: buffer.prefix(count).map(UInt8.init(bitPattern:)))
    #else
      var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
      var size = UInt32(buffer.count)
      guard _NSGetExecutablePath(&buffer, &size) == 0 else { return CommandLine.arguments.first }
      return String(systemBytes: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)))
    #endif
  }
}

/// Shipped weights that are nowhere to be found.
public struct WeightsLocatorError: ApusError, Hashable, Sendable, CustomStringConvertible {
  /// The file, relative to the folder `Weights`.
  public let name: String
  /// The paths that were tried.
  public let searched: [String]

  /// What to do, which serves every program and command alike.
  package static let remedy =
    "name the folder Weights in the variable APUS_WEIGHTS, or put it beside the program, where it is found by itself"

  /// The file, every place it was looked for, and how to name another; several lines.
  public var description: String {
    """
    the weights \(name) were not found; looked for
    \(searched.map { "  \($0)" }.joined(separator: "\n"))
    \(Self.remedy.capitalizedFirst).
    """
  }
}

extension WeightsLocatorError {
  /// ``Fault/missing``: the file is in none of the places.
  public var fault: Fault { .missing }
}
