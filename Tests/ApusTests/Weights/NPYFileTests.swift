import ApusTestSupport
import Testing

@testable import Apus

/// A `.npy` file: magic, version, length of the header, header, data.
func npyBytes(_ header: String, data: [UInt8] = [], version: UInt8 = 1) -> [UInt8] {
  let text = Array(header.utf8)
  let length =
    version == 1
    ? withUnsafeBytes(of: UInt16(truncatingIfNeeded: text.count).littleEndian) { Array($0) }
    : withUnsafeBytes(of: UInt32(text.count).littleEndian) { Array($0) }
  let start: [UInt8] = [0x93] + Array("NUMPY".utf8) + [version, 0]
  return start + length + text + data
}

func readNPY(_ bytes: [UInt8]) throws -> AnyTensor {
  try bytes.withUnsafeBytes { try NPYFile.read(bytes: $0, name: "memory") }
}

/// Why `bytes` are refused; `nil` when they are not, or for another kind of error.
func npyRefusal(_ bytes: [UInt8]) -> NumPyError.Reason? {
  do {
    _ = try readNPY(bytes)
    return nil
  } catch {
    return (error as? NumPyError)?.reason
  }
}

@Suite("NPYFile")
struct NPYFileTests {
  static let values = (0..<24).map { (Float($0) - 3) * 0.75 }

  @Test(
    "every version, byte order and order of axes gives the same array",
    arguments: [
      "float32", "fortran", "big-endian", "big-endian-fortran", "version-2", "version-3",
    ])
  func variants(name: String) throws {
    let tensor = try NPYFile.read(path: formatFixture("\(name).npy"))
    #expect(tensor.shape == [2, 3, 4])
    #expect(tensor.dataType == (name == "big-endian-fortran" ? .float64 : .float32))
    #expect(try tensor.converted(to: Float.self).elements == Self.values)
  }

  @Test("other types in other orders")
  func otherTypes() throws {
    let expected = (0..<24).map { Int64($0) - 3 }
    for name in ["fortran-i8", "big-endian-i2"] {
      let tensor = try NPYFile.read(path: formatFixture("\(name).npy"))
      #expect(tensor.dataType == (name == "fortran-i8" ? .int8 : .int16))
      #expect(try tensor.converted(to: Int64.self).elements == expected)
    }
    let scalar = try NPYFile.read(path: formatFixture("scalar.npy"))
    #expect(scalar.shape.isEmpty)
    #expect(try scalar.converted(to: Float.self).scalar == 1.5)
    #expect(try NPYFile.read(path: formatFixture("empty.npy")).shape == [0, 4])
  }

  @Test("an array that lies as a tensor does is a view of the file")
  func zeroCopy() throws {
    let plain = try NPYFile.read(path: formatFixture("float32.npy"))
    #expect(try #require(plain.tensor(of: Float.self)).storage.owner is MappedFile)
  }

