import ApusTestSupport
import Testing

@testable import Apus

@Suite("SafetensorsFile: files that PyTorch wrote")
struct SafetensorsFileTests {
  let file = try? SafetensorsFile(path: formatFixture("all-types.safetensors"))

  @Test("names, metadata and escapes")
  func namesAndMetadata() throws {
    let file = try #require(file)
    #expect(file.tensorNames.count == 16)
    #expect(file.contains("naïve \"quoted\" 😀"))
    #expect(file.metadata == ["note": "tab\there, \u{1}\u{8}\u{C} ünïcode 😀"])
    #expect(try file.info("all.BF16").shape == [2, 3, 4])
    #expect(try file.info("all.BF16").dataType == .bfloat16)
    #expect(try file.info("all.U16").byteCount == 48)
  }

  @Test("every type holds the values PyTorch gave it")
  func everyType() throws {
    let file = try #require(file)
    let floating = (0..<24).map { (Double($0) - 3) * 0.75 }
    #expect(try file.tensor(named: "all.F64", as: Double.self).elements == floating)
    #expect(try file.tensor(named: "all.F32", as: Float.self).elements == floating.map { Float($0) })
    #expect(try file.tensor(named: "all.F16", as: Float16.self).elements == floating.map { Float16($0) })
    #expect(try file.tensor(named: "all.BF16", as: BFloat16.self).elements == floating.map { BFloat16(Float($0)) })
    #expect(try file.tensor(named: "all.I8", as: Int8.self).elements == (0..<24).map { $0 - 3 })
    #expect(try file.tensor(named: "all.I16", as: Int16.self).elements == (0..<24).map { $0 - 3 })
    #expect(try file.tensor(named: "all.I32", as: Int32.self).elements == (0..<24).map { $0 - 3 })
    #expect(try file.tensor(named: "all.I64", as: Int64.self).elements == (0..<24).map { $0 - 3 })
    #expect(try file.tensor(named: "all.U8", as: UInt8.self).elements == (0..<24).map { $0 })
    #expect(try file.tensor(named: "all.U16", as: UInt16.self).elements == (0..<24).map { $0 })
    #expect(try file.tensor(named: "all.U32", as: UInt32.self).elements == (0..<24).map { $0 })
    #expect(try file.tensor(named: "all.U64", as: UInt64.self).elements == (0..<24).map { $0 })
    #expect(try file.tensor(named: "all.BOOL", as: Bool.self).elements == (0..<24).map { $0 % 3 == 0 })
    #expect(try file.tensor(named: "scalar", as: Float.self).scalar == 1.5)
    #expect(try file.tensor(named: "empty", as: Float.self).shape == [0, 4])
  }

  @Test("the erased form has the stored type", arguments: DataType.allCases)
  func erased(type: DataType) throws {
    let file = try #require(file)
    let tensor = try file.anyTensor(named: "all.\(type.safetensorsName)")
    #expect(tensor.dataType == type)
    #expect(tensor.shape == [2, 3, 4])
    #expect(try tensor.converted(to: Double.self).count == 24)
  }

  @Test("floating types widen to the type asked for", arguments: ["F64", "F32", "F16", "BF16"])
  func widening(type: String) throws {
    let file = try #require(file)
    let values = (0..<24).map { (Double($0) - 3) * 0.75 }
    #expect(try file.tensor(named: "all.\(type)", as: Double.self).elements == values)
    #expect(try file.tensor(named: "all.\(type)", as: Float.self).elements == values.map { Float($0) })
  }

