import Apus
import ApusGraph

/// What `apus inspect` says of a file of tensors.
struct InspectionReport {
  struct Entry {
    var name: String
    /// As the file, or its writer, calls it.
    var type: String
    /// Whether that is a type which Apus has.
    var isKnown = true
    var shape: [Int]
    var byteCount: Int
  }

  let path: String
  let tensors: [Entry]
  let metadata: [String: String]

  init(_ file: SafetensorsFile, path: String) throws {
    self.path = path
    tensors = try file.tensorNames.map { name in
      let info = try file.info(name)
      return Entry(
        name: name, type: info.dataType?.rawValue ?? info.typeName, isKnown: info.dataType != nil, shape: info.shape,
        byteCount: info.byteCount)
    }
    metadata = file.metadata
  }

  /// The array of a `.npy` file.
  init(npy path: String) throws { self.init(path: path, arrays: [("", try NPYFile.form(path: path))]) }

  /// The arrays of a `.npz` file.
  init(npz path: String) throws {
    let archive = try NPZFile(path: path)
    self.init(path: path, arrays: try archive.arrayNames.map { ($0, try archive.form(named: $0)) })
  }

  private init(path: String, arrays: [(name: String, form: NPYForm)]) {
    self.path = path
    tensors = arrays.map { name, form in
      Entry(name: name, type: form.dataType.map { "\($0)" } ?? "text", shape: form.shape, byteCount: form.byteCount)
    }
    metadata = [:]
  }

  private var byteCount: Int { tensors.reduce(0) { $0.addingClamped($1.byteCount) } }

  /// The reader has checked the shapes of the types it knows; that of an unknown type may say anything.
  private static func elementCount(_ tensor: Entry) -> Int? {
    var count = 1
    for dimension in tensor.shape {
      let (product, overflow) = count.multipliedReportingOverflow(by: dimension)
      if overflow { return nil }
      count = product
    }
    return count
  }

  private var elementCount: Int {
    tensors.compactMap(Self.elementCount).reduce(0) { sum, count in
      let (total, overflow) = sum.addingReportingOverflow(count)
      return overflow ? .max : total
    }
  }

  func text(withMetadata: Bool) -> String {
    let terminal = Terminal.output
    var table = TextTable(alignments: [.left, .left, .left, .right])
    table.add(["tensor", "type", "shape", "size"].map { terminal.styled($0, .dim) })
    for tensor in tensors {
      let type = ErrorReport.oneLine(tensor.type) + (tensor.isKnown ? "" : " (unknown)")
      table.add(ErrorReport.oneLine(tensor.name), type, "\(tensor.shape)", ByteText.size(tensor.byteCount))
    }
    var lines = table.lines.map { "  " + $0 }
    lines.insert(terminal.styled(ErrorReport.oneLine(path), .bold), at: 0)
    lines.insert("", at: 1)
    let counts = "\(CountText.grouped(tensors.count)) tensors, \(CountText.grouped(elementCount)) elements"
    lines += ["", "  \(counts), \(ByteText.size(byteCount))"]
    if !metadata.isEmpty { lines += [""] + metadataLines(inFull: withMetadata) }
    return lines.map { $0 + "\n" }.joined()
  }

  private func metadataLines(inFull: Bool) -> [String] {
    let terminal = Terminal.output
    var table = TextTable()
    for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
      let text = ErrorReport.oneLine(value)
      let shown = inFull || text.count <= 60 ? text : text.prefix(59) + "…"
      table.add(terminal.styled(ErrorReport.oneLine(key), .dim), shown)
    }
    return table.lines.map { "  " + $0 }
  }
}

extension InspectionReport: Encodable {
  enum CodingKeys: String, CodingKey {
    case path, tensors, metadata
    case elementCount = "elements"
    case byteCount = "bytes"
  }

  private struct Row: Encodable {
    var name: String
    var dtype: String
    var shape: [Int]
    var bytes: Int
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(path, forKey: .path)
    let rows = tensors.map {
      Row(name: $0.name, dtype: $0.type, shape: $0.shape, bytes: $0.byteCount)
    }
    try container.encode(rows, forKey: .tensors)
    try container.encode(elementCount, forKey: .elementCount)
    try container.encode(byteCount, forKey: .byteCount)
    try container.encode(metadata, forKey: .metadata)
  }
}
