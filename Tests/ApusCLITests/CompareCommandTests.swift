import ApusTestSupport
import Foundation
import Testing

@testable import Apus

@Suite struct CompareCommandTests {
  private static let formats = fixture("formats")

  @Test func equalFilesEndWithZero() throws {
    try TemporaryFolder.with { folder in
      let a = try folder.npy("a", [1, 2, 3] as [Float], shape: [3])
      let b = try folder.npy("b", [1, 2.000001, 3] as [Float], shape: [3])
      let result = try Command.run("compare", a, b)
      #expect(result.status == 0)
      #expect(result.output.contains("equal"))
      #expect(result.errors.isEmpty)
    }
  }

  @Test func differentFilesEndWithOneAndSayWhere() throws {
    try TemporaryFolder.with { folder in
      let a = try folder.npy("a", [1, 2, 3.5, 4] as [Float], shape: [2, 2])
      let b = try folder.npy("b", [1, 2, 3, 4] as [Float], shape: [2, 2])
      let result = try Command.run("compare", a, b)
      #expect(result.status == 1)
      #expect(result.output.contains("at [1, 0]  actual 3.5  expected 3"))
      #expect(result.errors.isEmpty)
      #expect(try Command.run("compare", a, b, "--atol", "0.5").status == 0)
      #expect(try Command.run("compare", a, b, "--rtol", "0.2").status == 0)
      #expect(try Command.run("compare", a, b, "--rtol", "0.1", "--atol", "0.1").status == 1)
    }
  }

  @Test func pageHasEveryTensorAndWhatOneFileLacks() throws {
    try TemporaryFolder.with { folder in
      let a = try folder.safetensors(
        "a", [("off", AnyTensor(try Tensor<Float>([1, 2.5]))), ("same", AnyTensor(try Tensor<Float>([1, 2])))])
      let b = try folder.safetensors(
        "b",
        [
          ("off", AnyTensor(try Tensor<Float>([1, 2]))), ("same", AnyTensor(try Tensor<Float>([1, 2]))),
          ("lost", AnyTensor(try Tensor<Int8>([1]))),
        ])
      let page = folder.path("page.html")
      #expect(try Command.run("compare", a, b, "--report", page).status == 1)
      let html = try String(contentsOfFile: page, encoding: .utf8)
      #expect(html.contains("different: 1 of 2 tensors equal, 1 missing"))
      #expect(html.components(separatedBy: "<details").count == 3)
      #expect(html.contains("<td>lost</td><td>missing</td>") && html.contains("<td>0.5 at [1]</td>"))
      #expect(html.contains("worst elements") && !html.contains("http:") && !html.contains("src="))
      let over = try Command.run("compare", a, b, "--report", b)
      #expect(over.status == 64 && over.errors.contains("b.safetensors"))
    }
  }

  @Test func jsonIsTheWholeReportOnOneLine() throws {
    try TemporaryFolder.with { folder in
      let a = try folder.safetensors(
        "a",
        [
          ("same", AnyTensor(try Tensor<Float>([1, 2]))), ("off", AnyTensor(try Tensor<Float>([.nan, 2]))),
          ("extra", AnyTensor(try Tensor<Int8>([1]))),
        ])
      let b = try folder.safetensors(
        "b",
        [
          ("same", AnyTensor(try Tensor<Float>([1, 2]))), ("off", AnyTensor(try Tensor<Float>([1, 2]))),
          ("lost", AnyTensor(try Tensor<Int8>([1]))),
        ])
      let result = try Command.run("compare", a, b, "--json")
      #expect(result.status == 1)
      #expect(result.lines.count == 1)
      let report = try result.object
      #expect(report["equal"] as? Bool == false)
      #expect(report["missing"] as? [String] == ["lost"])
      #expect(report["unexpected"] as? [String] == ["extra"])
      let tensors = try #require(report["tensors"] as? [[String: Any]])
      #expect(Set(tensors.compactMap { $0["name"] as? String }) == ["same", "off"])
      #expect(try Command.run("compare", a, b, "--json").output == result.output)

      let text = try Command.run("compare", a, b).output
      #expect(text.contains("missing") && text.contains("not expected"))
      #expect(text.contains("1 of 2 tensors equal, 1 missing, 1 not expected"))

      #expect(try Command.run("compare", a, b, "--names", "same").status == 0)
      #expect(try Command.run("compare", a, b, "--names", "sa*", "lost").status == 1)
      #expect(try Command.run("compare", a, b, "--names", "extra=lost").status == 0)
      #expect(try Command.run("compare", a, b, "--names", "nowhere").status == 64)
    }
  }