  @Test("integers convert only when asked to")
  func wholeNumbers() throws {
    let file = try #require(file)
    #expect(
      throws: SafetensorsError(
        file: file.name, reason: .wrongType(tensor: "all.I32", found: .int32, expected: .float32))
    ) { try file.tensor(named: "all.I32", as: Float.self) }
    #expect(
      throws: SafetensorsError(
        file: file.name, reason: .wrongType(tensor: "all.I32", found: .int32, expected: .int64))
    ) { try file.tensor(named: "all.I32", as: Int64.self) }
    let expected = (0..<24).map { $0 - 3 }
    #expect(try file.tensor(named: "all.I32", as: Int64.self, converting: true).elements == expected.map(Int64.init))
    #expect(try file.tensor(named: "all.I64", as: Int8.self, converting: true).elements == expected.map(Int8.init))
    #expect(try file.tensor(named: "all.I32", as: Float.self, converting: true).elements == expected.map(Float.init))
    #expect(try file.tensor(named: "all.BOOL", as: Float.self, converting: true).elements.prefix(4) == [1, 0, 0, 1])
    #expect(
      throws: SafetensorsError(
        file: file.name,
        reason: .conversion(
          tensor: "all.I8", .argument(operation: "convert", reason: "-3 does not fit in uint16")))
    ) { try file.tensor(named: "all.I8", as: UInt16.self, converting: true) }
    #expect(throws: SafetensorsError.self) { try file.tensor(named: "all.F32", as: Int32.self, converting: true) }
  }

  @Test("a missing tensor is named, with the nearest there is")
  func missing() throws {
    let file = try #require(file)
    #expect(
      throws: SafetensorsError(
        file: file.name, reason: .noSuchTensor(name: "all.B00L", similar: "all.BOOL"))
    ) { try file.tensor(named: "all.B00L", as: Float.self) }
    #expect(
      throws: SafetensorsError(
        file: file.name, reason: .noSuchTensor(name: "weight", similar: nil))
    ) { try file.info("weight") }
  }

  @Test("tensors are views of the file where they are aligned", arguments: FileAccess.allCases)
  func zeroCopy(access: FileAccess) throws {
    let mapped = try MappedFile(path: formatFixture("all-types.safetensors"), access: access)
    let file = try SafetensorsFile(mapped)
    for name in ["all.F32", "scalar"] {
      let tensor = try file.tensor(named: name, as: Float.self)
      let address = UnsafeRawPointer(tensor.pointer)
      let isInside = mapped.withUnsafeBytes { bytes in
        bytes.baseAddress.map { $0 <= address && address < $0 + bytes.count }
      }
      #expect(isInside == true)
      #expect(tensor.storage.owner === mapped)
    }
    #expect(try file.tensor(named: "all.F16", as: Float.self).storage.owner == nil)
    #expect(try file.tensor(named: "all.BOOL", as: Bool.self).storage.owner == nil)
  }

  @Test("a view outlives the file object, and writing to it copies")
  func lifetime() throws {
    var tensor = try SafetensorsFile(path: formatFixture("all-types.safetensors")).tensor(
      named: "all.F32", as: Float.self)
    let copy = tensor
    try tensor.setElement(0, 0, 0, to: 7)
    #expect(try tensor.element(0, 0, 0) == 7)
    #expect(try copy.element(0, 0, 0) == -2.25)
  }

  @Test("data at an odd address is copied")
  func unaligned() throws {
    // One byte of padding in the header shifts the data.
    let data = withUnsafeBytes(of: (Float(1.5), Float(-2))) { Array($0) }
    for padding in 0..<8 {
      let header = #"{"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}"# + String(repeating: " ", count: padding)
      let file = try openSafetensors(safetensorsBytes(header, data: data))
      let tensor = try file.tensor(named: "x", as: Float.self)
      #expect(try tensor.elements == [1.5, -2])
      #expect((tensor.storage.owner != nil) == ((8 + header.utf8.count) % 4 == 0))
    }
  }

  @Test func weightsInAnotherFormatAreNamed() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write([0x80, 2, 0x7D, 0x71, 0, 0x2E], to: "model.bin")
    #expect(throws: FileFormatError(path: path, found: .pickle, purpose: .weights)) { try SafetensorsFile(path: path) }
  }
}
