import Apus

/// Backbone and neck of 11. Channels are those of size l before scaling; a C3k2 is repeated twice.
///
///     backbone                             neck
///      0  Conv 64, /2                      13  C3k2 512   of 10 upsampled, and 6
///      1  Conv 128, /2                     16  C3k2 256   of 13 upsampled, and 4      → step 8
///      2  C3k2 256, narrow                 17  Conv 256, /2
///      3  Conv 256, /2                     19  C3k2 512   of 17 and 13                → step 16
///      4  C3k2 512, narrow   → 16          20  Conv 512, /2
///      5  Conv 512, /2                     22  C3k2 1024  of 20 and 10                → step 32
///      6  C3k2 512           → 13
///      7  Conv 1024, /2
///      8  C3k2 1024
///      9  SPPF
///     10  C2PSA              → 13, 22
struct YOLO11Body<Scalar: FloatingPointScalar>: YOLOBody {
  private let conv0, conv1, conv3, conv5, conv7, conv17, conv20: ConvolutionBlock<Scalar>
  private let c3k2at2, c3k2at4, c3k2at6, c3k2at8, c3k2at13, c3k2at16, c3k2at19, c3k2at22: C2f<Scalar>
  private let sppf9: SPPF<Scalar>
  private let c2psa10: C2PSA<Scalar>

  init(_ model: Weights, _ configuration: YOLOConfiguration) throws {
    let w = YOLOWidths(configuration)
    let (n, deep) = (configuration.repeats(2), configuration.isDeep)
    conv0 = try ConvolutionBlock(model[0], 3, w.c64, kernel: 3, stride: 2)
    conv1 = try ConvolutionBlock(model[1], w.c64, w.c128, kernel: 3, stride: 2)
    c3k2at2 = try C2f(c3k2: model[2], w.c128, w.c256, count: n, isDeep: deep, ratio: 0.25)
    conv3 = try ConvolutionBlock(model[3], w.c256, w.c256, kernel: 3, stride: 2)
    c3k2at4 = try C2f(c3k2: model[4], w.c256, w.c512, count: n, isDeep: deep, ratio: 0.25)
    conv5 = try ConvolutionBlock(model[5], w.c512, w.c512, kernel: 3, stride: 2)
    c3k2at6 = try C2f(c3k2: model[6], w.c512, w.c512, count: n, isDeep: true)
    conv7 = try ConvolutionBlock(model[7], w.c512, w.c1024, kernel: 3, stride: 2)
    c3k2at8 = try C2f(c3k2: model[8], w.c1024, w.c1024, count: n, isDeep: true)
    sppf9 = try SPPF(model[9], w.c1024)
    c2psa10 = try C2PSA(model[10], w.c1024, count: n)
    c3k2at13 = try C2f(c3k2: model[13], w.c1024 + w.c512, w.c512, count: n, isDeep: deep)
    c3k2at16 = try C2f(c3k2: model[16], 2 * w.c512, w.c256, count: n, isDeep: deep)
    conv17 = try ConvolutionBlock(model[17], w.c256, w.c256, kernel: 3, stride: 2)
    c3k2at19 = try C2f(c3k2: model[19], w.c256 + w.c512, w.c512, count: n, isDeep: deep)
    conv20 = try ConvolutionBlock(model[20], w.c512, w.c512, kernel: 3, stride: 2)
    c3k2at22 = try C2f(c3k2: model[22], w.c512 + w.c1024, w.c1024, count: n, isDeep: true)
  }

  func callAsFunction(_ picture: Tensor<Scalar>) throws -> [Tensor<Scalar>] {
    var x = try conv0(picture).observed(as: "model.0")
    x = try conv1(x).observed(as: "model.1")
    x = try c3k2at2(x).observed(as: "model.2")
    x = try conv3(x).observed(as: "model.3")
    let x4 = try c3k2at4(x).observed(as: "model.4")
    x = try conv5(x4).observed(as: "model.5")
    let x6 = try c3k2at6(x).observed(as: "model.6")
    x = try conv7(x6).observed(as: "model.7")
    x = try c3k2at8(x).observed(as: "model.8")
    x = try sppf9(x).observed(as: "model.9")
    let x10 = try c2psa10(x).observed(as: "model.10")

    let x13 = try c3k2at13(concatenate([upsampled(x10), x6], axis: 1)).observed(as: "model.13")
    let x16 = try c3k2at16(concatenate([upsampled(x13), x4], axis: 1)).observed(as: "model.16")
    x = try conv17(x16).observed(as: "model.17")
    let x19 = try c3k2at19(concatenate([x, x13], axis: 1)).observed(as: "model.19")
    x = try conv20(x19).observed(as: "model.20")
    let x22 = try c3k2at22(concatenate([x, x10], axis: 1)).observed(as: "model.22")
    return [x16, x19, x22]
  }
}
