import Apus
import ApusGraph

/// The entries of an archive: the program, and where each of its tensors lies.
struct TorchArchive {
  /// The name of the program within the archive: `model`, unless several were saved together.
  let name: String
  /// The programs that the archive has.
  let programs: [String]
  private let archive: ZipArchive
  private let entries: [String: ZipArchive.Entry]
  private var weights: [String: TorchPayload] = [:]
  private var constants: [String: TorchPayload] = [:]

  /// - Parameter program: the program that is read; the one called `model`, or the only one, when nil.
  /// - Throws: ``TorchError/Reason``.
  init(_ file: MappedFile, program: String?) throws {
    do {
      archive = try ZipArchive(file)
    } catch let error as ZipError {
      throw TorchError.Reason.zip("\(error)")
    }
    // All entries lie in one folder, which has the name of the file that was written.
    let folder = archive.entries.first?.name.split(separator: "/", omittingEmptySubsequences: false).first ?? ""
    let prefix = "\(folder)/"
    entries = Dictionary(
      archive.entries.map { ($0.name.hasPrefix(prefix) ? String($0.name.dropFirst(prefix.count)) : $0.name, $0) },
      uniquingKeysWith: { first, _ in first })
    if entries["serialized_exported_program.json"] != nil || entries["data/weights/model.pt"] != nil {
      throw TorchError.Reason.unsupported(
        at: "", "an archive of torch before 2.9, whose weights are pickled,", advice: TorchError.exportAnew)
    }
    let ending = ".json"
    programs = entries.keys.filter { $0.hasPrefix("models/") && $0.hasSuffix(ending) }
      .map { String($0.dropFirst("models/".count).dropLast(ending.count)) }.sorted()
    guard let name = program ?? (programs.contains("model") ? "model" : programs.first) else {
      throw TorchError.Reason.entry("models/model.json", "the archive does not have it, and so no program")
    }
    guard programs.contains(name) else {
      throw TorchError.Reason.entry(
        "models/\(name).json", "the archive does not have it; its programs are \(programs.joined(separator: ", "))")
    }
    self.name = name
    let order = try text("byteorder")
    guard order == "little" else {
      throw TorchError.Reason.unsupported(at: "entry 'byteorder'", "the order '\(order)'", advice: "")
    }
    weights = try payloads("data/weights/\(name)_weights_config.json")
    constants = try payloads("data/constants/\(name)_constants_config.json")
  }
}

// MARK: - Entries

extension TorchArchive {
  /// The program itself.
  func program() throws -> TorchProgram {
    try json("models/\(name).json") { try TorchProgram(&$0) }
  }

  private func contents(_ name: String) throws -> (bytes: UnsafeRawBufferPointer, owner: MappedFile) {
    guard let entry = entries[name] else { throw TorchError.Reason.entry(name, "the archive does not have it") }
    do {
      return try archive.contents(of: entry)
    } catch let error as ZipError {
      throw TorchError.Reason.entry(name, "\(error)")
    }
  }

  private func text(_ name: String) throws -> String {
    let (bytes, owner) = try contents(name)
    return withExtendedLifetime(owner) { String(decoding: bytes.prefix(64), as: UTF8.self) }
  }

  private func json<Message>(_ name: String, _ read: (inout JSONReader) throws -> Message) throws -> Message {
    let (bytes, owner) = try contents(name)
    return try withExtendedLifetime(owner) {
      do {
        var reader = JSONReader(bytes)
        let message = try read(&reader)
        try reader.end()
        return message
      } catch let error as JSONError {
        throw TorchError.Reason.entry(name, "\(error)")
      }
    }
  }

  private func payloads(_ name: String) throws -> [String: TorchPayload] {
    try json(name) { reader in
      var result: [String: TorchPayload] = [:]
      try reader.members { reader, key in
        guard key == "config" else { return try reader.skip() }
        result = try reader.dictionary { try TorchPayload(&$0) }
      }
      return result
    }
  }
}

// MARK: - Tensors

extension TorchArchive {
  /// A parameter or buffer by its name in the module.
  func weight(_ name: String) throws -> GraphValue? {
    try (weights[name] ?? constants[name]).map { payload in
      try tensor(payload, name, folder: weights[name] == nil ? "data/constants" : "data/weights")
    }
  }

