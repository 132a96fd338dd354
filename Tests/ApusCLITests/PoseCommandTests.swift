import Apus
import ApusGraph
import ApusMedia
import ApusMotion
import ApusONNX
import Foundation
import Testing

@Suite struct PoseCommandTests {
  /// A YOLO that sees the same in every picture of 64 × 64: one object in the box (8, 4) to (40, 60), whose point `k` is at
  /// (10 + k, 20 + 2k), all but the last with a visibility of 0.9; the last with 0.1.
  private func model(_ points: Int, metadata: [(String, String)] = []) throws -> ModelProto {
    let (anchors, numbers) = (84, 5 + 3 * points)
    var output = [Float](repeating: 0, count: numbers * anchors)
    func set(_ row: Int, _ value: Float) { output[row * anchors + 17] = value }
    for (row, value) in [Float](arrayLiteral: 24, 32, 32, 56, 0.8).enumerated() { set(row, value) }
    for point in 0..<points {
      set(5 + 3 * point, Float(10 + point))
      set(6 + 3 * point, Float(20 + 2 * point))
      set(7 + 3 * point, point == points - 1 ? 0.1 : 0.9)
    }
    var model = ModelFixtures.model(
      [
        NodeProto(name: "mean", opType: "GlobalAveragePool", inputs: ["images"], outputs: ["means"]),
        NodeProto(name: "one", opType: "ReduceMean", inputs: ["means", "channels"], outputs: ["mean"]),
        NodeProto(name: "flat", opType: "Flatten", inputs: ["mean"], outputs: ["number"]),
        NodeProto(name: "none", opType: "Mul", inputs: ["number", "zero"], outputs: ["nothing"]),
        NodeProto(name: "all", opType: "Add", inputs: ["found", "nothing"], outputs: ["output0"]),
      ], inputs: [ModelFixtures.tensor("images", [.size(1), .size(3), .size(64), .size(64)])],
      outputs: [ModelFixtures.tensor("output0", [.size(1), .size(numbers), .size(anchors)])],
      initializers: [
        try TensorProto(name: "found", value: GraphValue(Tensor(output, shape: [1, numbers, anchors]))),
        try TensorProto(name: "zero", value: GraphValue(Tensor<Float>([0]))),
        try TensorProto(name: "channels", value: GraphValue(Tensor<Int64>([1]))),
      ])
    model.metadata = ([("task", "pose"), ("kpt_shape", "[\(points), 3]")] + metadata).map {
      StringStringEntry(key: $0.0, value: $0.1)
    }
    return model
  }

  /// A video of grey frames, 32 × 32: half of what the network takes.
  private func video(_ folder: TemporaryFolder, seconds: Int) throws -> String {
    var data = Data("YUV4MPEG2 W32 H32 F10:1 Ip A1:1 C420jpeg\n".utf8)
    for _ in 0..<seconds * 10 { data += Data("FRAME\n".utf8) + Data(repeating: 128, count: 32 * 32 * 3 / 2) }
    try data.write(to: folder.file("video.y4m"))
    return folder.path("video.y4m")
  }

