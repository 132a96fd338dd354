import ApusPlatform
import ApusTestSupport
import Testing

@testable import Apus

@Suite("SafetensorsWriter")
struct SafetensorsWriterTests {
  @Test("what PyTorch wrote is written again, to the byte")
  func roundTrip() throws {
    let original = try SafetensorsFile(path: formatFixture("all-types.safetensors"))
    var writer = SafetensorsWriter(metadata: original.metadata)
    for name in original.tensorNames.shuffled() { try writer.add(original.anyTensor(named: name), named: name) }
    #expect(try writer.bytes() == bytes(ofFormatFixture: "all-types.safetensors"))
  }

  @Test("the header is padded, wide types come first, equal tensors give equal files")
  func layout() throws {
    var writer = SafetensorsWriter()
    try writer.add(Tensor<Bool>([true]), named: "a")
    try writer.add(Tensor<Double>([1]), named: "z")
    try writer.add(Tensor<Float16>([1, 2, 3]), named: "h")
    try writer.add(Tensor<Int64>([1]), named: "b")
    let bytes = try writer.bytes()
    let text =
      #"{"b":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},"#
      + #""z":{"dtype":"F64","shape":[1],"data_offsets":[8,16]},"#
      + #""h":{"dtype":"F16","shape":[3],"data_offsets":[16,22]},"#
      + #""a":{"dtype":"BOOL","shape":[1],"data_offsets":[22,23]}}"#
    let padding = String(repeating: " ", count: (8 - text.utf8.count % 8) % 8)
    #expect(Array(bytes.prefix(bytes.count - 23)) == safetensorsBytes(text + padding))
    #expect(try openSafetensors(bytes).tensorNames == ["b", "z", "h", "a"])
  }

  @Test("names and metadata of any characters")
  func escapes() throws {
    let text = "\u{0}\u{1}\u{1F}\u{7F}\"\\/\n\r\t\u{8}é e\u{301} 日本 😀"
    var writer = SafetensorsWriter(metadata: [text: text, "": ""])
    try writer.add(Tensor<Float>([1]), named: text)
    try writer.add(Tensor<Float>([2]), named: "")
    let copy = try openSafetensors(writer.bytes())
    #expect(copy.metadata == [text: text, "": ""])
    #expect(try copy.tensor(named: text, as: Float.self).scalar == 1)
    #expect(try copy.tensor(named: "", as: Float.self).scalar == 2)
  }

  @Test("names that cannot be")
  func refusals() throws {
    var writer = SafetensorsWriter()
    let tensor = try Tensor<Float>([1])
    try writer.add(tensor, named: "a")
    #expect(throws: SafetensorsWriterError.duplicateName("a")) { try writer.add(tensor, named: "a") }
    #expect(throws: SafetensorsWriterError.reservedName("__metadata__")) {
      try writer.add(tensor, named: "__metadata__")
    }
    let long = String(repeating: "\n", count: 3000)
    #expect(throws: SafetensorsWriterError.nameTooLong(long, limit: 4096)) { try writer.add(tensor, named: long) }
  }

  @Test("no more axes are written than are read")
  func ranks() throws {
    func ones(_ rank: Int) throws -> Tensor<Float> { try Tensor([7], shape: .init(repeating: 1, count: rank)) }
    var writer = SafetensorsWriter()
    try writer.add(ones(64), named: "a")
    #expect(throws: SafetensorsWriterError.tooManyDimensions(tensor: "b", limit: 64)) {
      try writer.add(ones(65), named: "b")
    }
    #expect(try openSafetensors(writer.bytes()).tensor(named: "a", as: Float.self).rank == 64)
  }

  @Test("no tensors")
  func empty() throws {
    #expect(try openSafetensors(SafetensorsWriter().bytes()).tensorNames.isEmpty)
  }

  @Test("writing over a file that is mapped leaves the map as it was, and nothing else behind")
  func replacement() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/x.safetensors"
    var writer = SafetensorsWriter()
    try writer.add(Tensor<Float>([1, 2]), named: "x")
    try writer.write(toPath: path)
    #expect(chmod(path, 0o640) == 0)
    let old = try SafetensorsFile(path: path)

    var second = SafetensorsWriter()
    try second.add(Tensor<Float>([3, 4, 5]), named: "x")
    #expect(symlink(path, folder.path + "/link") == 0)
    try second.write(toPath: folder.path + "/link")

    #expect(try old.tensor(named: "x", as: Float.self).elements == [1, 2])
    #expect(try SafetensorsFile(path: path).tensor(named: "x", as: Float.self).elements == [3, 4, 5])
    #expect(try folder.contents() == ["link", "x.safetensors"])
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o640)
  }

  @Test("where nothing can be written")
  func unwritable() throws {
    let folder = try TemporaryFolder()
    let writer = SafetensorsWriter()
    #expect(throws: FileError.isDirectory(path: folder.path)) { try writer.write(toPath: folder.path) }
    let nowhere = folder.path + "/no/such/folder"
    #expect(throws: FileError.unwritable(path: nowhere, reason: "No such file or directory")) {
      try writer.write(toPath: nowhere)
    }
    #expect(throws: FileError.unwritable(path: "/dev/full", reason: "No space left on device")) {
      try writer.write(toPath: "/dev/full")
    }
    #expect(try folder.contents().isEmpty)
  }
}