  /// The parameters or buffers that lie in the same memory as one.
  func sharing(_ name: String) -> Set<String> {
    let table = weights[name] == nil ? constants : weights
    guard let path = table[name]?.path else { return [] }
    return Set(table.filter { $0.key != name && $0.value.path == path }.keys)
  }

  private func tensor(_ payload: TorchPayload, _ name: String, folder: String) throws -> GraphValue {
    let place = "\(folder)/\(payload.path)"
    guard !payload.isPickled, let type = payload.type.map({ $0.isComplex ? $0.ofPairs : $0 }) else {
      throw TorchError.Reason.unsupported(
        at: "entry '\(place)'", "'\(name)', a tensor of a class of its own, which is pickled,",
        advice: "make it plain tensors before the export, as torchao.utils.unwrap_tensor_subclass(module) does")
    }
    let (bytes, owner) = try contents(place)
    do {
      return try withExtendedLifetime(owner) { try type.value(in: bytes, of: owner) }
    } catch let error as OperatorError {
      throw TorchError.Reason.entry(place, "'\(name)': \(error)")
    } catch let error as TensorError {
      throw TorchError.Reason.entry(place, "'\(name)': \(error)")
    }
  }
}

extension TorchTensorType {
  /// The tensor that this type says lies in `bytes`. One whose elements lie in order stays where it is.
  fileprivate func value(in bytes: UnsafeRawBufferPointer, of file: MappedFile) throws -> GraphValue {
    guard let dataType = elementType?.dataType else { throw OperatorError("a constant of type \(scalar) is not read") }
    guard isStrided else { throw OperatorError("a tensor that is sparse, or of a layout of its own, is not read") }
    let shape = sizes.compactMap(\.known), steps = strides.compactMap(\.known)
    guard shape.count == sizes.count, steps.count == sizes.count, shape.count <= 64, let offset = offset.known,
      offset >= 0, steps.allSatisfy({ $0 >= 0 })
    else { throw OperatorError("its sizes, strides or offset are not known, or make no sense") }
    let width = dataType.byteCount
    let count = try Shape.elementCount(shape, operation: "constant")
    if count == 0 { return .tensor(try AnyTensor(Tensor<Double>(zeros: shape)).converted(to: dataType)) }
    // The place of the last element, counted in elements.
    var last = offset
    for (size, step) in zip(shape, steps) {
      let (reach, overflow) = (size - 1).multipliedReportingOverflow(by: step)
      let (sum, carry) = last.addingReportingOverflow(reach)
      guard !overflow, !carry else { throw OperatorError("its strides \(steps) lead beyond any memory") }
      last = sum
    }
    guard last < bytes.count / width else {
      throw OperatorError("it needs \(last &+ 1) elements of \(width) bytes; there are \(bytes.count) bytes")
    }
    if isContiguous(shape, steps) {
      let part = UnsafeRawBufferPointer(rebasing: bytes[(offset * width)..<((offset + count) * width)])
      return try Self.stored(dataType, shape, count, part, file)
    }
    try Shape.checkMemory(shape, of: Double.self, operation: "constant")
    let gathered = try MappedFile(name: file.name, byteCount: count * width) { memory in
      guard var target = memory.baseAddress, let source = bytes.baseAddress else { return }
      var place = [Int](repeating: 0, count: shape.count)
      var position = offset
      for _ in 0..<count {
        target.copyMemory(from: source + position * width, byteCount: width)
        target += width
        for axis in shape.indices.reversed() {
          place[axis] += 1
          position += steps[axis]
          if place[axis] < shape[axis] { break }
          position -= steps[axis] * shape[axis]
          place[axis] = 0
        }
      }
    }
    return try gathered.withUnsafeBytes { try Self.stored(dataType, shape, count, $0, gathered) }
  }

  private func isContiguous(_ shape: [Int], _ steps: [Int]) -> Bool {
    var expected = 1
    for (size, step) in zip(shape, steps).reversed() where size != 1 {
      if step != expected { return false }
      expected *= size
    }
    return true
  }

  private static func stored(
    _ dataType: DataType, _ shape: [Int], _ count: Int, _ bytes: UnsafeRawBufferPointer, _ file: MappedFile
  ) throws -> GraphValue {
    do {
      return .tensor(
        try StoredTensor(dataType: dataType, shape: shape, count: count, bytes: bytes, file: file).anyTensor())
    } catch let error as StoredTensor.InvalidBool {
      throw OperatorError("element \(error.index), a Boolean, is \(error.byte)")
    }
  }
}