  private func objects(_ result: CommandResult) throws -> [[String: Any]] {
    try result.lines.map { try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
  }

  @Test func posesOfPeopleAreWhatArmDriftReads() throws {
    try TemporaryFolder.with { (folder: TemporaryFolder) throws in
      let model = try folder.onnx("person", model(17, metadata: [("names", "{0: 'person'}")]))
      let video = try video(folder, seconds: 12)
      let csv = folder.path("joints.csv")
      let found = try Command.run("pose", video, "--model", model, "--csv", csv)
      #expect(found.status == 0 && found.errors.isEmpty, "\(found.errors)")
      let frames = try objects(found)
      #expect(frames.count == 120 && frames[7]["t"] as? Double == 0.7)
      let person = try #require((frames[3]["detections"] as? [[String: Any]])?.first)
      #expect(person["class"] as? String == "person")
      let points = try #require(person["keypoints"] as? [[Double]])
      // The picture is half as large as the network's input.
      try #require(points.count == 17)
      for (index, point) in points.enumerated() {
        let number = Double(index)
        #expect(point[0] == 5 + number / 2 && point[1] == 10 + number)
      }
      let arms = try Command.run(["arm-drift", "-", "--json"], input: found.output)
      #expect(arms.status == 0, "\(arms.errors)")
      #expect(try arms.object["status"] as? String == "ok", "\(arms.output)")

      let table = try String(contentsOfFile: csv, encoding: .utf8).split(separator: "\n")
      #expect(table.count == 121)
      #expect(table[0].hasPrefix("t,width,height,space,nose_x,nose_y,nose_confidence,left_eye_x,"))
      #expect(table[1].hasPrefix("0.0,32,32,pixel,5.0,10.0,0.9,5.5,11.0,0.9,"))
      #expect(table[1].hasSuffix(",13.0,26.0,0.1"))
    }
  }

  @Test func posesOfAnimalsAreWhatBehaviorReads() throws {
    try TemporaryFolder.with { (folder: TemporaryFolder) throws in
      let model = try folder.onnx("dog", model(24, metadata: [("names", "{0: 'dog'}")]))
      let csv = folder.path("joints.csv")
      let found = try Command.run("pose", try video(folder, seconds: 12), "--model", model, "--csv", csv)
      #expect(found.status == 0)
      #expect(found.errors.contains("taken for those of stanford-extra"), "\(found.errors)")
      let frame = try objects(found)[0]
      let keypoints = try #require(frame["keypoints"] as? [Any])
      #expect(keypoints.count == 24)
      // The nose is StanfordExtra's seventeenth point, and the first of behaviour's.
      let nose = try #require(keypoints[0] as? [Double]).map { Float($0) }
      #expect(nose == [13, 26, 0.9])
      #expect(keypoints[try #require(DogKeypoint(name: "center")).rawValue] is NSNull)
      let named = try #require(frame["points"] as? [String: [Double]])
      #expect(named.count == 24 && named["chin"]?.first == 13.5)
      for (input, text) in [("-", found.output), (csv, nil)] {
        let behavior = try Command.run(["behavior", input, "--json"], input: text)
        #expect(behavior.status == 0, "\(behavior.errors)")
        #expect(!behavior.output.isEmpty)
      }
    }
  }

  /// The same places as the order that was written down for such detectors.
  @Test func pointsOfADogAreFoundByTheirNames() throws {
    let names = try #require(KeypointNames(ofAnimal: StanfordExtraJoint.names))
    let own = names.dogPoints((0..<24).map { $0 })
    for (found, source) in zip(own, KeypointOrder.dogPose24.sources) where source != nil { #expect(found == source) }
    #expect(KeypointNames(ofAnimal: ["left_eye", "right_eye", "nose", "left_wrist", "left_shoulder"]) == nil)
  }

  @Test func namesAreReadOrStated() throws {
    try TemporaryFolder.with { (folder: TemporaryFolder) throws in
      let video = try video(folder, seconds: 1)
      let names = ["nose", "left_front_paw", "tail_tip"]
      let written = try folder.onnx(
        "written", model(3, metadata: [("kpt_names", "{0: ['nose', 'left_front_paw', 'tail_tip']}")]))
      let own = try Command.run("pose", video, "--model", written)
      #expect(own.status == 0 && own.errors.isEmpty, "\(own.errors)")
      let bare = try folder.onnx("bare", model(3))
      let stated = try Command.run("pose", video, "--model", bare, "--points", names.joined(separator: ","))
      #expect(try objects(stated)[0]["keypoints"] as? NSArray == objects(own)[0]["keypoints"] as? NSArray)
      try Data(names.joined(separator: "\n").utf8).write(to: folder.file("names.txt"))
      #expect(
        try Command.run("pose", video, "--model", bare, "--points", folder.path("names.txt")).output == stated.output)
      #expect(try objects(Command.run("pose", video, "--model", bare))[0]["detections"] != nil)
      #expect(try Command.run("pose", video, "--model", bare, "--points", "coco").status == 64)
      #expect(try Command.run("pose", video, "--model", bare, "--points", "cocoa").status == 64)
      #expect(try Command.run("pose", video, "--model", bare, "--csv", video).status == 64)
      let boxes = try folder.onnx("classifier", ClassifyPictureTests.model(classes: 3))
      #expect(try Command.run("pose", video, "--model", boxes).status == 65)
      #expect(try Command.run("pose").status == 64)
    }
  }
}
