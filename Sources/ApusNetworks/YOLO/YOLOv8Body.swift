import Apus

/// Backbone and neck of v8. Channels are those of size l or x before scaling; a C2f is repeated 3 or 6 times.
///
///     backbone                             neck
///      0  Conv 64, /2                      12  C2f 512    of 9 upsampled, and 6
///      1  Conv 128, /2                     15  C2f 256    of 12 upsampled, and 4      → step 8
///      2  C2f 128                          16  Conv 256, /2
///      3  Conv 256, /2                     18  C2f 512    of 16 and 12                → step 16
///      4  C2f 256     → 15                 19  Conv 512, /2
///      5  Conv 512, /2                     21  C2f 1024   of 19 and 9                 → step 32
///      6  C2f 512     → 12
///      7  Conv 1024, /2
///      8  C2f 1024
///      9  SPPF        → 12, 21
struct YOLOv8Body<Scalar: FloatingPointScalar>: YOLOBody {
  private let conv0, conv1, conv3, conv5, conv7, conv16, conv19: ConvolutionBlock<Scalar>
  private let c2f2, c2f4, c2f6, c2f8, c2f12, c2f15, c2f18, c2f21: C2f<Scalar>
  private let sppf9: SPPF<Scalar>

  init(_ model: Weights, _ configuration: YOLOConfiguration) throws {
    let w = YOLOWidths(configuration)
    let (n3, n6) = (configuration.repeats(3), configuration.repeats(6))
    conv0 = try ConvolutionBlock(model[0], 3, w.c64, kernel: 3, stride: 2)
    conv1 = try ConvolutionBlock(model[1], w.c64, w.c128, kernel: 3, stride: 2)
    c2f2 = try C2f(model[2], w.c128, w.c128, count: n3, shortcut: true)
    conv3 = try ConvolutionBlock(model[3], w.c128, w.c256, kernel: 3, stride: 2)
    c2f4 = try C2f(model[4], w.c256, w.c256, count: n6, shortcut: true)
    conv5 = try ConvolutionBlock(model[5], w.c256, w.c512, kernel: 3, stride: 2)
    c2f6 = try C2f(model[6], w.c512, w.c512, count: n6, shortcut: true)
    conv7 = try ConvolutionBlock(model[7], w.c512, w.c1024, kernel: 3, stride: 2)
    c2f8 = try C2f(model[8], w.c1024, w.c1024, count: n3, shortcut: true)
    sppf9 = try SPPF(model[9], w.c1024)
    c2f12 = try C2f(model[12], w.c1024 + w.c512, w.c512, count: n3, shortcut: false)
    c2f15 = try C2f(model[15], w.c512 + w.c256, w.c256, count: n3, shortcut: false)
    conv16 = try ConvolutionBlock(model[16], w.c256, w.c256, kernel: 3, stride: 2)
    c2f18 = try C2f(model[18], w.c256 + w.c512, w.c512, count: n3, shortcut: false)
    conv19 = try ConvolutionBlock(model[19], w.c512, w.c512, kernel: 3, stride: 2)
    c2f21 = try C2f(model[21], w.c512 + w.c1024, w.c1024, count: n3, shortcut: false)
  }

  func callAsFunction(_ picture: Tensor<Scalar>) throws -> [Tensor<Scalar>] {
    var x = try conv0(picture).observed(as: "model.0")
    x = try conv1(x).observed(as: "model.1")
    x = try c2f2(x).observed(as: "model.2")
    x = try conv3(x).observed(as: "model.3")
    let x4 = try c2f4(x).observed(as: "model.4")
    x = try conv5(x4).observed(as: "model.5")
    let x6 = try c2f6(x).observed(as: "model.6")
    x = try conv7(x6).observed(as: "model.7")
    x = try c2f8(x).observed(as: "model.8")
    let x9 = try sppf9(x).observed(as: "model.9")

    let x12 = try c2f12(concatenate([upsampled(x9), x6], axis: 1)).observed(as: "model.12")
    let x15 = try c2f15(concatenate([upsampled(x12), x4], axis: 1)).observed(as: "model.15")
    x = try conv16(x15).observed(as: "model.16")
    let x18 = try c2f18(concatenate([x, x12], axis: 1)).observed(as: "model.18")
    x = try conv19(x18).observed(as: "model.19")
    let x21 = try c2f21(concatenate([x, x9], axis: 1)).observed(as: "model.21")
    return [x15, x18, x21]
  }
}
