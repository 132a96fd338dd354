import ApusTestSupport
import Testing

@testable import Apus

func openNPZ(_ bytes: [UInt8]) throws -> NPZFile {
  try bytes.withUnsafeBytes { try NPZFile(bytes: $0, name: "memory") }
}

@Suite("NPZFile")
struct NPZFileTests {
  @Test("every type, stored and deflated", arguments: ["stored", "deflated"])
  func everyType(name: String) throws {
    let file = try NPZFile(path: formatFixture("\(name).npz"))
    #expect(file.arrayNames.count == 12)
    for type in DataType.allCases where type != .bfloat16 {
      let tensor = try file.anyTensor(named: type.safetensorsName)
      #expect(tensor.dataType == type)
      #expect(tensor.shape == [2, 3, 4])
      let expected = (0..<24).map { index -> Double in
        switch type {
        case .bool: index % 3 == 0 ? 1 : 0
        case .uint8, .uint16, .uint32, .uint64: Double(index)
        case .int8, .int16, .int32, .int64: Double(index - 3)
        default: (Double(index) - 3) * 0.75
        }
      }
      #expect(try tensor.converted(to: Double.self).elements == expected)
    }
    #expect(try file.tensor(named: "F16", as: Float.self).count == 24)
    #expect(
      throws: NumPyError(
        file: file.name, array: "I8", reason: .wrongType(found: .int8, expected: .float32))
    ) { try file.tensor(named: "I8", as: Float.self) }
    #expect(throws: NumPyError(file: file.name, array: "F31", reason: .noSuchArray(similar: "F32"))) {
      try file.anyTensor(named: "F31")
    }
  }

  @Test("what NumPy stored is written again, to the byte, in every type")
  func writing() throws {
    let path = formatFixture("stored.npz")
    let archive = try ZipArchive(MappedFile(path: path))
    let file = try NPZFile(path: path)
    #expect(archive.entries.count == 12)
    for (entry, name) in zip(archive.entries, file.arrayNames) {
      let (bytes, owner) = try archive.contents(of: entry)
      let original = withExtendedLifetime(owner) { Array(bytes) }
      #expect(try NPYFile.bytes(of: file.anyTensor(named: name)) == original, "\(name)")
    }
  }

  @Test("an archive written as a stream, with a comment")
  func streamed() throws {
    let file = try NPZFile(path: formatFixture("streamed.npz"))
    #expect(file.arrayNames == ["a"])
    #expect(try file.tensor(named: "a", as: Float.self).elements == NPYFileTests.values)
  }

  @Test("blocks of every kind, and long repetitions")
  func blocks() throws {
    let file = try NPZFile(path: formatFixture("blocks.npz"))
    #expect(try file.tensor(named: "noise", as: UInt8.self).count == 3000)
    #expect(try file.tensor(named: "zeros", as: Float.self).elements == [Float](repeating: 0, count: 300_000))
    let words = try file.tensor(named: "words", as: UInt8.self).elements
    #expect(Set(words) == Set("the quick brown fox ".utf8))
    #expect(words.count == 40_000)
  }

  @Test("an archive cut short anywhere is refused")
  func truncation() throws {
    let whole = try bytes(ofFormatFixture: "streamed.npz")
    for count in 1..<whole.count { #expect(throws: NumPyError.self) { try openNPZ(Array(whole.prefix(count))) } }
    #expect(try openNPZ(whole).arrayNames == ["a"])
  }

  @Test("a flipped bit never crashes, and damaged data does not pass for sound")
  func bitFlips() throws {
    let whole = try bytes(ofFormatFixture: "streamed.npz")
    let sound = try openNPZ(whole).anyTensor(named: "a").withUnsafeBytes { Array($0) }
    for bit in 0..<whole.count * 8 {
      var changed = whole
      changed[bit / 8] ^= 1 << (bit % 8)
      guard let file = try? openNPZ(changed) else { continue }
      for name in file.arrayNames {
        guard let tensor = try? file.anyTensor(named: name) else { continue }
        #expect(try tensor.withUnsafeBytes { Array($0) } == sound, "bit \(bit)")
      }
    }
  }

  @Test("names are compared by their bytes, and other entries are ignored")
  func names() throws {
    let array = npyBytes("{'descr': '|u1', 'fortran_order': False, 'shape': (1,)}", data: [5])
    let file = try openNPZ(
      ZipBuilder(["e\u{301}.npy": array, "\u{E9}.npy": array, "readme.txt": [1], "../up.npy": array]).bytes)
    #expect(Set(file.arrayNames.map { Array($0.utf8) }).count == 3)
    #expect(try file.tensor(named: "../up", as: UInt8.self).elements == [5])
  }
}
