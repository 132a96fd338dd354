"""A small network with samples, and what it gives in integers of eight bits, computed in NumPy.

`Tests/Fixtures/quantization/network.onnx` is in floats. `samples.npy` has the samples, and `expected.npz` these as
`images`, the network's own `logits` by ONNX Runtime, and `quantized`: its logits with every convolution and product in integers, with levels from the
least to the greatest number that the samples show. Sums are exact, and what follows them is computed in float32.
"""

import pathlib

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "quantization"
generator = np.random.default_rng(20261123)


def weight(*shape, scale=0.4):
    return (generator.standard_normal(shape) * scale).astype(np.float32)


WEIGHTS = {
    "w1": weight(8, 3, 3, 3), "b1": weight(8), "w2": weight(6, 4, 3, 3), "b2": weight(6), "w3": weight(8, 10, 1, 1),
    "b3": weight(8), "w4": weight(5, 8), "b4": weight(5),
}


def network():
    node = helper.make_node
    nodes = [
        node("Conv", ["images", "w1", "b1"], ["c1"], "first", strides=[2, 2], pads=[1, 1, 1, 1]),
        node("Sigmoid", ["c1"], ["g1"]),
        node("Mul", ["c1", "g1"], ["a1"]),
        node("Split", ["a1"], ["left", "right"], axis=1, num_outputs=2),
        node("Conv", ["right", "w2", "b2"], ["c2"], "second", pads=[1, 1, 1, 1]),
        node("Relu", ["c2"], ["a2"]),
        node("Concat", ["left", "a2"], ["joined"], axis=1),
        node("Conv", ["joined", "w3", "b3"], ["c3"], "third"),
        node("MaxPool", ["c3"], ["pooled"], kernel_shape=[2, 2], strides=[2, 2]),
        node("GlobalAveragePool", ["pooled"], ["mean"]),
        node("Flatten", ["mean"], ["flat"]),
        node("Gemm", ["flat", "w4", "b4"], ["logits"], "last", transB=1),
    ]
    graph = helper.make_graph(
        nodes, "network", [helper.make_tensor_value_info("images", TensorProto.FLOAT, [1, 3, 12, 13])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, 5])],
        [numpy_helper.from_array(value, name) for name, value in WEIGHTS.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)


def values(model, samples):
    """Every value inside the network, for all samples."""
    inner = onnx.ModelProto()
    inner.CopyFrom(model)
    del inner.graph.output[:]
    inner.graph.output.extend(
        helper.make_empty_tensor_value_info(name) for node in model.graph.node for name in node.output)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(inner.SerializeToString(), options)
    names = [output.name for output in session.get_outputs()]
    runs = [session.run(None, {"images": sample[None]}) for sample in samples]
    return {"images": samples} | {name: np.stack([run[i] for run in runs]) for i, name in enumerate(names)}


def levels(*arrays):
    """Scale and zero point of what covers all numbers and 0."""
    least = min(0.0, *(float(array.min()) for array in arrays))
    greatest = max(0.0, *(float(array.max()) for array in arrays))
    scale = np.float32(greatest - least) / np.float32(255)
    return scale, int(np.clip(np.rint(-least / float(scale)), 0, 255))


def quantize(x, level):
    scale, zero = level
    return np.clip(np.rint(x / scale) + zero, 0, 255).astype(np.int64)


def layer(x, level, w, bias, stride=1, padding=0):
    """A convolution of bytes, [channels, height, width], or a product, in integers; the rest in float32."""
    flat = w.reshape(len(w), -1)
    scales = np.abs(flat).max(1) / np.float32(127)
    bytes_ = np.clip(np.rint(flat / scales[:, None]), -127, 127).astype(np.int64)
    centred = x - level[1]
    if w.ndim == 2:
        sums = bytes_ @ centred
    else:
        kernel = w.shape[2]
        centred = np.pad(centred, ((0, 0), (padding, padding), (padding, padding)))
        windows = np.lib.stride_tricks.sliding_window_view(centred, (kernel, kernel), (1, 2))[:, ::stride, ::stride]
        sums = np.einsum("oc,cyx->oyx", bytes_, windows.transpose(0, 3, 4, 1, 2).reshape(-1, *windows.shape[1:3]))
    shape = (-1,) + (1,) * (sums.ndim - 1)
    return sums.astype(np.float32) * (scales * level[0]).reshape(shape) + bias.reshape(shape)


def quantized(sample, found):
    pictures = levels(found["images"])
    maps = levels(found["a1"], found["a2"])
    numbers = levels(found["mean"])
    c1 = layer(quantize(sample, pictures), pictures, WEIGHTS["w1"], WEIGHTS["b1"], stride=2, padding=1)
    a1 = quantize(c1 * (1 / (1 + np.exp(-c1))), maps)
    a2 = quantize(np.maximum(layer(a1[4:], maps, WEIGHTS["w2"], WEIGHTS["b2"], padding=1), 0), maps)
    c3 = layer(np.concatenate([a1[:4], a2]), maps, WEIGHTS["w3"], WEIGHTS["b3"])
    height, width = c3.shape[1] // 2, c3.shape[2] // 2
    pooled = c3[:, : 2 * height, : 2 * width].reshape(8, height, 2, width, 2).max((2, 4))
    return layer(quantize(pooled.mean((1, 2)), numbers), numbers, WEIGHTS["w4"], WEIGHTS["b4"])


def main():
    FOLDER.mkdir(exist_ok=True)
    model = network()
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, FOLDER / "network.onnx")
    samples = generator.random((6, 3, 12, 13)).astype(np.float32)
    found = values(model, samples)
    np.save(FOLDER / "samples.npy", samples)
    np.savez(
        FOLDER / "expected.npz", images=samples, logits=found["logits"][:, 0],
        quantized=np.stack([quantized(sample, found) for sample in samples]))


if __name__ == "__main__":
    main()
