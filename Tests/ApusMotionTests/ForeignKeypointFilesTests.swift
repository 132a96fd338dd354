import Testing

@testable import ApusMotion

/// Files as DeepLabCut and SLEAP write them.
@Suite struct ForeignKeypointFilesTests {
  private func options(_ change: (inout PoseReaderOptions) -> Void = { _ in }) -> PoseReaderOptions {
    PoseReaderOptions().with {
      $0.framesPerSecond = 10
      ($0.width, $0.height) = (640, 480)
      change(&$0)
    }
  }

  private func point(_ frame: PoseFrame, _ keypoint: DogKeypoint) -> PosePoint? { frame.points[keypoint.rawValue] }

  private func failure(_ text: String, _ change: (inout PoseReaderOptions) -> Void = { _ in }) -> PoseReadError? {
    PoseFrameReader.failure(in: text, options: options(change))
  }

  // MARK: - DeepLabCut

  private let labels = """
    scorer,me,me,me,me,me,me
    bodyparts,nose,nose,leftear,leftear,collar,collar
    coords,x,y,x,y,x,y
    labeled-data/clip/img0005.png,10.5,20,30,40,50,60
    labeled-data/clip/img0012.png,,,31,41,,
    """

  @Test func labelsOfDeepLabCut() throws {
    let frames = try PoseFrameReader.frames(in: labels, options: options())
    #expect(frames.map(\.timestamp) == [0.5, 1.2])
    #expect(frames[0].width == 640 && frames[0].height == 480 && frames[0].space == .pixel)
    #expect(point(frames[0], .nose) == PosePoint(x: 10.5, y: 20))
    #expect(point(frames[0], .leftEar) == PosePoint(x: 30, y: 40))
    #expect(point(frames[1], .nose) == nil && point(frames[1], .leftEar) == PosePoint(x: 31, y: 41))
    #expect(frames[0].points.compactMap { $0 }.count == 2)
  }