  @Test func longListsShowWhatDiffers() throws {
    try TemporaryFolder.with { folder in
      var tensors = try (0..<40).map { ("t\($0)", AnyTensor(try Tensor<Float>([Float($0)]))) }
      let a = try folder.safetensors("a", tensors)
      tensors[7].1 = AnyTensor(try Tensor<Float>([70]))
      let b = try folder.safetensors("b", tensors)
      let short = try Command.run("compare", a, b)
      #expect(short.status == 1)
      #expect(short.output.contains("t7") && !short.output.contains("t8"))
      #expect(short.output.contains("39 of 40 tensors equal"))
      #expect(try Command.run("compare", a, b, "--all").output.contains("t8"))
    }
  }

  @Test func elementTypesMustAgreeUnlessAllowed() throws {
    try TemporaryFolder.with { folder in
      let a = try folder.npy("a", [1, 2] as [Float], shape: [2])
      let b = try folder.npy("b", [1, 2] as [Double], shape: [2])
      #expect(try Command.run("compare", a, b).status == 1)
      #expect(try Command.run("compare", a, b, "--any-dtype").status == 0)
    }
  }

  @Test("arrays that are decompressed count together in the limit on memory")
  func arraysCountTogether() throws {
    // Of 1.2 MB each.
    let blocks = "\(Self.formats)/blocks.npz"
    #expect(try Command.run("compare", blocks, blocks, environment: ["APUS_MEMORY_LIMIT": "4M"]).status == 0)
    let refused = try Command.run("compare", blocks, blocks, environment: ["APUS_MEMORY_LIMIT": "2M"])
    #expect(refused.status == 65)
    #expect(refused.errors.contains("at most 2097152 together are read into memory"))
  }

  @Test func archivesAndSafetensorsAreCompared() throws {
    let (stored, deflated) = ("\(Self.formats)/stored.npz", "\(Self.formats)/deflated.npz")
    #expect(try Command.run("compare", stored, deflated).status == 0)
    let all = "\(Self.formats)/all-types.safetensors"
    let renamed = try Command.run("compare", deflated, all, "--names", "F32=all.F32", "BOOL=all.BOOL", "U64=all.U64")
    #expect(renamed.status == 0)
    #expect(try Command.run("compare", deflated, all).status == 1)
  }

  /// Two files without a tensor are not known to be equal.
  @Test func filesWithoutTensorsAreNotCompared() throws {
    try TemporaryFolder.with { folder in
      // An archive's end, with no entries before it.
      try (Data("PK\u{5}\u{6}".utf8) + Data(count: 18)).write(to: folder.file("none.npz"))
      let none = folder.path("none.npz")
      let result = try Command.run("compare", none, none)
      #expect(result.status == 65 && result.output.isEmpty && result.errors.contains("hold no tensors"))
      #expect(try Command.run("compare", none, folder.npy("a", [1] as [Float], shape: [1])).status == 1)
    }
  }

  @Test func wrongInputsHaveTheirStatus() throws {
    try TemporaryFolder.with { folder in
      let good = try folder.npy("good", [1] as [Float], shape: [1])
      let bad = folder.path("bad.npz")
      try Data("no archive".utf8).write(to: folder.file("bad.npz"))
      let text = folder.path("text.npy")
      try Data("no array".utf8).write(to: folder.file("text.npy"))
      try FileManager.default.createDirectory(at: folder.file("folder.npy"), withIntermediateDirectories: true)
      for (arguments, status) in [
        ([good, folder.path("absent.npy")], 66), ([good, folder.path("folder.npy")], 65), ([good, bad], 65),
        ([good, text], 65), ([good], 64), ([good, good, "--rtol", "x"], 64),
        ([good, good, "--rtol=-1"], 64), ([good, good, "--atol", "nan"], 64),
      ] as [([String], Int32)] {
        let process = Command.process(["compare"] + arguments)
        let errors = Pipe()
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, errors)
        try process.run()
        let message = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == status, "\(arguments)")
        #expect(message.hasPrefix("apus: ") && message.split(separator: "\n").count == 1, "\(message)")
      }
    }
  }
}
