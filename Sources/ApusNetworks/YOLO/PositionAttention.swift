import Apus

/// Half of the channels go through self-attention over all positions: C2PSA of 11.
struct C2PSA<Scalar: FloatingPointScalar>: Sendable {
  private let cv1: ConvolutionBlock<Scalar>
  private let cv2: ConvolutionBlock<Scalar>
  private let m: [PositionAttentionBlock<Scalar>]

  init(_ weights: Weights, _ channels: Int, count: Int) throws {
    let hidden = channels / 2
    cv1 = try ConvolutionBlock(weights["cv1"], channels, 2 * hidden)
    cv2 = try ConvolutionBlock(weights["cv2"], 2 * hidden, channels)
    m = try (0..<count).map { try PositionAttentionBlock(weights["m"][$0], hidden) }
  }

  func callAsFunction(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    let halves = try cv1(x).chunked(2, axis: 1)
    var attended = halves[halves.count - 1]
    for block in m { attended = try block(attended) }
    return try cv2(concatenate([halves[0], attended], axis: 1))
  }
}

/// Attention and two pointwise convolutions, each with the input passing around it.
struct PositionAttentionBlock<Scalar: FloatingPointScalar>: Sendable {
  private let attention: PositionAttention<Scalar>
  private let widen: ConvolutionBlock<Scalar>
  private let narrow: ConvolutionBlock<Scalar>

  init(_ weights: Weights, _ channels: Int) throws {
    attention = try PositionAttention(weights["attn"], channels)
    widen = try ConvolutionBlock(weights["ffn"][0], channels, 2 * channels)
    narrow = try ConvolutionBlock(weights["ffn"][1], 2 * channels, channels, activation: .identity)
  }

  func callAsFunction(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    let x = try x + attention(x)
    return try x + narrow(widen(x))
  }
}

/// Self-attention over the positions of a map, in heads of 64 channels.
///
/// Keys have half as many channels as values. A depthwise convolution of the values says where they are.
struct PositionAttention<Scalar: FloatingPointScalar>: Sendable {
  private let qkv: ConvolutionBlock<Scalar>
  private let projection: ConvolutionBlock<Scalar>
  private let position: ConvolutionBlock<Scalar>
  private let heads: Int
  private let keys: Int
  private let values: Int

  init(_ weights: Weights, _ channels: Int) throws {
    heads = max(1, channels / 64)
    values = channels / heads
    keys = values / 2
    qkv = try ConvolutionBlock(weights["qkv"], channels, channels + 2 * keys * heads, activation: .identity)
    projection = try ConvolutionBlock(weights["proj"], channels, channels, activation: .identity)
    position = try ConvolutionBlock(
      weights["pe"], channels, channels, kernel: 3, groups: channels, activation: .identity)
  }

  func callAsFunction(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    let parts = try qkv(x).reshaped([x.shape[0], heads, 2 * keys + values, x.shape[2] * x.shape[3]])
      .split(sizes: [keys, keys, values], axis: 2)
    let (query, key, value) = (parts[0], parts[1], parts[2])
    let attended = try scaledDotProductAttention(
      query: query.transposed(), key: key.transposed(), value: value.transposed())
    return try projection(attended.transposed().reshaped(x.shape) + position(value.reshaped(x.shape)))
  }
}
