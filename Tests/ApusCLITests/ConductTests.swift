import ApusTestSupport
import Foundation
import Testing

@testable import ApusCLI

/// What every command owes the shell.
@Suite struct ConductTests {
  private static let commands = ApusCommand.configuration.subcommands.compactMap { $0.configuration.commandName }

  @Test func everyCommandHasAName() {
    #expect(Self.commands.count == ApusCommand.configuration.subcommands.count)
    #expect(Set(Self.commands).count == Self.commands.count)
  }

  /// A command that forgets it may write over what it reads.
  @Test(arguments: ApusCommand.configuration.subcommands.indices)
  func commandsThatWriteFilesHaveAPlan(index: Int) {
    let command = ApusCommand.configuration.subcommands[index]
    let help = ApusCommand.helpMessage(for: command)
    let options = [
      "--output", "--csv", "--report", "--charts", "--overlay", "--save", "--session", "--document", "--cache",
    ]
    let writes = options.contains { option in help.contains("\(option) <") || help.contains("\(option)  ") }
    if writes { #expect(command is any WritesFiles.Type, "\(command) writes files and does not say which") }
  }

  /// The parser compares arguments with the names of options, which would take minutes.
  @Test func argumentsOfMarksAreRefused() throws {
    let marks = "a" + String(repeating: "\u{301}\u{316}", count: 16)
    for arguments in [["fill", marks], ["help", marks], ["detect", "--classes", marks, "x.png"]] {
      let result = try Command.run(arguments, input: "")
      #expect(result.status == 64 && result.errors.contains("more than 30 combining marks in a row"))
    }
  }

  @Test func theVersionIsPrinted() throws {
    let result = try Command.run("--version")
    #expect(result.status == 0)
    #expect(result.output == "0.1.0\n")
  }

  @Test(arguments: commands)
  func everyCommandHasHelp(command: String) throws {
    for arguments in [["\(command)", "--help"], ["help", "\(command)"]] {
      let result = try Command.run(arguments[0], arguments[1])
      #expect(result.status == 0)
      #expect(result.errors.isEmpty)
      #expect(result.output.contains("USAGE: apus \(command)"))
      // More than the parser's own words.
      #expect(result.output.contains("EXAMPLES") || command == "demo")
      #expect(result.lines.filter { !$0.hasPrefix("USAGE") }.allSatisfy { $0.count <= 80 })
    }
  }

  /// The parser's wrapping leaves out what has no room, and asserts that there is some.
  @Test(arguments: ["0", "1", "20", "-5", "x", "", "99999999999999999999"])
  func helpIsWholeInAnyWidth(columns: String) throws {
    let usual = try Command.run(["help", "tokenize"], environment: ["COLUMNS": "80"])
    #expect(try Command.run(["help", "tokenize"], environment: ["COLUMNS": columns]).output == usual.output)
  }

  @Test func theRootHelpListsCommandsAndStatuses() throws {
    let result = try Command.run("--help")
    #expect(result.status == 0)
    for word in Self.commands + ["EXIT STATUS", "APUS_WEIGHTS", "--generate-completion-script"] {
      #expect(result.output.contains(word), "\(word)")
    }
    #expect(try Command.run().output == result.output)
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func completionScriptsKnowTheCommands(shell: String) throws {
    let result = try Command.run("--generate-completion-script", shell)
    #expect(result.status == 0)
    for command in Self.commands { #expect(result.output.contains(command)) }
  }

  @Test func bashTakesTheCompletionScript() throws {
    let script = try Command.run("--generate-completion-script", "bash").output
    try TemporaryFolder.with { folder in
      try script.write(to: folder.file("apus.bash"), atomically: true, encoding: .utf8)
      let bash = Process()
      bash.executableURL = URL(filePath: "/bin/bash")
      bash.arguments = ["-n", folder.path("apus.bash")]
      try bash.run()
      bash.waitUntilExit()
      #expect(bash.terminationStatus == 0)
    }
  }

  @Test(arguments: [
    ["--frobnicate"], ["frobnicate"], ["inspect"], ["inspect", "a", "b"], ["compare", "--frobnicate"],
    ["doctor", "extra"], ["run"], ["run", "a", "--repeat", "0"], ["run", "a", "--dim", "n"],
    ["conformance"], ["--generate-completion-script", "ksh"], ["verify", "--rtol"],
  ])
  func wrongCommandLinesGetOneLineAndSixtyFour(arguments: [String]) throws {
    let process = Command.process(arguments)
    let (output, errors) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (output, errors)
    try process.run()
    let message = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(output.fileHandleForReading.readDataToEndOfFile().isEmpty)
    process.waitUntilExit()
    #expect(process.terminationStatus == 64)
    #expect(message.hasPrefix("apus: ") && message.hasSuffix("'.\n"), "\(message)")
    #expect(message.split(separator: "\n").count == 1)
  }

  @Test(arguments: [
    ["behavior", "behavior/samples/walking.jsonl", "--json"],
    ["inspect", "behavior/shipped/behavior-classifier.safetensors"],
    ["--help"],
    ["--generate-completion-script", "zsh"], ["verify", "--model", "tcn"],
  ])
  func outputIntoAClosedPipeEndsSilently(arguments: [String]) throws {
    let arguments = arguments.map { $0.contains(".") ? shipped($0) : $0 }
    let process = Command.process(arguments)
    let (output, errors) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (output, errors)
    try output.fileHandleForReading.close()
    try process.run()
    let message = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == 0)
    #expect(message.isEmpty)
  }

  @Test func aVerdictSurvivesAClosedPipe() throws {
    let process = Command.process(["verify", "--rtol", "0", "--atol", "0"])
    let output = Pipe()
    process.standardOutput = output
    try output.fileHandleForReading.close()
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 1)
  }

  #if os(Linux)
    @Test func aLimitOnTheSizeOfFilesIsAnInputOutputError() throws {
      try TemporaryFolder.with { folder in
        try Data("former".utf8).write(to: folder.file("picture.png"))
        let process = Command.process([])
        let errors = Pipe()
        let picture = fixture("detector/00.jpg")
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = [
          "-c", "ulimit -f 4; exec \"$@\"", "bash", Command.executable.path(percentEncoded: false), "image", picture,
          folder.path("picture.png"),
        ]
        process.standardError = errors
        try process.run()
        let message = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 74)
        #expect(message.hasSuffix("cannot be written: File too large\n"), "\(message)")
        #expect(try Data(contentsOf: folder.file("picture.png")) == Data("former".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")).count == 1)
      }
    }

