import Apus
import ApusGraph
import ApusONNX

/// Values for a model by name, from one or several files, each read when it is asked for.
struct DataSet {
  var name: String
  private(set) var entries: [String: () throws -> GraphValue] = [:]

  var reference: ReferenceValues {
    let entries = entries
    return ReferenceValues(names: entries.keys) { name in
      guard let load = entries[name] else { throw GraphError.noSuchValue(name: name, suggestion: nil) }
      return try load()
    }
  }

  /// The values of those names that are there.
  func values(named names: some Sequence<String>) throws -> [String: GraphValue] {
    try names.reduce(into: [:]) { result, name in result[name] = try entries[name]?() }
  }
}

/// Data sets as files on the command line: `.npz`, `.safetensors`, `.npy` (perhaps `NAME=FILE`), what Polygraphy saved,
/// and folders of `.pb` or `.npy`.
///
/// Files whose values have different names make one data set together; a file that has a name again begins the next.
enum DataSets {
  /// Adds what is read of an argument to a plan: a file, a folder of files, or that of several data sets.
  static func plan(_ argument: String, as role: String, _ files: inout FilePlan) {
    files.reads(argument, as: role, endings: [".pb", ".npy", ".json"], depth: 2)
    if let sign = argument.firstIndex(of: "=") {
      files.reads(String(argument[argument.index(after: sign)...]), as: role)
    }
  }

  /// Whether there are values at a path that could be that of a model as well.
  static func areValues(at path: String) -> Bool {
    if FileKind.fileExtension(path) == "pb" { return true }
    guard let format = try? FileFormat(of: path) else { return isFolder(path) }
    return TensorFile.formats.contains(format)
  }

  /// - Parameter defaults: the names that values without one get, in order: the model's inputs or its outputs.
  static func read(_ paths: [String], of model: any GraphModel, defaults: [String]) throws -> [DataSet] {
    var sets: [DataSet] = []
    let read = try paths.flatMap(expanded).flatMap { path in
      try entries(path, of: model, defaults: defaults).map { (path, formed($0, in: path, of: model)) }
    }
    for (path, entries) in read {
      if var last = sets.last, entries.keys.allSatisfy({ last.entries[$0] == nil }) {
        last.add(entries)
        sets[sets.count - 1] = last
      } else {
        var set = DataSet(name: path)
        set.add(entries)
        sets.append(set)
      }
    }
    return sets
  }

  /// A folder of data sets as its folders.
  private static func expanded(_ path: String) throws -> [String] {
    guard isFolder(path) else { return [path] }
    let folders = try folderNames(at: path)
      .filter { $0.hasPrefix("test_data_set_") && isFolder("\(path)/\($0)") }
    return folders.isEmpty ? [path] : folders.sorted(by: NameOrder.comesBefore).map { "\(path)/\($0)" }
  }

  /// The entries as the graph takes them: dictionaries, which files have as `D.keys` and `D.values`, as one value.
  private static func formed(
    _ entries: [String: () throws -> GraphValue], in path: String, of model: any GraphModel
  ) -> [String: () throws -> GraphValue] {
    let graph = model.graph
    var formed = entries
    for name in (graph.inputs + graph.outputs).map({ graph.values[$0].name }) {
      guard let form = model.form(of: name) else { continue }
      func named(_ body: @escaping () throws -> GraphValue) -> () throws -> GraphValue {
        {
          do {
            return try body()
          } catch let error as OperatorError {
            throw CommandFailure(.badData, "\(path): '\(name)': \(error)")
          }
        }
      }
      if case .dictionary = form, let keys = entries[name + ".keys"], let values = entries[name + ".values"] {
        (formed[name + ".keys"], formed[name + ".values"]) = (nil, nil)
        formed[name] = named { try form.dictionary(keys: keys(), values: values()) }
      } else if let load = entries[name] {
        formed[name] = named { try form.graphValue(load()) }
      }
    }
    return formed
  }

  /// What each iteration of a file, or a folder, holds.
  private static func entries(
    _ path: String, of model: any GraphModel, defaults: [String]
  ) throws -> [[String: () throws -> GraphValue]] {
    let graph = model.graph
    if isFolder(path) { return [try entries(inFolder: path, graph: graph)] }
    var (name, path) = (nil as String?, path)
    if let sign = path.firstIndex(of: "="), !fileExists(path) {
      (name, path) = (String(path[..<sign]), String(path[path.index(after: sign)...]))
    }
    if FileKind.fileExtension(path) == "pb" {
      let (stored, load) = try message(path, graph: graph, named: name)
      return [[stored: load]]
    }
    if let info = (name ?? defaults.only).flatMap({ graph.value(named: $0) }).map({ graph.values[$0] }),
      let picture = try PictureInput(path, for: info, model.form(of: info.name))
    {
      return [[info.name: { picture.value }]]
    }
    let iterations = try TensorFile.iterations(path: path)
    guard let file = iterations.only, file.names == [""] else {
      return iterations.map { file in entries(of: file) { $0 } }
    }
    guard let target = name ?? defaults.only else {
      throw CommandFailure(
        .usage,
        "\(path) does not say which value it holds; write NAME=\(path), with one of "
          + defaults.map { "'\($0)'" }.joined(separator: ", "))
    }
    return [[target: { try file.value("") }]]
  }