  /// However the bytes are cut, the frames are the same.
  @Test(arguments: [1, 7, 100]) func chunks(size: Int) throws {
    let text = labels.replacing("\n", with: "\r\n")
    #expect(
      try PoseFrameReader.frames(in: text, chunk: size, options: options())
        == PoseFrameReader.frames(in: labels, options: options()))
  }

  @Test func predictionsOfDeepLabCutHaveALikelihood() throws {
    let text = """
      scorer,net,net,net,net,net,net
      bodyparts,Tail Set,Tail Set,Tail Set,L_F_Paw,L_F_Paw,L_F_Paw
      coords,x,y,likelihood,x,y,likelihood
      0,1,2,0.9,3,4,0.25
      1,1.5,2,0.8,nan,NaN,0.01
      """
    let frames = try PoseFrameReader.frames(in: text, options: options())
    #expect(frames.map(\.timestamp) == [0, 0.1])
    #expect(point(frames[0], .tailBase) == PosePoint(x: 1, y: 2, confidence: 0.9))
    #expect(point(frames[0], .leftFrontPaw) == PosePoint(x: 3, y: 4, confidence: 0.25))
    #expect(point(frames[1], .leftFrontPaw) == nil)
  }

  private let animals = """
    scorer,,,n,n,n,n,n,n
    individuals,,,rex,rex,bea,bea,single,single
    bodyparts,,,nose,nose,nose,nose,nose,nose
    coords,,,x,y,x,y,x,y
    labeled-data,clip,img7.png,1,2,3,4,5,6
    """

  @Test func oneOfSeveralAnimalsIsChosen() throws {
    for (name, x) in [("rex", 1.0), ("bea", 3), ("single", 5)] {
      let frames = try PoseFrameReader.frames(in: animals, options: options { $0.individual = name })
      #expect(frames.map(\.timestamp) == [0.7])
      #expect(point(frames[0], .nose)?.x == x)
    }
    #expect(failure(animals)?.description == #"line 4: several animals ("rex", "bea"): name one of them"#)
    #expect(
      failure(animals) { $0.individual = "max" }?.description
        == #"line 4: no animal "max" in this file, which names "rex", "bea", "single""#)
    #expect(failure(labels) { $0.individual = "max" }?.reason == .file(.unknownIndividual("max", among: [])))
    #expect(failure(animals.replacing("bea", with: "rex"))?.reason == .row(.duplicateField("nose")))
  }

  @Test func namesAreMatchedWhateverTheirSpelling() throws {
    let spellings: [(String, DogKeypoint)] = [
      ("Nose", .nose), ("snout", .nose), ("left_eye", .leftEye), ("EyeR", .rightEye), ("R_Ear", .rightEar),
      ("left_earbase", .leftEar), ("neck", .throat), ("Withers", .withers), ("lf_paw", .leftFrontPaw),
      ("front_left_paw", .leftFrontPaw), ("paw-left-front", .leftFrontPaw), ("RightHindPaw", .rightBackPaw),
      ("rb paw", .rightBackPaw), ("rightrearpaw", .rightBackPaw), ("L_B_Stifle", .leftKnee), ("left_knee", .leftKnee),
      ("R_F_Elbow", .rightFrontElbow), ("left_shoulder", .leftFrontShoulder), ("right hip", .rightHip),
      ("tailstart", .tailBase), ("Root of tail", .tailBase), ("tail_end", .tailTip), ("tail_mid_1", .tailMid1),
      ("body_center", .center),
    ]
    for (name, keypoint) in spellings {
      let names = try KeypointNames([name], order: .cvat, map: [:])
      #expect(names.parts.first?.ours == keypoint.name, "\(name)")
      #expect(names.missing.count == 23)
    }
    for name in ["collar", "left_wrist", "paw", "l", "", "left_antler_end"] {
      let names = try KeypointNames(["nose", name], order: .cvat, map: [:])
      #expect(names.unknown == [name])
    }
  }

  /// The same letters, and two places at the ends of the animal.
  @Test func theRearIsNoRightEar() throws {
    for name in ["rear", "Rear", "REAR", "rear_end", "rear end", "RearEnd", "rear_tip", "_rear"] {
      #expect(try KeypointNames(["nose", name], order: .cvat, map: [:]).unknown == [name])
    }
    for name in ["R_ear", "r_ear", "r ear", "rEar", "REar", "earR", "ear_r", "R_ear_tip", "rEarBase", "right_ear"] {
      #expect(try KeypointNames([name], order: .cvat, map: [:]).parts.first?.ours == "right_ear", "\(name)")
    }
    // Where both are in a file, each is what it is; and the rear of a leg is the leg's.
    let both = try KeypointNames(["rear", "r_ear", "rear_right_paw", "leye"], order: .cvat, map: [:])
    #expect(both.parts.map(\.ours) == [nil, "right_ear", "right_back_paw", "left_eye"])
    let asked = try KeypointNames(["rear"], order: .cvat, map: ["rear": "tail_base"])
    #expect(asked.parts.map(\.ours) == ["tail_base"])
  }

  /// Sets of keypoints as data sets and models name them, and what each of the 24 takes from them.
  @Test(
    arguments: [
      (
        // SuperAnimal-Quadruped, 39 names. Its neck goes from the ears to the back, where the withers are.
        [
          "nose", "upper_jaw", "lower_jaw", "mouth_end_right", "mouth_end_left", "right_eye", "right_earbase",
          "right_earend", "right_antler_base", "right_antler_end", "left_eye", "left_earbase", "left_earend",
          "left_antler_base", "left_antler_end", "neck_base", "neck_end", "throat_base", "throat_end", "back_base",
          "back_end", "back_middle", "tail_base", "tail_end", "front_left_thai", "front_left_knee", "front_left_paw",
          "front_right_thai", "front_right_knee", "front_right_paw", "back_left_paw", "back_left_thai",
          "back_right_thai", "back_left_knee", "back_right_knee", "back_right_paw", "belly_bottom", "body_middle_right",
          "body_middle_left",
        ],
        [
          "back_base": "withers", "back_middle": "center", "throat_base": "throat", "left_earbase": "left_ear",
          "front_left_thai": "left_front_shoulder", "front_left_knee": "left_front_elbow",
          "back_right_thai": "right_hip", "back_right_knee": "right_knee", "tail_end": "tail_tip",
        ], ["tail_mid_1", "tail_mid_2"]
      ),
      (
        // AP-10K.
        [
          "L_Eye", "R_Eye", "Nose", "Neck", "Root of tail", "L_Shoulder", "L_Elbow", "L_F_Paw", "R_Shoulder", "R_Elbow",
          "R_F_Paw", "L_Hip", "L_Knee", "L_B_Paw", "R_Hip", "R_Knee", "R_B_Paw",
        ],
        [
          "L_Shoulder": "left_front_shoulder", "L_B_Paw": "left_back_paw", "Neck": "throat",
          "Root of tail": "tail_base",
        ],
        ["left_ear", "right_ear", "withers", "center", "tail_mid_1", "tail_mid_2", "tail_tip"]
      ),
      (
        StanfordExtraJoint.names,
        [
          "left_rear_elbow": "left_hip", "left_rear_knee": "left_knee", "left_front_elbow": "left_front_elbow",
          "right_ear_base": "right_ear", "tail_start": "tail_base", "withers": "withers",
        ], ["left_front_shoulder", "right_front_shoulder", "center", "tail_mid_1", "tail_mid_2"]
      ),
      (
        // As skeletons are often drawn in SLEAP.
        [
          "snout", "earL", "earR", "eyeL", "eyeR", "neck", "withers", "midback", "tti", "tail_mid", "tail_tip",
          "forepawL", "forepawR", "hindpawL", "hindpawR", "elbowL", "elbowR", "kneeL", "kneeR", "haunchL", "haunchR",
        ],
        [
          "forepawL": "left_front_paw", "hindpawR": "right_back_paw", "tti": "tail_base", "midback": "center",
          "haunchL": "left_hip",
        ], ["left_front_shoulder", "right_front_shoulder", "tail_mid_1"]
      ),
    ] as [([String], [String: String], [String])])
  func setsOfKeypointsAreKnown(theirs: [String], ours: [String: String], missing: [String]) throws {
    let names = try KeypointNames(theirs, order: .cvat, map: [:])
    for (name, point) in ours { #expect(names.parts.first { $0.theirs == name }?.ours == point, "\(name)") }
    #expect(names.missing == missing)
    // StanfordExtra's front knee is a wrist: it has elbows besides.
    if theirs.contains("left_front_knee") { #expect(names.unknown.contains("left_front_knee")) }
  }

  @Test func ownNamesComeBeforeSynonymsAndTheCallersBeforeBoth() throws {
    let names = try KeypointNames(["neck", "throat", "snout", "nosetip"], order: .cvat, map: [:])
    #expect(names.parts.map(\.ours) == [nil, "throat", "nose", nil])
    let mapped = try KeypointNames(["collar", "throat"], order: .cvat, map: ["Collar": "throat"])
    #expect(mapped.parts.map(\.ours) == ["throat", nil])
    let vision = try KeypointNames(["Left Ear Top", "snout"], order: .vision25, map: [:])
    #expect(vision.parts.map(\.ours) == ["left_ear_top", nil])
    // Whatever the space of other frames: these are pixels.
    let frames = try PoseFrameReader.frames(in: labels, options: options { $0.space = .vision })
    #expect(frames.allSatisfy { $0.space == .pixel })
  }

  @Test func whatIsLeftOutIsListed() throws {
    var reader = try PoseFrameReader(options: options())
    reader.append(labels.utf8)
    #expect(reader.keypointNames == nil)
    _ = try reader.next()
    #expect(reader.keypointNames?.unknown == ["collar"])
    let mapped = try PoseFrameReader.frames(in: labels, options: options { $0.names = ["collar": "throat"] })
    #expect(point(mapped[0], .throat) == PosePoint(x: 50, y: 60))
  }

  @Test func filesWithNothingToReadAreRefused() {
    let strange = "scorer,a,a\nbodyparts,wheel,wheel\ncoords,x,y\n0,1,2"
    #expect(failure(strange)?.reason == .file(.noKnownKeypoints(["wheel"])))
    #expect(failure(strange) { $0.names = ["wheel": "nose"] } == nil)
    #expect(failure(labels) { $0.names = ["tail": "tail_tip"] }?.line == 3)
    #expect(throws: SettingsError.wrongValue(setting: "map", found: "tip", expected: "a keypoint of the order cvat")) {
      try PoseFrameReader(options: options { $0.names = ["tail": "tip"] })
    }
  }

  @Test func mistakesInTables() {
    #expect(failure("scorer,a,a\ncoords,x,y\n")?.description == "line 2: the row bodyparts is missing")
    #expect(failure("scorer,a,a\nbodyparts,nose\n")?.reason == .row(.wrongColumnCount(found: 2, expected: 3)))
    #expect(failure("scorer,a,a\n0,1,2\n")?.description.hasPrefix("line 2: the first field of the header is") == true)
    #expect(
      failure("scorer,a,a\nbodyparts,nose,nose\ncoords,x,z\n")?.description
        == #"line 3: coords of nose is "z", expected x, y or likelihood"#)
    #expect(failure("scorer,a,a\nbodyparts,nose,nose\ncoords,x,x\n")?.reason == .row(.duplicateField("nose")))
    #expect(failure("scorer,a\nbodyparts,nose\ncoords,x\n")?.reason == .row(.missingField("y of \"nose\"")))
    let head = "scorer,a,a\nbodyparts,nose,nose\ncoords,x,y\n"
    #expect(failure(head + "0,1\n")?.description == "line 4 (frame 0): 2 fields, expected 3 as in the header")
    #expect(
      failure(head + "0,1,\n")?.description
        == #"line 4 (frame 0): nose y is "", expected a number, or x and y both empty"#)
    #expect(failure(head + "0,inf,1\n")?.frameIndex == 0)
    #expect(
      failure(head + "0,1,2\n0,1,2\n")?.reason
        == .frame(.timestampNotIncreasing(0, previous: 0)))
    #expect(failure(head + "0,1,2\n") { $0.framesPerSecond = nil }?.description.contains("frame rate") == true)
    #expect(failure(head + "0,1,2\n") { $0.width = nil }?.reason == .row(.missingField("width")))
    #expect(failure("scorer\n") == nil)
  }

  @Test func picturesWithoutANumberAreCounted() throws {
    let text = "scorer,a,a\nbodyparts,nose,nose\ncoords,x,y\nfirst.png,1,2\nsecond.png,3,4\n"
    #expect(try PoseFrameReader.frames(in: text, options: options()).map(\.timestamp) == [0, 0.1])
  }

  // MARK: - SLEAP

  private let analysis = """
    track,frame_idx,instance.score,nose.x,nose.y,nose.score,tail base.x,tail base.y,tail base.score
    a,3,0.9,1,2,0.8,3,4,0.7
    b,3,0.9,11,12,0.8,13,14,0.7
    a,5,0.9,1.5,2.5,0.8,,,
    """

  @Test func analysisOfSLEAP() throws {
    let frames = try PoseFrameReader.frames(in: analysis, options: options { $0.individual = "a" })
    #expect(frames.map(\.timestamp) == [0.3, 0.5])
    #expect(point(frames[0], .nose) == PosePoint(x: 1, y: 2, confidence: 0.8))
    #expect(point(frames[0], .tailBase) == PosePoint(x: 3, y: 4, confidence: 0.7))
    #expect(point(frames[1], .tailBase) == nil)
    let other = try PoseFrameReader.frames(in: analysis, chunk: 3, options: options { $0.individual = "b" })
    #expect(other.map { point($0, .nose)?.x } == [11])
    #expect(failure(analysis)?.reason == .file(.severalIndividuals(["a", "b"])))
    #expect(failure(analysis)?.line == 3)
    let untracked = "track,frame_idx,instance.score,nose.x,nose.y\n,0,1,5,6\n,1,1,7,8\n"
    #expect(try PoseFrameReader.frames(in: untracked, options: options()).count == 2)
    #expect(
      failure(untracked.replacing("\n,1,", with: "\n,0,"))?.description
        == "line 3 (frame 1): several animals in one frame, and no names to choose by")
    #expect(failure("frame_idx,nose.x,nose.y\nx,1,2\n")?.description.contains("expected an integer") == true)
    #expect(failure("frame_idx,track\n0,a\n") { $0.format = .sleap }?.reason == .file(.noKnownKeypoints([])))
  }

  private let document = #"""
    {"version": "2.0.0", "skeletons": [{"nodes": [{"id": 0}, {"id": 1}]}],
     "nodes": [{"name": "Nose", "weight": 1.0}, {"name": "wheel", "weight": 1.0}],
     "videos": [{"backend": {"filename": "x.mp4"}}], "tracks": [[0, "a"], [2, "b"]],
     "labels": [
      {"video": 0, "frame_idx": 7, "_instances": [{"skeleton": 0, "track": 0, "_points":
        {"0": {"x": 3.5, "y": 4, "visible": true, "score": 0.5}, "1": {"x": 1, "y": 1}}}]},
      {"video": 0, "frame_idx": 4, "_instances": [
        {"track": 1, "_points": {"0": {"x": 9, "y": 9}}}, {"track": 0, "_points": {"0": {"x": NaN, "y": NaN}}}]}]}
    """#

  @Test func labelsOfSLEAP() throws {
    for chunk in [1, 50, 5000] {
      let frames = try PoseFrameReader.frames(in: document, chunk: chunk, options: options { $0.individual = "a" })
      #expect(frames.map(\.timestamp) == [0.4, 0.7])
      #expect(point(frames[0], .nose) == nil)
      #expect(point(frames[1], .nose) == PosePoint(x: 3.5, y: 4, confidence: 0.5))
    }
    #expect(failure(document)?.reason == .file(.severalIndividuals(["a", "b"])))
    #expect(failure(document) { $0.individual = "c" }?.reason == .file(.unknownIndividual("c", among: ["a", "b"])))
    let bad = document.replacing("\"y\": 4", with: "\"y\": x")
    #expect(failure(bad) { $0.individual = "a" }?.description == "line 6: column 27: expected a number")
    let stranger = document.replacing("\"1\": {", with: "\"2\": {")
    #expect(failure(stranger) { $0.individual = "a" }?.description.contains("0 to 1") == true)
  }

  @Test func everyCutOfADocumentIsAnError() {
    for length in 20..<document.utf8.count {
      let cut = String(decoding: Array(document.utf8).prefix(length), as: UTF8.self)
      #expect(failure(cut) { $0.individual = "a" } != nil, "\(length) bytes")
    }
  }

  @Test func ownTablesMayHaveAColumnOfFrames() throws {
    let names = DogKeypoint.names.flatMap { ["\($0)_x", "\($0)_y"] }.joined(separator: ",")
    let text = "frame_idx,\(names)\n7" + String(repeating: ",1", count: 48)
    #expect(try PoseFrameReader.frames(in: text, options: options()).count == 1)
  }

  @Test func binaryFilesNameTheCommandThatExportsThem() {
    var bytes: [UInt8] = [0x89]
    bytes += Array("HDF\r\n".utf8) + [0x1A, 0x0A, 0, 0, 0]
    for format in PoseFormat.allCases {
      guard var reader = try? PoseFrameReader(options: options { $0.format = format }) else { continue }
      reader.append(bytes)
      reader.finish()
      do {
        _ = try reader.next()
        Issue.record("an HDF5 file was read as \(format)")
      } catch {
        #expect(error.reason == .file(.hdf5))
        #expect(error.description.contains("analyze_videos_converth5_to_csv"))
        #expect(error.description.contains("sleap-convert --format analysis.csv"))
      }
    }
  }

  /// Poses of other forms are still handed out as soon as they can be.
  @Test func linesAreNotHeldBack() throws {
    var reader = try PoseFrameReader(options: options())
    reader.append(line: jsonLine(head: #""t":0"#))
    #expect(try reader.next() != nil)
    var short = try PoseFrameReader(options: options())
    short.append(line: "{}")
    #expect(throws: PoseReadError.self) { try short.next() }
  }
}
