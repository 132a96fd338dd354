import ApusPlatform
import ApusTestSupport
import Testing

@testable import Apus
@testable import ApusBase

@Suite struct ShrunkWeightsTests {
  private let page = Int(sysconf(Int32(_SC_PAGESIZE)))

  @Test func tensorsOfAFileThatIsCutShortAreVoid() throws {
    ShrinkingFiles.watch()
    let folder = try TemporaryFolder()
    let path = folder.path + "/x.safetensors"
    var writer = SafetensorsWriter()
    try writer.add(AnyTensor(Tensor<Float>(repeating: 2, shape: [4 * page])), named: "x")
    try writer.write(toPath: path)
    let file = try SafetensorsFile(path: path)
    #expect(truncate(path, off_t(page)) == 0)
    let x: Tensor<Float> = try file.tensor(named: "x")
    _ = try x.sum(axes: [0])
    #expect(throws: FileError.self) { try ShrinkingFiles.check() }
    withExtendedLifetime(file) {}
  }
}
