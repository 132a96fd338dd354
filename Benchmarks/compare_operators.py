"""Times operators whose loops are Apus' own, not a kernel's, beside ONNX Runtime, on one thread.

    python3 Benchmarks/compare_operators.py [--apus .build/release/apus] [NAME …]

Each is a model of one node. Prints the least time of each side and their ratio. Needs onnx, onnxruntime, ml_dtypes
and numpy (Weights/requirements.txt).
"""

import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

random = np.random.default_rng(0)


def normal(*shape):
    return random.standard_normal(shape, np.float32)


def uniform(*shape, scale=1):
    return random.random(shape, np.float32) * np.float32(scale)


def integers(below, *shape):
    return random.integers(0, below, shape)


def bytes_(*shape):
    return integers(256, *shape).astype(np.uint8)


def boxes(*shape, extent, size):
    corners = uniform(*shape, 4, scale=extent)
    corners[..., 2:] = corners[..., :2] + np.float32(size)
    return corners


def unpooled_places(channels, size):
    places = np.arange(channels * 4 * size * size).reshape(channels, size, 2, size, 2)
    return places[:, :, 0, :, 0].reshape(1, channels, size, size)


def constant(value, type=np.int64):
    return ("constant", np.array(value, type))


# The operator, its inputs, its attributes, the version of its operators, how many outputs.
OPERATORS = {
    "add-int64": ("Add", [integers(1000, 512, 512), integers(1000, 512, 512)], {}, 14, 1),
    "atan": ("Atan", [normal(512, 512)], {}, 7, 1),
    "affine-grid": ("AffineGrid", [normal(1, 2, 3), constant([1, 3, 224, 224])], {}, 20, 1),
    "cast-bool": ("Cast", [normal(512, 512)], {"to": TensorProto.BOOL}, 13, 1),
    "cast-int32": ("Cast", [normal(512, 512) * 100], {"to": TensorProto.INT32}, 13, 1),
    "cast-int64": ("Cast", [normal(512, 512) * 100], {"to": TensorProto.INT64}, 13, 1),
    "cast-uint8": ("Cast", [uniform(512, 512, scale=255)], {"to": TensorProto.UINT8}, 13, 1),
    "cast-from-bool": ("Cast", [normal(512, 512) > 0], {"to": TensorProto.FLOAT}, 13, 1),
    "cast-from-int32": ("Cast", [integers(1000, 512, 512).astype(np.int32)], {"to": TensorProto.FLOAT}, 13, 1),
    "cast-from-int64": ("Cast", [integers(1000, 512, 512)], {"to": TensorProto.FLOAT}, 13, 1),
    "cast-from-uint8": ("Cast", [integers(255, 512, 512).astype(np.uint8)], {"to": TensorProto.FLOAT}, 13, 1),
    "clip-int64": ("Clip", [integers(1000, 512, 512), constant(5), constant(500)], {}, 13, 1),
    "col2im": ("Col2Im", [normal(1, 288, 1600), constant([40, 40]), constant([3, 3])], {"pads": [1] * 4}, 18, 1),
    "conv-volume": (
        "Conv", [normal(1, 54, 8, 32, 32), ("constant", normal(54, 1, 3, 3, 3))], {"pads": [1] * 6, "group": 54}, 11, 1),
    "cumsum": ("CumSum", [normal(64, 4096), constant(1)], {}, 14, 1),
    "cumsum-first-axis": ("CumSum", [normal(512, 512), constant(0)], {}, 14, 1),
    "deform-conv": (
        "DeformConv", [normal(1, 32, 40, 40), ("constant", normal(32, 32, 3, 3)), normal(1, 18, 40, 40)],
        {"kernel_shape": [3, 3], "pads": [1] * 4}, 19, 1),
    "depth-to-space": ("DepthToSpace", [normal(1, 64, 56, 56)], {"blocksize": 2}, 13, 1),
    "equal-int64": ("Equal", [integers(10, 512, 512), integers(10, 512, 512)], {}, 13, 1),
    "gather-elements": ("GatherElements", [normal(512, 512), integers(512, 512, 512)], {"axis": 1}, 13, 1),
    "gather-nd": ("GatherND", [normal(512, 512), integers(512, 65536, 2)], {}, 13, 1),
    "grid-sample": ("GridSample", [normal(1, 32, 80, 80), uniform(1, 80, 80, 2, scale=2) - 1], {}, 20, 1),
    "max-pool-indices": (
        "MaxPool", [normal(1, 32, 112, 112)], {"kernel_shape": [2, 2], "strides": [2, 2]}, 12, 2),
    "max-unpool": (
        "MaxUnpool", [normal(1, 32, 56, 56), unpooled_places(32, 56)],
        {"kernel_shape": [2, 2], "strides": [2, 2]}, 11, 1),
    "max-pool-2-stride-2": ("MaxPool", [normal(1, 32, 112, 112)], {"kernel_shape": [2, 2], "strides": [2, 2]}, 12, 1),
    "max-pool-3-stride-2": (
        "MaxPool", [normal(1, 32, 112, 112)], {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1] * 4}, 12, 1),
    "average-pool-2-stride-2": (
        "AveragePool", [normal(1, 32, 112, 112)], {"kernel_shape": [2, 2], "strides": [2, 2]}, 12, 1),
    "average-pool-3-stride-2": (
        "AveragePool", [normal(1, 32, 112, 112)], {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1] * 4}, 12, 1),
    "mod-floor": ("Mod", [integers(1000, 512, 512), constant(7)], {}, 13, 1),
    "mod": ("Mod", [normal(512, 512), normal(512, 512) + 3], {"fmod": 1}, 13, 1),
    "non-max-suppression": (
        "NonMaxSuppression",
        [boxes(1, 2000, extent=600, size=30), uniform(1, 8, 2000), constant(200), constant(0.5, np.float32),
         constant(0.1, np.float32)], {}, 11, 1),
    "non-zero": ("NonZero", [(uniform(512, 512) > 0.5).astype(np.float32)], {}, 13, 1),
    "qlinear-conv-computed": (
        "QLinearConv",
        [bytes_(1, 128, 30, 30), constant(0.02, np.float32), constant(120, np.uint8), bytes_(128, 1, 15, 15),
         constant(0.01, np.float32), constant(128, np.uint8), constant(2, np.float32), constant(128, np.uint8)],
        {"group": 128}, 10, 1),
    "qlinear-conv-volume": (
        "QLinearConv",
        [bytes_(1, 32, 8, 28, 28), constant(0.02, np.float32), constant(120, np.uint8),
         ("constant", bytes_(32, 32, 3, 3, 3)), constant(0.01, np.float32), constant(128, np.uint8),
         constant(2, np.float32), constant(128, np.uint8)], {"pads": [1] * 6}, 10, 1),
    "qlinear-matmul-stack": (
        "QLinearMatMul",
        [bytes_(1, 12, 128, 64), constant(0.02, np.float32), constant(120, np.uint8), bytes_(1, 12, 64, 128),
         constant(0.01, np.float32), constant(128, np.uint8), constant(1, np.float32), constant(128, np.uint8)], {}, 10,
        1),
    "quantize-float8": (
        "QuantizeLinear", [normal(512, 512), constant(0.01, np.float32), constant(0, ml_dtypes.float8_e4m3fn)], {}, 19,
        1),
    "reduce-max-int64": ("ReduceMax", [integers(1000, 512, 512), constant([1])], {}, 18, 1),
    "resize-cubic": (
        "Resize", [normal(1, 16, 56, 56), None, constant([1, 1, 2, 2], np.float32)], {"mode": "cubic"}, 18, 1),
    "resize-half": (
        "Resize", [normal(1, 64, 112, 112), None, constant([1, 1, 0.5, 0.5], np.float32)], {"mode": "linear"}, 18, 1),
    "resize-half-nearest": (
        "Resize", [normal(1, 64, 112, 112), None, constant([1, 1, 0.5, 0.5], np.float32)], {"mode": "nearest"}, 18, 1),
    "roi-align": (
        "RoiAlign", [normal(1, 64, 56, 56), boxes(64, extent=100, size=60), constant([0] * 64)],
        {"output_height": 7, "output_width": 7, "sampling_ratio": 2, "spatial_scale": 0.25}, 16, 1),
    "scatter-elements": (
        "ScatterElements", [normal(512, 512), integers(512, 512, 128), normal(512, 128)], {"axis": 1}, 18, 1),
    "space-to-depth": ("SpaceToDepth", [normal(1, 16, 112, 112)], {"blocksize": 2}, 13, 1),
    "tile": ("Tile", [normal(64, 1, 64), constant([1, 32, 2])], {}, 13, 1),
    "top-5": ("TopK", [normal(64, 1024), constant([5])], {}, 20, 2),
    "top-k": ("TopK", [normal(64, 8400), constant([100])], {}, 20, 2),
    "unique": ("Unique", [integers(1000, 65536).astype(np.float32)], {}, 11, 4),
}


