import Apus
import ApusGraph
import ApusONNX

/// A folder that values are written to, a file each, under names that a model chose.
struct OutputFolder {
  let path: String
  private var used: Set<String> = []

  /// Makes the folder if there is none.
  init(path: String) throws {
    self.path = path
    if fileExists(path) {
      guard isFolder(path) else {
        throw CommandFailure(.inputOutput, "\(path): is not a folder; outputs go to a folder")
      }
      return
    }
    try makeFolder(at: path)
  }

  /// The path of a file in the folder.
  /// - Throws: ``CommandFailure`` where it is a file that the command reads.
  func file(_ name: String) throws -> String {
    let file = "\(path)/\(name)"
    try CheckedFiles.current.check(file)
    return file
  }

  /// Where a value goes: to a `.npy` where NumPy has its type, to a `.pb`, the standard's own message, otherwise.
  mutating func file(for value: GraphValue, named name: String) throws -> String {
    try file(fileName(for: name) + (NPYFile.canHold(value) ? ".npy" : ".pb"))
  }

  /// Writes a value to the file that ``file(for:named:)`` gave for it.
  static func write(_ value: GraphValue, named name: String, to file: String) throws {
    if NPYFile.canHold(value) {
      try NPYFile.write(value, toPath: file)
    } else {
      try ValueFile.write(value, named: name, to: file)
    }
  }

  /// A name that is not a path, not hidden, not too long, and not that of another file here, also where capitals do not
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