  private static func entries(
    of file: TensorFile, called name: (String) -> String
  ) -> [String: () throws -> GraphValue] {
    Dictionary(
      file.names.map { stored in (name(stored), { try file.value(stored) }) }, uniquingKeysWith: { first, _ in first })
  }

  /// Files of the standard's tests, or arrays.
  private static func entries(inFolder folder: String, graph: Graph) throws -> [String: () throws -> GraphValue] {
    let names = try folderNames(at: folder)
    if names.contains(where: { $0.hasSuffix(".pb") }) {
      return try messages(names.filter { $0.hasSuffix(".pb") }.sorted(), in: folder, graph: graph)
    }
    guard names.contains(where: { $0.hasSuffix(".npy") }) else {
      throw CommandFailure(.noInput, "\(folder): expected .pb or .npy files, or folders named test_data_set_N")
    }
    let spellings = FileSpellings(of: graph)
    let file = try TensorFile(path: folder)
    for name in file.names {
      guard let (first, second) = spellings.ambiguity(name) else { continue }
      throw CommandFailure(
        .badData,
        "\(folder): '\(name)' may be the value '\(first)' or '\(second)'; a metadata.json beside the arrays can say which"
      )
    }
    return entries(of: file) { spellings.valueName($0) }
  }

  /// `input_0.pb` is the model's first input, `output_0.pb` its first output; other files carry a name.
  private static func messages(
    _ files: [String], in folder: String, graph: Graph
  ) throws -> [String: () throws -> GraphValue] {
    var entries: [String: () throws -> GraphValue] = [:]
    for file in files {
      let (name, load) = try message("\(folder)/\(file)", graph: graph, named: position(file, graph))
      entries[name] = load
    }
    return entries
  }

  private static func position(_ file: String, _ graph: Graph) -> String? {
    for (prefix, ids) in [("input_", graph.inputs), ("output_", graph.outputs)] where file.hasPrefix(prefix) {
      if let index = Int(file.dropFirst(prefix.count).dropLast(".pb".count)), ids.indices.contains(index) {
        return graph.values[ids[index]].name
      }
    }
    return nil
  }

  private static func message(
    _ path: String, graph: Graph, named given: String?
  ) throws -> (String, () throws -> GraphValue) {
    func load(_ name: String) throws -> GraphValue {
      let type = graph.value(named: name).flatMap { graph.values[$0].type }
      return try openValue(path, as: type ?? .tensor(nil, nil)).value
    }
    if let given { return (given, { try load(given) }) }
    let stored = try openValue(path)
    guard !stored.name.isEmpty else {
      throw CommandFailure(.usage, "\(path) does not say which value it holds; write NAME=\(path)")
    }
    return (stored.name, { stored.value })
  }
}

extension DataSet {
  fileprivate mutating func add(_ entries: [String: () throws -> GraphValue]) {
    self.entries.merge(entries) { first, _ in first }
  }
}

extension Array {
  /// The one element of a list of one.
  fileprivate var only: Element? { count == 1 ? first : nil }
}

/// Values of a graph by what tools make of their names for files, which can hold no slash: `/conv/Conv_output_0` is in
/// `conv_Conv_output_0.npy`, for example.
private struct FileSpellings {
  private var known: Set<String> = []
  /// The names of that spelling.
  private var names: [String: [String]] = [:]

  init(of graph: Graph) {
    for value in graph.values where known.insert(value.name).inserted {
      names[Self.spelling(value.name), default: []].append(value.name)
    }
  }

  /// The value that a name of a file is for; the name itself where there is no such value.
  func valueName(_ name: String) -> String {
    known.contains(name) ? name : names[Self.spelling(name)]?.only ?? name
  }

  /// The first two of several values that a name of a file is for.
  func ambiguity(_ name: String) -> (String, String)? {
    guard !known.contains(name), let values = names[Self.spelling(name)], values.count > 1 else { return nil }
    return (values[0], values[1])
  }

  /// Letters and digits as they are, underscores for everything else, but none around it.
  private static func spelling(_ name: String) -> String {
    let blank = UInt8(ascii: "_")
    let bytes = name.utf8.map { byte -> UInt8 in
      let isKept = 0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte || byte >= 0x80
      return isKept ? byte : blank
    }
    let start = bytes.firstIndex { $0 != blank } ?? bytes.endIndex
    let end = bytes.lastIndex { $0 != blank }.map { $0 + 1 } ?? start
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }
}