def write(name, folder):
    """The model, and its inputs by name."""
    operator, operands, attributes, version, outputs = OPERATORS[name]
    names, values, initializers, given = [], {}, [], []
    for index, operand in enumerate(operands):
        names.append("" if operand is None else f"input{index}")
        if isinstance(operand, tuple):
            initializers.append(numpy_helper.from_array(operand[1], names[-1]))
        elif operand is not None:
            values[names[-1]] = operand
            given.append(
                helper.make_tensor_value_info(names[-1], helper.np_dtype_to_tensor_dtype(operand.dtype), operand.shape))
    results = [onnx.ValueInfoProto(name=f"output{index}") for index in range(outputs)]
    node = helper.make_node(operator, names, [result.name for result in results], **attributes)
    graph = helper.make_graph([node], name, given, results, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)], ir_version=10)
    path = folder / f"{name}.onnx"
    onnx.save(model, path)
    for key, value in values.items():
        np.save(folder / f"{name}.{key}.npy", value)
    return path, values


def time_onnxruntime(path, values):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    least, end = float("inf"), time.monotonic() + 0.3
    while time.monotonic() < end:
        begin = time.perf_counter()
        session.run(None, values)
        least = min(least, time.perf_counter() - begin)
    return least * 1000


def time_apus(apus, path, values):
    inputs = [f"--input={key}={path.with_suffix('')}.{key}.npy" for key in values]
    command = [apus, "run", path, *inputs, "--threads", "1", "--warmup", "2", "--repeat", "20", "--json"]
    return min(json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["latency_ms"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--apus", default=".build/release/apus", help="the program (default: .build/release/apus)")
    options = parser.parse_args()
    if unknown := set(options.names) - set(OPERATORS):
        parser.error(f"not known: {', '.join(sorted(unknown))}; known are {', '.join(OPERATORS)}")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.names or OPERATORS:
            path, values = write(name, Path(folder))
            ours, theirs = time_apus(options.apus, path, values), time_onnxruntime(path, values)
            print(f"{name:20} Apus {ours:8.3f} ms   ONNX Runtime {theirs:8.3f} ms   {ours / theirs:6.2f}", flush=True)


if __name__ == "__main__":
    main()