    @Test func aFullDiskIsAnInputOutputError() throws {
      for arguments in [
        ["doctor"], ["--help"], ["inspect", shipped("behavior/shipped/behavior-classifier.safetensors")],
      ] {
        let process = Command.process(arguments)
        let errors = Pipe()
        process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
        process.standardError = errors
        try process.run()
        let message = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 74)
        #expect(message == "apus: cannot write to standard output: No space left on device\n")
      }
    }
  #endif

  @Test(arguments: [("detct", "detect"), ("behaviour", "behavior"), ("inspekt", "inspect")])
  func aMisspeltCommandIsToldTheRightOne(name: String, meant: String) throws {
    let result = try Command.run(name, "x")
    #expect(result.status == 64 && result.output.isEmpty)
    #expect(result.errors.contains("no command '\(name)'; did you mean '\(meant)'?"))
    #expect(try Command.run("model.onnx").errors.contains("There is no command 'model.onnx'. See 'apus --help'."))
  }

  @Test(arguments: [("detct", "; did you mean 'detect'?"), ("nope", ". See 'apus --help'.")])
  func helpOnACommandThatThereIsNot(name: String, answer: String) throws {
    let result = try Command.run("help", name)
    #expect(result.status == 64 && result.output.isEmpty)
    #expect(result.errors.contains("There is no command '\(name)'\(answer)"), "\(result.errors)")
  }

  @Test func negativeNumbersAreValues() throws {
    #expect(
      CommandLineText.joiningNegativeNumbers(["a", "--n", "-1", "--c", "-.5e-3,2", "-x", "--m", "-inf", "--o=1", "-2"])
        == ["a", "--n=-1", "--c=-.5e-3,2", "-x", "--m", "-inf", "--o=1", "-2"])
    #expect(CommandLineText.joiningNegativeNumbers(["--a", "--", "--n", "-1"]) == ["--a", "--", "--n", "-1"])
    // Found, and refused for what they are.
    let crop = try Command.run("image", "/nowhere.png", "out.png", "--crop", "-5,0,10,10")
    #expect(crop.status == 64 && crop.errors.contains("--crop: four integers"), "\(crop.errors)")
    #expect(try Command.run("barpath", "--list-settings", "--gravity-angle", "-10").status == 0)
    let angle = try Command.run("barpath", "--list-settings", "--gravity-angle", "-100")
    #expect(angle.status == 64 && angle.errors.contains("-45 to 45"), "\(angle.errors)")
  }

  /// The input would be an error of its own, if it were looked at.
  @Test(arguments: [
    ["detect", "/dev/null", "--save", "/nowhere/x.png"], ["image", "/dev/null", "/nowhere/x.png"],
    ["barpath", "/dev/null", "--csv", "/nowhere/x.csv"], ["behavior", "/dev/null", "--report", "/nowhere/x.html"],
    ["arm-drift", "/dev/null", "--report", "/nowhere/x.html"],
  ])
  func whatCannotBeWrittenIsSaidBeforeWorkBegins(arguments: [String]) throws {
    let result = try Command.run(arguments)
    #expect(result.status == 74)
    #expect(result.errors.contains("cannot be written: there is no folder /nowhere"), "\(result.errors)")
  }

  @Test(arguments: [
    ["detect", "/dev/null", "--save", "@x.png"], ["image", "/dev/null", "@x.png"],
    ["barpath", "/dev/null", "--csv", "@x.png"], ["behavior", "/dev/null", "--report", "@x.png"],
    ["arm-drift", "/dev/null", "--charts", "@text"], ["arm-drift", "/dev/null", "--overlay", "@text"],
  ])
  func foldersAreNotFilesAndFilesNotFolders(arguments: [String]) throws {
    try TemporaryFolder.with { folder in
      try FileManager.default.createDirectory(atPath: folder.path("x.png"), withIntermediateDirectories: true)
      try Data("text".utf8).write(to: folder.file("text"))
      let result = try Command.run(arguments.map { $0.replacing("@", with: folder.path("")) })
      // Pictures go into a folder of any name.
      guard arguments[0] != "detect" else { return #expect(result.status == 65, "\(result.errors)") }
      #expect(result.status == 74)
      #expect(result.errors.contains(arguments.last == "@text" ? "is not a folder" : "is a folder"), "\(result.errors)")
    }
  }

  @Test(arguments: [
    (["detect", "/dev/null", "--save", "x.xyz"], ".xyz is not written"),
    (["detect", "/dev/null", "--save", "x.mp4"], ".mp4 is not written"),
    (["arm-drift", "/dev/null", "--overlay", "clip.mp4"], ".mp4 is not written; a folder or a .y4m video"),
    (["behavior", "/dev/null", "--overlay", "out.png"], ".png is not written"),
    (["image", "/dev/null", "out.gif"], "out.gif: is not written by its ending"),
    (
      ["compare", "a.npz", "b.npz", "--report", "x.png"],
      "--report x.png: .png is not written; a name that ends in .html"
    ),
    (["behavior", "/dev/null", "--report", "x.png"], ".png is not written"),
    (["barpath", "/dev/null", "--report", "x.svg"], ".svg is not written"),
    (["parity", "a.onnx", "b.onnx", "--report", "x.pdf"], ".html, .htm, .svg, .png was expected"),
    (["reduce", "a.onnx", "--expected", "a.npz", "-o", "x.txt"], "ends in .onnx was expected"),
    (["reduce", "a.onnx", "--expected", "a.npz", "-o", "x.onnx", "--data", "x.npz"], "in .safetensors was expected"),
    (["quantize", "a.onnx", "x.txt", "--calibrate", "a.npz"], "the output x.txt: .txt is not written"),
    (["arm-drift", "/dev/null", "--csv", "-"], "--csv -: a file was expected"),
    (["behavior", "/dev/null", "--report", "-"], "--report -: a file was expected"),
    (["barpath", "/dev/null", "--charts", "-"], "--charts -: a folder was expected"),
  ])
  func whatNoWriterHasIsRefused(arguments: [String], message: String) throws {
    let result = try Command.run(arguments)
    #expect(result.status == 64 && result.errors.contains(message), "\(result.errors)")
  }

  @Test func severalPicturesAreNotOneFile() throws {
    try TemporaryFolder.with { folder in
      let pictures = try OverlayFixtures.pictures(2, in: folder)
      let result = try Command.run("detect", pictures, "--save", folder.path("out.png"))
      #expect(result.status == 64 && result.errors.contains("would be one picture"), "\(result.errors)")
      #expect(!FileManager.default.fileExists(atPath: folder.path("out.png")))
    }
  }

  @Test func directoriesAreNoInput() throws {
    let folder = packageFolder.path(percentEncoded: false)
    for arguments in [["behavior", folder], ["run", folder]] {
      let result = try Command.run(arguments[0], arguments[1])
      #expect(result.status == 66)
      #expect(result.errors.contains("is a directory"))
    }
  }
}
