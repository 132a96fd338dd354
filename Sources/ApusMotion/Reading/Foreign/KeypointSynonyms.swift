/// What other tools call the points of ``DogKeypoint``, by the letters and digits of their names alone.
///
/// Besides words in any usual order (`left_hind_paw`, `paw_lb`, `forepawL`) these are all names of SuperAnimal-Quadruped
/// (39, which are those of AwA Pose), AP-10K, Animal-Pose, StanfordExtra, and of the skeletons that people draw in SLEAP
/// and DeepLabCut, as far as they mean one of the 24 points.
enum KeypointSynonyms {
  /// Names of a point, and of nothing else.
  static var usual: [String: Int] { tables.usual }
  /// Names of a place nearby, which stand for a point that has none of its own in the file. A front knee is an elbow in
  /// SuperAnimal, whose front legs have no other joint, and a wrist in StanfordExtra, which has elbows besides.
  static var nearby: [String: Int] { tables.nearby }

  private static let tables = Tables()

  private struct Tables {
    var usual: [String: Int] = [:]
    var nearby: [String: Int] = [:]

    init() {
      usual.add(.nose, ["snout", "nosetip", "tipofnose"])
      nearby.add(.nose, ["muzzle", "upperjaw"])
      usual.add(.throat, ["throatbase", "neck"])
      nearby.add(.throat, ["throatend", "neckbase"])
      // AwA Pose: the neck goes from between the ears (neck_base) to where the back begins (neck_end, back_base).
      usual.add(.withers, ["backbase", "wither", "whithers", "shoulderblades"])
      nearby.add(.withers, ["neckend", "upperback", "backfront"])
      usual.add(
        .center, ["centre", "bodycenter", "bodycentre", "backmiddle", "midback", "backmid", "spinemid", "midspine"])
      nearby.add(.center, ["bodymiddleleft", "bodymiddleright", "bellybottom", "belly"])
      usual.add(
        .tailBase,
        [
          "tailstart", "tailroot", "tailset", "tailtop", "rootoftail", "baseoftail", "tti", "tailtorsointerface",
        ])
      nearby.add(.tailBase, ["backend", "rump", "croup"])
      usual.add(.tailMid2, ["tailmid", "tailmiddle", "middleoftail"])
      usual.add(.tailTip, ["tailend", "tailbottom", "tipoftail", "endoftail"])
      for (sides, isLeft) in [(["left", "l"], true), (["right", "r"], false)] { addSide(sides, isLeft: isLeft) }
    }

    private mutating func addSide(_ sides: [String], isLeft: Bool) {
      func point(_ ofLeft: DogKeypoint, _ ofRight: DogKeypoint) -> DogKeypoint { isLeft ? ofLeft : ofRight }
      let (ear, hip) = (point(.leftEar, .rightEar), point(.leftHip, .rightHip))
      let (shoulder, elbow) = (
        point(.leftFrontShoulder, .rightFrontShoulder), point(.leftFrontElbow, .rightFrontElbow)
      )
      let (knee, frontPaw) = (point(.leftKnee, .rightKnee), point(.leftFrontPaw, .rightFrontPaw))
      let backPaw = point(.leftBackPaw, .rightBackPaw)
      // Parts that an animal has two of.
      let pairs: [(DogKeypoint, usual: [String], nearby: [String])] = [
        (point(.leftEye, .rightEye), ["eye"], []), (ear, ["ear", "earbase"], ["earmiddle", "earend", "eartip"]),
        (shoulder, ["shoulder"], []), (elbow, ["elbow"], []), (hip, ["hip", "haunch"], []),
        (knee, ["knee", "stifle"], []), (frontPaw, ["hand"], []),
      ]
      // The name of a leg says its end of the body, in any order of the three words.
      let front: [(DogKeypoint, usual: [String], nearby: [String])] = [
        (shoulder, ["shoulder", "thai", "thigh"], []), (elbow, ["elbow"], ["knee"]), (frontPaw, ["paw", "foot"], []),
      ]
      let back: [(DogKeypoint, usual: [String], nearby: [String])] = [
        (hip, ["hip", "thai", "thigh"], ["elbow"]), (knee, ["knee", "stifle", "stiffle"], []),
        (backPaw, ["paw", "foot"], []),
      ]
      for side in sides {
        func inPair(_ part: String) -> [String] { [side + part, part + side] }
        for (keypoint, usual, nearby) in pairs {
          self.usual.add(keypoint, usual.flatMap(inPair))
          self.nearby.add(keypoint, nearby.flatMap(inPair))
        }
        for (ends, limbs) in [(["front", "fore", "f"], front), (["back", "hind", "rear", "b", "h"], back)] {
          for end in ends {
            func ofLeg(_ part: String) -> [String] {
              [side + end + part, end + side + part, part + side + end, part + end + side, end + part + side]
            }
            for (keypoint, usual, nearby) in limbs {
              self.usual.add(keypoint, usual.flatMap(ofLeg))
              self.nearby.add(keypoint, nearby.flatMap(ofLeg))
            }
          }
        }
      }
    }
  }
}

extension [String: Int] {
  fileprivate mutating func add(_ keypoint: DogKeypoint, _ names: [String]) {
    for name in names { self[name] = keypoint.rawValue }
  }
}
