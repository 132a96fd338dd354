"""Models with a layer that is deliberately wrong, and what ONNX Runtime makes of the right one.

`Tests/Fixtures/parity/reference.safetensors` holds every value inside `right.onnx`, inputs included; the other models differ
from it in one node each, and the tests expect `apus parity` to name exactly that one:

    int8_weights      the second convolution's weights rounded to 255 levels
    epsilon           LayerNormalization with epsilon 1e-6 instead of 1e-5
    swapped_axes      a Transpose that exchanges the last two axes, of equal extent, instead of keeping them
    coordinates       Resize with align_corners instead of half_pixel

`chain.onnx` multiplies by a matrix and by its inverse again and again: every node is right by itself, and rounding grows.
`chain.safetensors` is its reference, computed in float64.
"""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "Weights" / "reference"))
import onnx_reference  # noqa: E402
import reference_file  # noqa: E402

FOLDER = ROOT / "Tests" / "Fixtures" / "parity"


def network(fault=None):
    """A small network of convolutions, resampling and a normalised projection; `fault` says what is wrong with it."""
    generator = np.random.default_rng(20261121)

    def weight(name, *shape, scale=0.2):
        return numpy_helper.from_array((generator.standard_normal(shape) * scale).astype(np.float32), name)

    weights = [
        weight("conv1.weight", 8, 3, 3, 3), weight("conv1.bias", 8), weight("conv2.weight", 8, 8, 3, 3),
        weight("conv2.bias", 8), weight("norm.weight", 64, scale=0.5), weight("norm.bias", 64, scale=0.1),
        weight("project.weight", 64, 16), numpy_helper.from_array(np.array([1, 1, 2, 2], np.float32), "scales"),
        numpy_helper.from_array(np.array([0, 0, -1], np.int64), "rows"),
        numpy_helper.from_array(np.float32(0.02), "scale"), numpy_helper.from_array(np.uint8(128), "zero_point"),
    ]
    if fault == "int8_weights":
        weights[2].CopyFrom(numpy_helper.from_array(rounded(numpy_helper.to_array(weights[2])), "conv2.weight"))
    node = helper.make_node
    nodes = [
        node("Conv", ["image", "conv1.weight", "conv1.bias"], ["conv1"], "conv1", pads=[1, 1, 1, 1]),
        node("Relu", ["conv1"], ["relu1"], "relu1"),
        node("Resize", ["relu1", "", "scales"], ["resize"], "resize", mode="linear",
             coordinate_transformation_mode="align_corners" if fault == "coordinates" else "half_pixel"),
        node("Conv", ["resize", "conv2.weight", "conv2.bias"], ["conv2"], "conv2", pads=[1, 1, 1, 1], strides=[2, 2]),
        node("Transpose", ["conv2"], ["transpose"], "transpose", perm=[0, 1, 3, 2] if fault == "swapped_axes" else [0, 1, 2, 3]),
        node("Reshape", ["transpose", "rows"], ["reshape"], "reshape"),
        node("LayerNormalization", ["reshape", "norm.weight", "norm.bias"], ["norm"], "norm", axis=-1,
             epsilon=1e-6 if fault == "epsilon" else 1e-5),
        node("MatMul", ["norm", "project.weight"], ["project"], "project"),
        node("QuantizeLinear", ["project", "scale", "zero_point"], ["levels"], "quantize"),
        node("DequantizeLinear", ["levels", "scale", "zero_point"], ["dequantized"], "dequantize"),
        node("Softmax", ["project"], ["probabilities"], "softmax", axis=-1),
    ]
    graph = helper.make_graph(
        nodes, "parity", [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, 8, 8])],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, [None, None, 16]),
         helper.make_tensor_value_info("dequantized", TensorProto.FLOAT, [None, None, 16])], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model


def rounded(array):
    scale = np.abs(array).max() / 127
    return (np.round(array / scale) * scale).astype(np.float32)


def chain(length=12):
    """`x → x A → x A A⁻¹ → …` with an A whose condition is 10⁵, in float32, and its values in float64."""
    generator = np.random.default_rng(7)
    u, _ = np.linalg.qr(generator.standard_normal((16, 16)))
    v, _ = np.linalg.qr(generator.standard_normal((16, 16)))
    a = (u * np.geomspace(1, 1e-5, 16)) @ v
    matrices = {"a": a.astype(np.float32), "b": np.linalg.inv(a).astype(np.float32)}
    x = generator.standard_normal((4, 16)).astype(np.float32)
    nodes, values, current = [], {"x": x}, x.astype(np.float64)
    for index in range(length):
        name, matrix = f"m{index}", "ab"[index % 2]
        nodes.append(helper.make_node("MatMul", [f"m{index - 1}" if index else "x", matrix], [name], f"product{index}"))
        current = current @ matrices[matrix].astype(np.float64)
        values[name] = current
    graph = helper.make_graph(
        nodes, "chain", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, 16])],
        [helper.make_tensor_value_info(f"m{length - 1}", TensorProto.FLOAT, [4, 16])],
        [numpy_helper.from_array(array, name) for name, array in matrices.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), values


def main():
    FOLDER.mkdir(exist_ok=True)
    right = network()
    generator = np.random.default_rng(1)
    inputs = {"image": (generator.standard_normal((1, 3, 8, 8)) * 0.1).astype(np.float32)}
    values, _ = onnx_reference.run(right, inputs)
    reference_file.write(FOLDER / "reference.safetensors", {**values, **inputs})
    outputs = {name: values[name] for name in ("probabilities", "dequantized")}
    reference_file.write(FOLDER / "outputs.npz", {**outputs, **inputs})
    onnx.save(right, FOLDER / "right.onnx")
    for fault in ("int8_weights", "epsilon", "swapped_axes", "coordinates"):
        onnx.save(network(fault), FOLDER / f"{fault}.onnx")
    model, values = chain()
    onnx.save(model, FOLDER / "chain.onnx")
    reference_file.write(FOLDER / "chain.safetensors", values)
    size = sum(file.stat().st_size for file in FOLDER.iterdir())
    print(f"{FOLDER}: {size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
