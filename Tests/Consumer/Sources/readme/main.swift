import Apus
import ApusMotion
import ApusMotionModels

// A model is a file of weights and a Swift value that takes tensors.
let model = try BehaviorModel(path: "Weights/behavior/shipped/behavior-classifier.safetensors")
let golden = try SafetensorsFile(path: "Weights/behavior/samples/golden.safetensors")
let poses = try golden.tensor(named: "input.walking", as: Float.self)  // [1, 48, 100]
let probabilities = try model.network(poses)  // [1, 21]

// How far is that from what PyTorch computed?
let expected = try golden.tensor(named: "output32.probabilities.walking", as: Float.self)
print(try Comparison(actual: probabilities, expected: expected))

// A stream of poses, one frame at a time, as a camera or a file delivers them.
var stream = try BehaviorStream(classifier: model)
var reader = try PoseFrameReader()
while let line = readLine() {
  reader.append(line: line)
  while let frame = try reader.next() {
    if let found = try stream.push(frame) { print(found.timestamp, found.label, found.confidence) }
  }
}
