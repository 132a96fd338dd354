import Apus
import ApusGraph

/// The files that hold tensors of a model, each opened once and kept.
///
/// A model names them by paths relative to its folder. A path out of that folder is refused, be it by `..`, by a link,
/// or absolute: a model from elsewhere must not be able to read any file of its user. Model stores keep a folder of
/// links to files that lie together somewhere else; so the folder that the model's own file lies in, links followed,
/// counts as well.
package final class ExternalFiles: Sendable {
  private let folder: String
  private let roots: [String]
  private let access: FileAccess
  /// By their paths without links; with the paths that the model gives them.
  private let opened = Locked<[String: (path: String, file: MappedFile)]>([:])

  /// - Parameter model: the path of the model's file.
  package init(model: String, access: FileAccess) {
    folder = parentFolder(of: model)
    self.access = access
    var roots: [String] = []
    if let root = realPath(folder) { roots.append(root) }
    if let file = realPath(model) { roots.append(parentFolder(of: file)) }
    self.roots = roots
  }

  /// - Parameter folder: where the files lie.
  package init(folder: String, access: FileAccess) {
    self.folder = folder
    self.access = access
    roots = realPath(folder).map { [$0] } ?? []
  }

  /// The file that a model calls `location`.
  /// - Throws: ``FileError``, ``ONNXFileError/TensorReason/badLocation(_:why:)``.
  func file(at location: String) throws -> MappedFile {
    let path = try checkedPath(location)
    return try opened.withLock { opened in
      if let known = opened[path] { return known.file }
      let file = try MappedFile(path: path, access: access)
      opened[path] = ("\(folder)/\(location)", file)
      return file
    }
  }

  /// The paths of the files that were opened so far, sorted.
  var paths: [String] { opened.withLock { $0.values.map(\.path).sorted() } }

  /// - Throws: ``FileError/shrank(path:)``.
  func check() throws { try opened.withLock { try $0.values.forEach { try $0.file.checkIsWhole() } } }

  /// The path without links, which lies within the folder.
  private func checkedPath(_ location: String) throws -> String {
    func refuse(_ why: String) -> ONNXFileError.TensorReason { .badLocation(location, why: why) }
    guard !location.isEmpty else { throw refuse("is empty") }
    guard !location.utf8.contains(0) else { throw refuse("is not the name of a file") }
    guard !location.hasPrefix("/") else { throw refuse("is absolute; it must be relative to the model's folder") }
    guard !location.utf8.split(separator: UInt8(ascii: "/")).contains(where: { $0.elementsEqual("..".utf8) }) else {
      throw refuse("leads out of the model's folder")
    }
    let path = "\(folder)/\(location)"
    guard let real = realPath(path) else { throw FileError.notFound(path: path) }
    guard roots.contains(where: { real.utf8.starts(with: ($0 == "/" ? "/" : "\($0)/").utf8) }) else {
      throw refuse("is a link that leads out of the model's folder")
    }
    return real
  }
}
