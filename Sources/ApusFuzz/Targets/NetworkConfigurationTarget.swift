import Apus
import ApusNetworks

/// What the metadata of a weights file says of a network over time or an image classifier, and the small networks that
/// are built as it says.
struct NetworkConfigurationTarget: JSONFuzzTarget, RunningFuzzTarget {
  let name = "network-config"
  let summary = "the configuration of temporal networks and image classifiers, and small networks built as it says"
  let dictionary = [
    "\"pooling\"", "\"last\"", "\"mean\"", "\"final\"", "\"causal\"", "\"dilation_base\"", "\"kernel\"", "\"channels\"",
    "\"cell\"", "\"gru\"", "\"lstm\"", "\"hidden\"", "\"layers\"", "\"bidirectional\"", "\"features\"", "\"classes\"",
    "\"architecture\"", "\"width_mult\"", "\"transform_input\"", "true", "false", "null", "0", "-1", "1e300",
    "9223372036854775807", "{", "}", "[", "]", ":", ",",
  ]

  private static let convolutional = Weights(
    generated: parameters([
      ("network.0.conv1.weight", [4, 3, 2]), ("network.0.conv2.weight", [4, 4, 2]),
      ("network.0.downsample.weight", [4, 3, 1]), ("network.1.conv1.weight", [4, 4, 2]),
      ("network.1.conv2.weight", [4, 4, 2]), ("linear.weight", [2, 4]),
    ]))

  private static let recurrent = Weights(
    generated: parameters([
      ("gru.weight_ih_l0", [12, 3]), ("gru.weight_hh_l0", [12, 4]), ("linear.weight", [2, 4]),
    ]))

  private static func parameters(_ list: [(String, [Int])]) -> [String: GeneratedParameter] {
    Dictionary(uniqueKeysWithValues: list.map { ($0.0, GeneratedParameter(shape: $0.1, mean: 0, deviation: 0.5)) })
  }

  func seeds() -> [[UInt8]] {
    [
      #"{"pooling":"mean","causal":false,"dilation_base":3,"kernel":2,"channels":[4,4],"features":3,"classes":2}"#,
      #"{"pooling":"final","cell":"gru","hidden":4,"layers":1,"bidirectional":false}"#, "{}",
      #"{"architecture":"inception_v3","transform_input":true,"width_mult":0.75,"classes":2}"#,
    ].map { Array($0.utf8) }
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    let metadata = ["configuration": String(decoding: input, as: UTF8.self)]
    let outcomes = [
      try outcome(allowing: ModelFileError.self) {
        let configuration = try ImageClassifierConfiguration(metadata: metadata, file: "input")
        _ = MobileNetV2Width(configuration.widthMultiple ?? 1).channels(32)
      },
      try classify(Self.convolutional, metadata, TCN<Float>.self),
      try classify(Self.recurrent, metadata, RecurrentClassifier<Float>.self),
    ]
    return outcomes.contains(.accepted) ? .accepted : .refused
  }

  private func classify<Network: TemporalClassifier<Float>>(
    _ weights: Weights, _ metadata: [String: String], _ type: Network.Type
  ) throws(FuzzFinding) -> FuzzOutcome {
    try outcome(allowing: ModelFileError.self, WeightsError.self, TensorError.self) {
      let configuration = try TemporalConfiguration(metadata: metadata, file: "input")
      let network = try Network(weights, configuration: configuration)
      // A wide reach takes memory, as it should.
      guard (configuration.dilationBase ?? 2) <= 1 << 10 else { return }
      let logits = try network(Tensor(zeros: [1, 3, 5]))
      guard logits.shape == [1, 2] else { throw FuzzFinding(message: "logits of shape \(logits.shape)") }
    }
  }
}
