import Apus
import ApusMotion

let identity = try Tensor<Float>([1, 0, 0, 1], shape: [2, 2])
let product = try matmul(identity, Tensor<Float>([1, 2, 3, 4], shape: [2, 2]))
let averaged = try conv1d(
  Tensor<Float>([1, 2, 3, 4], shape: [1, 1, 4]), weight: Tensor(repeating: 0.5, shape: [1, 1, 2]))
guard try product.elements == [1, 2, 3, 4], try averaged.elements == [1.5, 2.5, 3.5] else {
  print("wrong numbers: \(product), \(averaged)")
  throw TensorError.shape(operation: "consumer", reason: "wrong numbers")
}
print("consumer: \(Execution.current.variant) kernels, \(DogKeypoint.allCases.count) keypoints")
