import Apus
print(try Tensor<Float>(zeros: [2, 3]).elements)
