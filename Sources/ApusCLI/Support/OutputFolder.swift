import Apus
import ApusGraph
import ApusONNX
import FoundationEssentials

/// A folder that values are written to, a file each, under names that a model chose.
struct OutputFolder {
  let path: String
  private var used: Set<String> = []

  /// Makes the folder if there is none.
  init(path: String) throws {
    self.path = path
    var isFolder = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
      guard isFolder else { throw CommandFailure(.inputOutput, "\(path): is not a folder; outputs go to a folder") }
      return
    }
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw CommandFailure(.inputOutput, "\(path): the folder cannot be made")
    }
  }

  /// Writes a value: as `.npy` where NumPy has its type, as the standard's own message (`.pb`) otherwise.
  /// - Returns: the file's path.
  mutating func write(_ value: Value, named name: String) throws -> String {
    let base = fileName(for: name)
    if case .tensor(let tensor) = value, tensor.dataType != .bfloat16 {
      let file = "\(path)/\(base).npy"
      try NPYFile.write(tensor, toPath: file)
      return file
    }
    let file = "\(path)/\(base).pb"
    try ValueFile.write(value, named: name, to: file)
    return file
  }

  /// A name that is no path, not hidden, not too long, and not that of another file here, also where capitals do not
  /// count.
  private mutating func fileName(for name: String) -> String {
    let allowed = name.unicodeScalars.map { scalar in
      let isPlain =
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil || "._-".unicodeScalars.contains(scalar)
      return isPlain ? String(scalar) : "_"
    }
    var base = ""
    for character in allowed where base.utf8.count + character.utf8.count <= 120 { base += character }
    if base.hasPrefix(".") || base.hasPrefix("-") { base = "_" + base.dropFirst() }
    if base.isEmpty { base = "output" }
    var candidate = base
    var number = 2
    while !used.insert(candidate.lowercased()).inserted {
      candidate = "\(base)-\(number)"
      number += 1
    }
    return candidate
  }
}