  @Test(
    "elements that are not plain numbers are refused by name",
    arguments: [
      ("structured", "structured, with several fields"), ("object", "|O (Python objects)"),
      ("complex", "<c8 (complex numbers)"), ("text", "<U2 (text)"),
    ])
  func unsupported(name: String, type: String) throws {
    let path = formatFixture("\(name).npy")
    #expect(throws: NumPyError(file: path, array: nil, reason: .unsupportedType(type))) {
      try NPYFile.read(path: path)
    }
  }

  @Test(
    "names of types",
    arguments: [
      ("<f4", DataType.float32), ("f4", .float32), ("=f4", .float32), ("|b1", .bool), ("b1", .bool), ("<i1", .int8),
      (">u1", .uint8), ("<f2", .float16),
    ])
  func typeNames(name: String, type: DataType) throws {
    let data = [UInt8](repeating: 0, count: type.byteCount)
    let tensor = try readNPY(npyBytes("{'descr':'\(name)','fortran_order':False,'shape':(1,)}\n", data: data))
    #expect(tensor.dataType == type)
  }

  @Test("headers as other programs write them")
  func lenientHeaders() throws {
    for header in [
      #"{"shape": (2L,), "descr": "<f4", "fortran_order": True}"#,
      "{ 'descr' : '<f4' ,\n'fortran_order':False,'shape':(2,),}   \n",
      "{'descr':'<f4','fortran_order':False,'shape':(1,2)}",
      "{'descr':'<f4','fortran_order':True,'shape':(2,1,)}",
    ] {
      let tensor = try readNPY(npyBytes(header, data: [0, 0, 0, 0, 0, 0, 128, 63]))
      #expect(try tensor.converted(to: Float.self).elements == [0, 1])
    }
  }

  @Test(
    "damaged headers",
    arguments: [
      "", "{", "{}", "[]", "{'descr': '<f4'}", "{'descr': 1, 'fortran_order': False, 'shape': ()}",
      "{'descr': '<f4', 'fortran_order': 0, 'shape': ()}", "{'descr': '<f4', 'fortran_order': False, 'shape': 3}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (3)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (), 'shape': ()}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (), 'extra': 1}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': ()} x", "{'descr': '<f4, 'fortran_order': False, 'shape': ()}",
      "{'descr': '\\x3cf4', 'fortran_order': False, 'shape': ()}",
    ])
  func damagedHeaders(header: String) {
    guard case .badHeader = npyRefusal(npyBytes(header, data: [0, 0, 0, 0])) else {
      Issue.record("not refused as a damaged header: \(String(describing: npyRefusal(npyBytes(header))))")
      return
    }
  }

  @Test("lengths and sizes")
  func sizes() {
    func header(_ type: String, _ shape: String) -> String {
      "{'descr': '\(type)', 'fortran_order': False, 'shape': \(shape)}"
    }
    #expect(npyRefusal(Array("not numpy at all".utf8)) == .notNPY)
    #expect(npyRefusal(npyBytes("{}", version: 4)) == .unknownVersion(major: 4, minor: 0))
    #expect(npyRefusal([0x93] + Array("NUMPY".utf8) + [1, 0, 9, 0, 0x7B]) == .truncatedHeader)
    #expect(
      npyRefusal([0x93] + Array("NUMPY".utf8) + [2, 0, 255, 255, 255, 255])
        == .headerTooLong(byteCount: 0xFFFF_FFFF, limit: 65536))
    #expect(
      npyRefusal(npyBytes(header("<f4", "(2,)"), data: [0, 0, 0, 0]))
        == .wrongByteCount(dataType: .float32, shape: [2], expected: 8, found: 4))
    #expect(
      npyRefusal(npyBytes(header("<f4", "()"), data: [0, 0, 0, 0, 0]))
        == .wrongByteCount(dataType: .float32, shape: [], expected: 4, found: 5))
    #expect(
      npyRefusal(npyBytes(header("<f8", "(9223372036854775807,)")))
        == .shapeOverflow(shape: [.max]))
    #expect(
      npyRefusal(npyBytes(header("<f8", "(4294967296, 4294967296)")))
        == .shapeOverflow(shape: [1 << 32, 1 << 32]))
    #expect(npyRefusal(npyBytes(header("|b1", "(3,)"), data: [0, 1, 7])) == .invalidBool(index: 2, byte: 7))
    let ones = String(repeating: "1,", count: 65)
    #expect(npyRefusal(npyBytes(header("|u1", "(\(ones))"), data: [1])) == .tooManyDimensions(limit: 64))
    #expect(
      npyRefusal(npyBytes(header("<V2", "()"), data: [1, 2]))
        == .unsupportedType("<V2 (raw bytes; NumPy stores bfloat16 so: convert it first)"))
    #expect(npyRefusal(npyBytes(header("|f4", "()"), data: [1, 2, 3, 4])) == .unsupportedType("|f4"))
  }

  @Test("a file cut short anywhere is refused")
  func truncation() throws {
    for name in ["float32.npy", "version-3.npy", "big-endian-fortran.npy"] {
      let whole = try bytes(ofFormatFixture: name)
      for count in 1..<whole.count { #expect(npyRefusal(Array(whole.prefix(count))) != nil) }
      #expect(npyRefusal(whole) == nil)
    }
  }

  @Test("after a flipped bit of its header a file is refused, or all of its data is read")
  func bitFlips() throws {
    let whole = try bytes(ofFormatFixture: "big-endian-fortran.npy")
    let headerBytes = 128
    for bit in 0..<headerBytes * 8 {
      var changed = whole
      changed[bit / 8] ^= 1 << (bit % 8)
      do {
        let tensor = try readNPY(changed)
        #expect(try tensor.withUnsafeBytes { $0.count } == whole.count - headerBytes, "bit \(bit)")
      } catch {
        #expect(error is NumPyError, "bit \(bit)")
      }
    }
  }

  @Test("what NumPy wrote is written again, to the byte", arguments: ["float32.npy", "scalar.npy", "empty.npy"])
  func writing(name: String) throws {
    let folder = try TemporaryFolder()
    let tensor = try NPYFile.read(path: formatFixture(name))
    let original = try bytes(ofFormatFixture: name)
    #expect(try NPYFile.bytes(of: tensor) == original)
    let path = folder.path + "/x.npy"
    try NPYFile.write(tensor, toPath: path)
    #expect(try MappedFile(path: path).withUnsafeBytes { Array($0) } == original)
  }

  @Test("every type comes back", arguments: DataType.allCases)
  func roundTrip(type: DataType) throws {
    let file = try SafetensorsFile(path: formatFixture("all-types.safetensors"))
    let tensor = try file.anyTensor(named: "all.\(type.safetensorsName)")
    if type == .bfloat16 {
      #expect(throws: NumPyError(file: "memory", array: nil, reason: .unwritableType(.bfloat16))) {
        try NPYFile.bytes(of: tensor)
      }
      return
    }
    let copy = try readNPY(NPYFile.bytes(of: tensor))
    #expect(copy.dataType == type)
    #expect(copy.shape == tensor.shape)
    #expect(try copy.withUnsafeBytes { Array($0) } == tensor.withUnsafeBytes { Array($0) })
  }

  /// numpy.zeros([1] * 64) is made, [1] * 65 is refused: "maximum supported dimension for an ndarray is currently 64".
  @Test("no more axes are written than NumPy has, nor than are read")
  func ranks() throws {
    func ones(_ rank: Int) throws -> AnyTensor {
      AnyTensor(try Tensor<Float>([7], shape: .init(repeating: 1, count: rank)))
    }
    #expect(try readNPY(NPYFile.bytes(of: ones(64))).shape.count == 64)
    let folder = try TemporaryFolder()
    let path = folder.path + "/x.npy"
    // The header of the second would be longer than its length can say.
    for rank in [65, 30_000] {
      #expect(throws: NumPyError(file: "memory", array: nil, reason: .tooManyDimensions(limit: 64))) {
        try NPYFile.bytes(of: ones(rank))
      }
      let refusal = NumPyError(file: path, array: nil, reason: .tooManyDimensions(limit: 64))
      #expect(throws: refusal) { try NPYFile.write(ones(rank), toPath: path) }
      #expect(throws: refusal) { try NPYFile.write(["a"], shape: .init(repeating: 1, count: rank), toPath: path) }
    }
    #expect(try folder.contents().isEmpty)
  }
}

