import Apus

/// Backbone and neck of v5. Channels are those of size l before scaling; a C3 is repeated 3, 6 or 9 times.
///
///     backbone                             neck
///      0  Conv 64, 6 × 6, /2               10  Conv 512, 1 × 1
///      1  Conv 128, /2                     13  C3 512     of 10 upsampled, and 6
///      2  C3 128                           14  Conv 256, 1 × 1
///      3  Conv 256, /2                     17  C3 256     of 14 upsampled, and 4      → step 8
///      4  C3 256      → 17                 18  Conv 256, /2
///      5  Conv 512, /2                     20  C3 512     of 18 and 14                → step 16
///      6  C3 512      → 13                 21  Conv 512, /2
///      7  Conv 1024, /2                    23  C3 1024    of 21 and 10                → step 32
///      8  C3 1024
///      9  SPPF        → 10
struct YOLOv5Body<Scalar: FloatingPointScalar>: YOLOBody {
  private let conv0, conv1, conv3, conv5, conv7, conv10, conv14, conv18, conv21: ConvolutionBlock<Scalar>
  private let c3at2, c3at4, c3at6, c3at8, c3at13, c3at17, c3at20, c3at23: C3<Scalar>
  private let sppf9: SPPF<Scalar>

  init(_ model: Weights, _ configuration: YOLOConfiguration) throws {
    let w = YOLOWidths(configuration)
    let (n3, n6, n9) = (configuration.repeats(3), configuration.repeats(6), configuration.repeats(9))
    conv0 = try ConvolutionBlock(model[0], 3, w.c64, kernel: 6, stride: 2, padding: 2)
    conv1 = try ConvolutionBlock(model[1], w.c64, w.c128, kernel: 3, stride: 2)
    c3at2 = try C3(model[2], w.c128, w.c128, count: n3)
    conv3 = try ConvolutionBlock(model[3], w.c128, w.c256, kernel: 3, stride: 2)
    c3at4 = try C3(model[4], w.c256, w.c256, count: n6)
    conv5 = try ConvolutionBlock(model[5], w.c256, w.c512, kernel: 3, stride: 2)
    c3at6 = try C3(model[6], w.c512, w.c512, count: n9)
    conv7 = try ConvolutionBlock(model[7], w.c512, w.c1024, kernel: 3, stride: 2)
    c3at8 = try C3(model[8], w.c1024, w.c1024, count: n3)
    sppf9 = try SPPF(model[9], w.c1024)
    conv10 = try ConvolutionBlock(model[10], w.c1024, w.c512)
    c3at13 = try C3(model[13], 2 * w.c512, w.c512, count: n3, shortcut: false)
    conv14 = try ConvolutionBlock(model[14], w.c512, w.c256)
    c3at17 = try C3(model[17], 2 * w.c256, w.c256, count: n3, shortcut: false)
    conv18 = try ConvolutionBlock(model[18], w.c256, w.c256, kernel: 3, stride: 2)
    c3at20 = try C3(model[20], 2 * w.c256, w.c512, count: n3, shortcut: false)
    conv21 = try ConvolutionBlock(model[21], w.c512, w.c512, kernel: 3, stride: 2)
    c3at23 = try C3(model[23], 2 * w.c512, w.c1024, count: n3, shortcut: false)
  }

  func callAsFunction(_ picture: Tensor<Scalar>) throws -> [Tensor<Scalar>] {
    var x = try conv0(picture).observed(as: "model.0")
    x = try conv1(x).observed(as: "model.1")
    x = try c3at2(x).observed(as: "model.2")
    x = try conv3(x).observed(as: "model.3")
    let x4 = try c3at4(x).observed(as: "model.4")
    x = try conv5(x4).observed(as: "model.5")
    let x6 = try c3at6(x).observed(as: "model.6")
    x = try conv7(x6).observed(as: "model.7")
    x = try c3at8(x).observed(as: "model.8")
    x = try sppf9(x).observed(as: "model.9")

    let x10 = try conv10(x).observed(as: "model.10")
    x = try c3at13(concatenate([upsampled(x10), x6], axis: 1)).observed(as: "model.13")
    let x14 = try conv14(x).observed(as: "model.14")
    let x17 = try c3at17(concatenate([upsampled(x14), x4], axis: 1)).observed(as: "model.17")
    x = try conv18(x17).observed(as: "model.18")
    let x20 = try c3at20(concatenate([x, x14], axis: 1)).observed(as: "model.20")
    x = try conv21(x20).observed(as: "model.21")
    let x23 = try c3at23(concatenate([x, x10], axis: 1)).observed(as: "model.23")
    return [x17, x20, x23]
  }
}