@Suite("texts in .npy files")
struct NPYTextTests {
  /// numpy.array(["cat", "žluť", "", "🐕"]) as NumPy lays it out: four characters each, of four bytes.
  private static let texts = ["cat", "žluť", "", "🐕"]
  private static let data: [UInt8] = texts.flatMap { text in
    let codes = text.unicodeScalars.map(\.value) + [UInt32](repeating: 0, count: 4 - text.unicodeScalars.count)
    return codes.flatMap { code in withUnsafeBytes(of: code.littleEndian) { Array($0) } }
  }

  private func read(_ bytes: [UInt8]) throws -> (elements: [String], shape: [Int])? {
    try bytes.withUnsafeBytes { try NPYFile.texts($0) }
  }

  @Test("what NumPy writes is read, and what is written is the same")
  func roundTrip() throws {
    let header = "{'descr': '<U4', 'fortran_order': False, 'shape': (2, 2), }"
    let found = try #require(try read(npyBytes(header, data: Self.data)))
    #expect(found.elements == Self.texts)
    #expect(found.shape == [2, 2])
    let folder = try TemporaryFolder()
    let path = folder.path + "/texts.npy"
    try NPYFile.write(Self.texts, shape: [2, 2], toPath: path)
    #expect(try NPYFile.texts(path: path)?.elements == Self.texts)
    let file = try MappedFile(path: path)
    #expect(file.withUnsafeBytes { Array($0.suffix(Self.data.count)) } == Self.data)
    #expect(file.withUnsafeBytes { $0.count }.isMultiple(of: 64))
  }

  @Test("zeros within a text are what NumPy cannot have")
  func zeros() {
    #expect(NPYFile.canHold(["", "a b"]))
    #expect(!NPYFile.canHold(["a\0b"]))
    // A text of a megabyte among ten thousand would make forty gigabytes.
    #expect(!NPYFile.canHold([String(repeating: "x", count: 1 << 20)] + [String](repeating: "", count: 10_000)))
  }

  @Test("no number of texts is believed that the data does not hold")
  func impossible() throws {
    #expect(throws: NumPyError.Reason.self) {
      try read(npyBytes("{'descr': '<U0', 'fortran_order': False, 'shape': (99999999999, 9), }"))
    }
    #expect(throws: NumPyError.Reason.self) {
      try read(npyBytes("{'descr': '<U4', 'fortran_order': False, 'shape': (3,), }", data: Self.data))
    }
    #expect(try read(npyBytes("{'descr': '<f4', 'fortran_order': False, 'shape': (0,), }")) == nil)
  }
}
