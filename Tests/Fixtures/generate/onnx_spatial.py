"""Convolution, pooling, normalisation, matrix products, sampling and boxes: what the standard's node tests do not cover.

Old operator sets, other element types, odd shapes, empty tensors, every rank, and maps that come channel-blocked from a
convolution.
"""

import numpy as np
import onnx
import onnxruntime  # noqa: F401  (fails early where it is missing)
import torch
from onnx import TensorProto, helper, numpy_helper

from onnx_cases import Cases, one_node, reference, runtime

cases = Cases("spatial")
rng = np.random.default_rng(11)


def floats(*shape, scale=1.0, dtype=np.float32):
    """Multiples of 1/16, which take little room in the file."""
    return (np.round(rng.standard_normal(shape) * scale * 16) / 16).astype(dtype)


def whole(dtype, *shape, low=None, high=None):
    info = np.iinfo(dtype)
    low, high = (info.min if low is None else low), (info.max if high is None else high)
    return rng.integers(low, high, shape, dtype=dtype, endpoint=True)


def kind(array):
    return helper.np_dtype_to_tensor_dtype(np.asarray(array).dtype)


def case(name, op, inputs, expected, opset=21, outputs=1, types=None, rtol=1e-5, atol=1e-5, **attributes):
    """One node whose outputs are `expected`: arrays, or a function of the model and its inputs."""
    if not callable(expected):
        expected = [np.asarray(e) for e in expected]
        types, outputs = [kind(e) for e in expected], len(expected)
    model = one_node(op, inputs, outputs, opset, types=types, **attributes)
    cases.add(name, model, inputs, expected, rtol=rtol, atol=atol)


def blocked(name, op, extra, channels, size, opset=21, **attributes):
    """The operator on what a convolution gives, `channels` maps of `size`: channel-blocked, when they are enough."""
    x, w = floats(1, 3, *size), floats(channels, 3, 1, 1)
    names = [f"e{i}" for i in range(len(extra))]
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"]),
        helper.make_node(op, ["c"] + [n if e is not None else "" for n, e in zip(names, extra)], ["y"], **attributes),
    ]
    constants = [("w", w)] + [(n, e) for n, e in zip(names, extra) if e is not None]
    graph = helper.make_graph(
        nodes, op, [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(a, n) for n, a in constants])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    cases.add(name, model, [x], runtime, rtol=1e-5, atol=1e-5)


def tensor(array):
    return torch.from_numpy(np.asarray(array))


# Convolution

case("conv_1d_dilated", "Conv", [floats(2, 6, 19), floats(4, 3, 3), floats(4)], runtime, opset=11,
     group=2, dilations=[2], strides=[2], pads=[3, 1])
case("conv_1d_many_channels", "Conv", [floats(1, 17, 21), floats(18, 17, 5), floats(18)], runtime, pads=[2, 2])
case("conv_2d_same_lower", "Conv", [floats(1, 16, 5, 7), floats(9, 16, 3, 4)], runtime,
     auto_pad="SAME_LOWER", strides=[2, 3])
case("conv_2d_same_upper_stride_beyond_kernel", "Conv", [floats(1, 3, 11, 10), floats(9, 3, 1, 2)], runtime,
     auto_pad="SAME_UPPER", strides=[3, 4])
case("conv_2d_depthwise", "Conv", [floats(1, 17, 6, 5), floats(17, 1, 3, 3), floats(17)], runtime,
     group=17, pads=[1, 0, 1, 2], dilations=[1, 2])
case("conv_2d_odd_channels", "Conv", [floats(1, 9, 5, 6), floats(9, 9, 3, 3), floats(9)], runtime,
     pads=[1, 1, 1, 1])
case("conv_2d_valid", "Conv", [floats(1, 3, 8, 8), floats(5, 3, 3, 3)], runtime, auto_pad="VALID", kernel_shape=[3, 3])
case("conv_2d_groups_of_blocks", "Conv", [floats(1, 32, 4, 4), floats(32, 16, 2, 2)], runtime, group=2)
case("conv_3d", "Conv", [floats(1, 4, 6, 5, 5), floats(4, 2, 3, 2, 3), floats(4)], runtime,
     group=2, strides=[2, 1, 2], pads=[1, 0, 2, 2, 1, 0], dilations=[2, 1, 1])
case("conv_3d_same", "Conv", [floats(1, 3, 5, 6, 7), floats(4, 3, 2, 3, 3)], runtime, auto_pad="SAME_UPPER",
     strides=[2, 2, 2])
x, w, b = floats(1, 3, 3, 4, 4, 3, dtype=np.float64), floats(2, 3, 2, 2, 3, 2, dtype=np.float64), floats(2, dtype=np.float64)
y = np.zeros((1, 2, 2, 3, 2, 2))
for i in np.ndindex(2, 3, 2, 2):
    window = x[0][(slice(None),) + tuple(slice(a, a + k) for a, k in zip(i, (2, 2, 3, 2)))]
    y[(0, slice(None)) + i] = np.tensordot(w, window, 5) + b
case("conv_4d_double", "Conv", [x, w, b], [y], rtol=1e-12, atol=1e-12)
x, w = floats(1, 5, 9, 8, dtype=np.float64), floats(3, 5, 3, 3, dtype=np.float64)
case("conv_2d_double", "Conv", [x, w], [torch.nn.functional.conv2d(tensor(x), tensor(w), stride=2, padding=1).numpy()],
     strides=[2, 2], pads=[1, 1, 1, 1], rtol=1e-12, atol=1e-12)
x, w = floats(1, 8, 6, 6, dtype=np.float16), floats(9, 8, 3, 3, dtype=np.float16)
y = torch.nn.functional.conv2d(tensor(x).double(), tensor(w).double()).numpy().astype(np.float16)
case("conv_2d_half", "Conv", [x, w], [y], rtol=1e-3, atol=1e-3)
case("conv_2d_no_samples", "Conv", [floats(0, 3, 5, 5), floats(4, 3, 3, 3)], [np.zeros((0, 4, 3, 3), np.float32)])

case("conv_transpose_1d", "ConvTranspose", [floats(2, 4, 7), floats(4, 3, 4), floats(6)], runtime, opset=11,
     group=2, strides=[3], pads=[1, 2], output_padding=[1], dilations=[2])
case("conv_transpose_2d_same_lower", "ConvTranspose", [floats(1, 3, 4, 5), floats(3, 2, 3, 4)], runtime,
     auto_pad="SAME_LOWER", strides=[2, 3])
case("conv_transpose_2d_output_shape", "ConvTranspose", [floats(1, 3, 4, 5), floats(3, 2, 3, 3)], runtime,
     strides=[2, 2], output_shape=[8, 9])
case("conv_transpose_3d", "ConvTranspose", [floats(2, 4, 3, 4, 2), floats(4, 2, 2, 3, 3), floats(4)], runtime,
     group=2, strides=[2, 1, 2], pads=[1, 0, 1, 0, 1, 1], output_padding=[1, 0, 0])
x, w = floats(1, 3, 4, 5, dtype=np.float64), floats(3, 4, 2, 3, dtype=np.float64)
case("conv_transpose_2d_double", "ConvTranspose", [x, w],
     [torch.nn.functional.conv_transpose2d(tensor(x), tensor(w), stride=2, dilation=2).numpy()],
     strides=[2, 2], dilations=[2, 2], rtol=1e-12, atol=1e-12)

case("deform_conv_groups", "DeformConv",
     [floats(1, 4, 6, 5), floats(2, 2, 3, 2), floats(1, 24, 3, 5, scale=1.5), floats(2), floats(1, 12, 3, 5)],
     reference, opset=22, group=2, offset_group=2, strides=[2, 1], pads=[1, 0, 1, 1], rtol=1e-4, atol=1e-4)

for name, dtype in [("float", np.float32), ("double", np.float64)]:
    x = floats(2, 2 * 12, 15, dtype=dtype)
    y = torch.nn.functional.fold(tensor(x), (5, 6), (3, 4), padding=(1, 0)).numpy()
    case(f"col2im_{name}", "Col2Im", [x, np.array([5, 6]), np.array([3, 4])], [y], pads=[1, 0, 1, 0])
x = whole(np.int32, 1, 8, 9, low=-50, high=50)
y = torch.nn.functional.fold(tensor(x).double(), (4, 4), (2, 2)).numpy().astype(np.int32)
case("col2im_integers", "Col2Im", [x, np.array([4, 4]), np.array([2, 2])], [y])

# Pooling

x = floats(1, 2, 9, 7)
case("max_pool_indices", "MaxPool", [x], runtime, opset=12, outputs=2, types=[1, 7], kernel_shape=[3, 2], strides=[2, 3],
     pads=[1, 0, 2, 1], dilations=[2, 1])
case("max_pool_indices_ceil_3d", "MaxPool", [floats(1, 2, 7, 6, 5)], runtime, opset=12, outputs=2, types=[1, 7],
     kernel_shape=[3, 2, 3], strides=[3, 3, 3], pads=[1, 0, 1, 0, 1, 1], ceil_mode=1)
case("max_pool_indices_columns_first", "MaxPool", [x], runtime, opset=12, outputs=2, types=[1, 7], kernel_shape=[2, 2],
     strides=[2, 2], storage_order=1)
case("max_pool_padding_of_nearly_a_window", "MaxPool", [x], runtime, opset=12, kernel_shape=[4, 4], pads=[3, 3, 3, 3],
     strides=[2, 2])
case("max_pool_opset_7_same_lower", "MaxPool", [x], runtime, opset=7, kernel_shape=[3, 3], strides=[2, 2],
     auto_pad="SAME_LOWER")
case("max_pool_int8", "MaxPool", [whole(np.int8, 1, 2, 6, 5)], runtime, opset=12, kernel_shape=[3, 3], pads=[1, 1, 1, 1])
case("max_pool_uint8_indices", "MaxPool", [whole(np.uint8, 1, 2, 6, 5)], runtime, opset=12, outputs=2, types=[2, 7],
     kernel_shape=[2, 3])
case("max_pool_double_1d", "MaxPool", [floats(2, 3, 10, dtype=np.float64)], runtime, opset=12, kernel_shape=[3],
     strides=[2], ceil_mode=1)
x = floats(1, 2, 6, 6, dtype=np.float16)
case("max_pool_half", "MaxPool", [x], [torch.nn.functional.max_pool2d(tensor(x).float(), 3, 2).numpy().astype(np.float16)],
     kernel_shape=[3, 3], strides=[2, 2])
x = floats(1, 1, 4, 4)
x[0, 0, 1, 1] = np.nan
case("max_pool_nan", "MaxPool", [x], [torch.nn.functional.max_pool2d(tensor(x), 2).numpy()], kernel_shape=[2, 2],
     strides=[2, 2])

x = floats(1, 2, 9, 8)
case("average_pool_opset_7", "AveragePool", [x], runtime, opset=7, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
case("average_pool_ceil_counting_padding", "AveragePool", [x], runtime, opset=22, kernel_shape=[3, 4], strides=[2, 3],
     pads=[1, 1, 1, 1], ceil_mode=1, count_include_pad=1)
case("average_pool_same_lower_counting_padding", "AveragePool", [x], runtime, opset=11, kernel_shape=[3, 4],
     strides=[2, 3], auto_pad="SAME_LOWER", count_include_pad=1)
case("average_pool_dilated", "AveragePool", [x], runtime, opset=19, kernel_shape=[2, 3], dilations=[2, 3],
     pads=[1, 2, 0, 1], count_include_pad=1)
case("average_pool_3d", "AveragePool", [floats(1, 2, 6, 5, 7)], runtime, opset=11, kernel_shape=[2, 3, 3],
     strides=[2, 2, 1], pads=[1, 1, 0, 0, 1, 2])
case("average_pool_4d", "AveragePool", [floats(1, 2, 4, 3, 4, 5)],
     lambda model, inputs: [sum(
         inputs[0][:, :, a:a + 3, b:b + 2, c:c + 3, d:d + 4] for a in range(2) for b in range(2) for c in range(2)
         for d in range(2)) / 16], kernel_shape=[2, 2, 2, 2])
x = floats(1, 2, 12, dtype=np.float64)
case("average_pool_double_1d", "AveragePool", [x], [torch.nn.functional.avg_pool1d(tensor(x), 3, 2).numpy()],
     kernel_shape=[3], strides=[2], rtol=1e-14, atol=1e-14)

x = floats(1, 2, 7, 6)
case("lp_pool_1", "LpPool", [x], runtime, opset=11, kernel_shape=[3, 2], strides=[2, 2], p=1)
case("lp_pool_3_padded", "LpPool", [x], runtime, opset=11, kernel_shape=[3, 3], pads=[1, 1, 1, 1], p=3, rtol=1e-4)
case("lp_pool_ceil_dilated", "LpPool", [x], runtime, opset=18, kernel_shape=[2, 2], strides=[2, 2], dilations=[2, 1],
     ceil_mode=1)
x = floats(2, 3, 4, 3, 5)
case("global_lp_pool_3", "GlobalLpPool", [x], [(np.abs(x).astype(np.float64) ** 3).sum((2, 3, 4), keepdims=True)
                                               .astype(np.float32) ** (1 / 3)], p=3, rtol=1e-4)
case("global_average_pool_3d", "GlobalAveragePool", [x], runtime)
case("global_max_pool_3d", "GlobalMaxPool", [x], runtime)
case("global_average_pool_1d_double", "GlobalAveragePool", [floats(2, 3, 7, dtype=np.float64)], reference)

values, places = runtime(
    one_node("MaxPool", [np.zeros((1, 2, 4, 6, 4), np.float32)], 2, 12, types=[1, 7], kernel_shape=[2, 2, 2], strides=[2, 2, 2]),
    [floats(1, 2, 4, 6, 4)])
case("max_unpool_3d", "MaxUnpool", [values, places], runtime, opset=11, kernel_shape=[2, 2, 2], strides=[2, 2, 2])

regions = np.array([[0, 0, 0, 7, 5], [1, 2, 1, 5, 5], [1, 3, 3, 3, 3], [0, -4, -2, 30, 20], [0, 40, 40, 50, 50]], np.float32)
case("max_roi_pool", "MaxRoiPool", [floats(2, 3, 8, 9), regions], runtime, pooled_shape=[3, 2], spatial_scale=0.8)
boxes = np.array([[0, 0, 7, 5], [2, 1, 5.5, 5], [3, 3, 3, 3], [-4, -2, 30, 20], [40, 40, 50, 50]], np.float32)
samples = np.array([0, 1, 1, 0, 0])
for ratio in (0, 2):
    case(f"roi_align_opset_10_{ratio}", "RoiAlign", [floats(2, 3, 8, 9), boxes, samples], runtime, opset=10,
         output_height=3, output_width=2, sampling_ratio=ratio, spatial_scale=0.6)
case("roi_align_half_pixel", "RoiAlign", [floats(2, 3, 8, 9), boxes[:4], samples[:4]], runtime, opset=16,
     output_height=2, output_width=3, sampling_ratio=2, spatial_scale=0.9)
case("roi_align_no_regions", "RoiAlign", [floats(1, 2, 5, 5), np.zeros((0, 4), np.float32), np.zeros(0, np.int64)],
     [np.zeros((0, 2, 1, 1), np.float32)], opset=16)

# Normalisation

def batch_norm(x, scale, bias, mean, variance, epsilon=1e-5):
    shape = (-1,) + (1,) * (x.ndim - 2)
    scale, bias, mean, variance = (a.astype(np.float64).reshape(shape) for a in (scale, bias, mean, variance))
    return ((x - mean) / np.sqrt(variance + epsilon) * scale + bias).astype(x.dtype)


for name, shape, opset in [("2d", (3, 5), 9), ("3d_opset_7", (2, 7, 6), 7), ("5d", (2, 3, 2, 3, 4), 15)]:
    x, p = floats(*shape), [floats(shape[1]) for _ in range(3)] + [np.abs(floats(shape[1]))]
    case(f"batch_normalization_{name}", "BatchNormalization", [x] + p, [batch_norm(x, *p)], opset=opset)
x, p = floats(2, 3, 4), [floats(3, 4) for _ in range(3)] + [np.abs(floats(3, 4))]
case("batch_normalization_not_spatial", "BatchNormalization", [x] + p,
     [((x - p[2]) / np.sqrt(p[3].astype(np.float64) + 1e-5) * p[0] + p[1]).astype(np.float32)], opset=7, spatial=0)
x, p = floats(4, 3, 5, dtype=np.float64), [floats(3, dtype=np.float64) for _ in range(4)]
m, v = x.mean((0, 2)), x.var((0, 2))
case("batch_normalization_training_double", "BatchNormalization", [x] + p,
     [batch_norm(x, p[0], p[1], m, v, 1e-3), p[2] * 0.8 + m * 0.2, p[3] * 0.8 + v * 0.2], opset=15, training_mode=1,
     momentum=float(np.float32(0.8)), epsilon=float(np.float32(1e-3)), rtol=1e-6, atol=1e-7)

for name, shape in [("1d", (2, 3, 9)), ("3d", (2, 3, 2, 4, 3))]:
    x, s, b = floats(*shape), floats(3), floats(3)
    case(f"instance_normalization_{name}", "InstanceNormalization", [x, s, b], runtime, opset=6, epsilon=1e-3)
x = floats(2, 6, 3, 4)
groups = x.reshape(2, 3, -1).astype(np.float64)
normal = ((groups - groups.mean(2, keepdims=True)) / np.sqrt(groups.var(2, keepdims=True) + 1e-5)).reshape(x.shape)
s, b = floats(3), floats(3)
wide = lambda a: np.repeat(a, 2).reshape(6, 1, 1)
case("group_normalization_opset_18", "GroupNormalization", [x, s, b], [(normal * wide(s) + wide(b)).astype(np.float32)],
     opset=18, num_groups=3)
s, b = floats(6), floats(6)
case("group_normalization_opset_21", "GroupNormalization", [x, s, b],
     [(normal * s.reshape(6, 1, 1) + b.reshape(6, 1, 1)).astype(np.float32)], opset=21, num_groups=3)

x = floats(3, 4, 5)
case("layer_normalization_statistics", "LayerNormalization", [x, floats(4, 5), floats(4, 5)], runtime, opset=17,
     outputs=3, axis=1)
case("layer_normalization_no_bias", "LayerNormalization", [x, floats(5)], runtime, opset=17, epsilon=1e-2)
s, b = floats(4, 1), floats(5)
d = x.astype(np.float64)
normal = (d - d.mean((1, 2), keepdims=True)) / np.sqrt(d.var((1, 2), keepdims=True) + 1e-5)
case("layer_normalization_stretched", "LayerNormalization", [x, s, b], [(normal * s + b).astype(np.float32)], opset=17,
     axis=-2)
d = floats(3, 7, dtype=np.float64)
case("rms_normalization_double", "RMSNormalization", [d, np.ones(7)],
     [d / np.sqrt((d * d).mean(-1, keepdims=True) + float(np.float32(1e-5)))], opset=23, rtol=1e-13, atol=1e-13)
h, s = floats(3, 40, dtype=np.float16), floats(40, dtype=np.float16)
w = h.astype(np.float64)
case("rms_normalization_half", "RMSNormalization", [h, s],
     [(w / np.sqrt((w * w).mean(-1, keepdims=True) + 1e-5) * s).astype(np.float16)], opset=23, rtol=2e-3, atol=1e-3)
case("mean_variance_normalization_axes", "MeanVarianceNormalization", [floats(2, 3, 4)], reference, opset=13,
     axes=[-1, 0], rtol=1e-4)
x = floats(3, 4)
x[1] = 0
sums = np.abs(x).sum(1, keepdims=True)
case("lp_normalization_zero_row", "LpNormalization", [x], [x / np.where(sums == 0, 1, sums)], opset=22, axis=1, p=1)
case("lp_normalization_double", "LpNormalization", [floats(2, 3, 4, dtype=np.float64)], reference, opset=22, axis=0)
x = floats(1, 7, 3, 2)
sums = np.stack([(x[:, max(0, c - 1):c + 3].astype(np.float64) ** 2).sum(1) for c in range(7)], 1)
case("lrn_even_size", "LRN", [x], [(x / (1.5 + 0.5 / 4 * sums) ** 0.6).astype(np.float32)], opset=13, size=4, alpha=0.5,
     beta=0.6, bias=1.5)

# Matrix products

for name, a, b in [
    ("matrix", (5, 7), (7, 9)), ("row", (7,), (7, 9)), ("column", (5, 7), (7,)), ("vectors", (7,), (7,)),
    ("one_row", (1, 150), (150, 9)), ("long", (4, 150), (150, 9)), ("batch_left", (2, 3, 5, 7), (7, 4)),
    ("batch_both", (2, 1, 5, 7), (3, 7, 4)), ("one_matrix", (2, 3, 4), (1, 4, 5)), ("row_of_batch", (4,), (3, 4, 5)),
    ("batch_and_column", (2, 3, 5, 4), (4,)), ("many_small", (3, 10, 3, 4), (3, 10, 4, 2)),
]:
    case(f"matmul_{name}", "MatMul", [floats(*a), floats(*b)], runtime, opset=13, atol=2e-5)
case("matmul_double", "MatMul", [floats(3, 5, dtype=np.float64), floats(5, 4, dtype=np.float64)], runtime,
     opset=13, rtol=1e-13, atol=1e-13)
a, b = floats(3, 9, dtype=np.float16), floats(9, 4, dtype=np.float16)
case("matmul_half", "MatMul", [a, b], [(a.astype(np.float64) @ b).astype(np.float16)], rtol=1e-3, atol=1e-3)
for dtype in (np.int32, np.int64, np.uint32, np.uint64):
    a, b = whole(dtype, 2, 3, 4), whole(dtype, 4, 5)
    with np.errstate(over="ignore"):
        case(f"matmul_{dtype.__name__}", "MatMul", [a, b], [np.matmul(a, b)], opset=13)
case("matmul_nothing_to_sum", "MatMul", [np.zeros((3, 0), np.float32), np.zeros((0, 4), np.float32)],
     [np.zeros((3, 4), np.float32)])
case("matmul_no_rows", "MatMul", [np.zeros((0, 3), np.float32), floats(3, 4)], [np.zeros((0, 4), np.float32)])

a, b = floats(4, 6), floats(6, 5)
for name, c in [("scalar", floats()), ("vector", floats(5)), ("row", floats(1, 5)), ("column", floats(4, 1)),
                ("matrix", floats(4, 5)), ("single", floats(1))]:
    case(f"gemm_{name}", "Gemm", [a, b, c], [0.5 * (a @ b) + 2 * c], alpha=0.5, beta=2.0)
case("gemm_transposed", "Gemm", [floats(6, 4), floats(5, 6), floats(5)], runtime, opset=7, transA=1, transB=1)
case("gemm_one_row", "Gemm", [floats(1, 150), floats(9, 150), floats(9)], runtime, transB=1, atol=2e-5)
case("gemm_double", "Gemm", [a.astype(np.float64), b.astype(np.float64)], runtime, alpha=3.0, rtol=1e-13, atol=1e-13)
i, j, k = whole(np.int32, 3, 4, low=-9, high=9), whole(np.int32, 5, 4, low=-9, high=9), whole(np.int32, 5, low=-9, high=9)
case("gemm_integers", "Gemm", [i, j, k], [2 * (i @ j.T) + 3 * k], alpha=2.0, beta=3.0, transB=1)

for name, equation, shapes in [
    ("transposed_product", "ij,kj->ik", [(3, 4), (5, 4)]), ("implicit", "ba,ac", [(3, 4), (4, 2)]),
    ("trace", "ii->", [(4, 4)]), ("diagonal_of_batch", "bii->ib", [(2, 3, 3)]), ("outer", "i,j->ij", [(3,), (4,)]),
    ("ellipsis", "...ij,...jk->...ik", [(2, 1, 3, 4), (5, 4, 2)]), ("ellipsis_in_front_only", "a...,a->...", [(3, 2, 4), (3,)]),
    ("three", "ij,jk,kl->il", [(2, 3), (3, 4), (4, 5)]), ("summed_before", "ijk,jl->il", [(2, 3, 4), (3, 5)]),
    ("capitals", "Ab,bA->bA", [(3, 4), (4, 3)]), ("repeated", "ij,ij->", [(3, 4), (1, 4)]),
    ("spaces", " b h q d , b h k d -> b h q k ", [(2, 3, 4, 5), (2, 3, 6, 5)]),
]:
    tensors = [floats(*s) for s in shapes]
    case(f"einsum_{name}", "Einsum", tensors, [np.einsum(equation.replace(" ", ""), *tensors)], equation=equation)
i, j = whole(np.int16, 3, 4), whole(np.int16, 4, 2)
with np.errstate(over="ignore"):
    case("einsum_integers", "Einsum", [i, j], [np.einsum("ij,jk->k", i, j)], equation="ij,jk->k", opset=28)

# Sampling

NONE = np.zeros(0, np.float32)


def resize(name, x, scales=None, sizes=None, roi=None, expected=runtime, opset=13, types=None, atol=1e-5, **attributes):
    roi = NONE if roi is None and opset < 13 else roi
    scales = None if scales is None else np.array(scales, np.float32)
    if opset < 13 and scales is None:
        scales = NONE
    inputs = [x, roi, scales] + ([] if sizes is None else [np.array(sizes)])
    while inputs[-1] is None:
        inputs.pop()
    case(f"resize_{name}", "Resize", inputs, expected, opset=opset, types=types, atol=atol, **attributes)


def with_axes(model, axes):
    """The same model with other axes; the reference takes no negative ones."""
    model = onnx.ModelProto.FromString(model.SerializeToString())
    next(a for a in model.graph.node[0].attribute if a.name == "axes").ints[:] = axes
    return model


x = floats(1, 2, 4, 5)
case("resize_opset_10_nearest", "Resize", [x, np.array([1, 1, 1.7, 0.6], np.float32)], runtime, opset=10)
case("resize_opset_10_linear", "Resize", [x, np.array([1, 1, 2, 3], np.float32)], runtime, opset=10, mode="linear")
case("upsample_opset_7", "Upsample", [x], runtime, opset=7, scales=[1.0, 1.0, 2.0, 3.0])
case("upsample_opset_9_linear", "Upsample", [x, np.array([1, 1, 2, 1.5], np.float32)], runtime, opset=9, mode="linear")
resize("opset_11_tf_half_pixel", x, [1, 1, 1.5, 2], opset=11, mode="nearest",
       coordinate_transformation_mode="tf_half_pixel_for_nn", nearest_mode="floor")
for transformation in ("half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners"):
    for mode in ("nearest", "linear", "cubic"):
        resize(f"{mode}_{transformation}", x, sizes=[1, 2, 7, 3], mode=mode,
               coordinate_transformation_mode=transformation, atol=2e-5)
for nearest in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"):
    resize(f"nearest_{nearest}", x, [1, 1, 2, 0.5], coordinate_transformation_mode="asymmetric", nearest_mode=nearest)
resize("scale_whose_product_is_whole", floats(1, 1, 10, 1), [1, 1, 2.3, 1], mode="linear")
resize("1d", floats(6), [2.5], mode="linear", expected=reference)
resize("3d_linear", floats(2, 3, 7), [1, 1, 1.6], mode="linear")
resize("3d_nearest", floats(2, 9, 7), sizes=[2, 9, 12], mode="nearest")
resize("5d_linear", floats(1, 2, 3, 4, 5), sizes=[1, 2, 5, 3, 8], mode="linear", expected=reference, atol=1e-5)
resize("5d_nearest", floats(1, 2, 3, 4, 5), sizes=[1, 2, 5, 3, 8])
resize("channels_too", floats(2, 3, 4, 5), sizes=[3, 5, 6, 4], expected=reference, mode="linear")
resize("cubic_exclude_outside", x, [1, 1, 0.7, 1.8], mode="cubic", exclude_outside=1, cubic_coeff_a=-0.5, atol=2e-5)
resize("linear_exclude_outside", x, [1, 1, 0.7, 1.75], mode="linear", exclude_outside=1, expected=reference)
resize("antialias_one_axis", floats(1, 2, 9, 5), sizes=[1, 2, 4, 8], opset=18, mode="linear", antialias=1,
       expected=reference)
resize("antialias_cubic", floats(1, 1, 11, 10), sizes=[1, 1, 4, 3], opset=18, mode="cubic", antialias=1,
       exclude_outside=1, expected=reference, atol=2e-5)
resize("axes_not_larger", floats(2, 6, 8), sizes=[4, 7], opset=18, axes=[-2, -1], keep_aspect_ratio_policy="not_larger",
       mode="linear", expected=lambda model, inputs: reference(with_axes(model, [1, 2]), inputs))
resize("half_pixel_symmetric", floats(1, 1, 7, 5), [1, 1, 0.7, 1.3], opset=19, mode="linear",
       coordinate_transformation_mode="half_pixel_symmetric", expected=reference)
resize("crop", floats(1, 2, 6, 5), sizes=[1, 2, 4, 3], roi=np.array([0, 0, 0.2, 0.4, 1, 1, 0.7, 1.3], np.float32),
       mode="linear", coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=9.0, expected=reference)
resize("double", floats(1, 1, 4, 5, dtype=np.float64), sizes=[1, 1, 7, 3], mode="linear", expected=reference, atol=1e-12)
resize("int32_nearest", whole(np.int32, 1, 2, 3, 4), [1, 1, 2, 2], expected=reference)
resize("int8_linear", whole(np.int8, 1, 1, 3, 4), [1, 1, 2, 2], mode="linear", expected=reference)
resize("bool_nearest", np.array([[True, False, True]]), [2, 2], expected=lambda m, i: [np.repeat(np.repeat(i[0], 2, 0), 2, 1)])

for mode in ("bilinear", "nearest", "bicubic"):
    for padding in ("zeros", "border", "reflection"):
        for corners in (0, 1):
            grid = rng.uniform(-1.6, 1.6, (1, 3, 4, 2)).astype(np.float32)
            case(f"grid_sample_{mode}_{padding}_{corners}", "GridSample", [floats(1, 2, 5, 4), grid], runtime, opset=16,
                 atol=2e-5, mode=mode, padding_mode=padding, align_corners=corners)
x, grid = floats(1, 2, 3, 4, 5, dtype=np.float64), rng.uniform(-1.5, 1.5, (1, 2, 3, 2, 3))
case("grid_sample_3d_double", "GridSample", [x, grid],
     [torch.nn.functional.grid_sample(tensor(x), tensor(grid), padding_mode="border", align_corners=False).numpy()],
     opset=22, padding_mode="border", rtol=1e-10, atol=1e-10)
x, grid = floats(1, 1, 1, 1), rng.uniform(-3, 3, (1, 2, 2, 2)).astype(np.float32)
case("grid_sample_of_one", "GridSample", [x, grid], [np.full((1, 1, 2, 2), x[0, 0, 0, 0])], opset=16,
     padding_mode="reflection", align_corners=1)
x, grid = whole(np.int64, 1, 1, 3, 3), np.array([[[[-1, -1], [1, 1], [0, 0], [5, 5]]]], np.float32)
case("grid_sample_integers", "GridSample", [x, grid], [np.array([[[[x[0, 0, 0, 0], x[0, 0, 2, 2], x[0, 0, 1, 1], 0]]]])],
     opset=22, mode="nearest", align_corners=1)
for corners in (0, 1):
    theta = floats(2, 2, 3, dtype=np.float64)
    case(f"affine_grid_one_row_{corners}", "AffineGrid", [theta, np.array([2, 3, 1, 4])],
         [torch.nn.functional.affine_grid(tensor(theta), (2, 3, 1, 4), align_corners=bool(corners)).numpy()],
         opset=20, align_corners=corners, rtol=1e-12, atol=1e-12)

# Blocks and boxes

x = whole(np.int8, 2, 12, 2, 3)
case("depth_to_space_int8", "DepthToSpace", [x], [x.reshape(2, 2, 2, 3, 2, 3).transpose(0, 3, 4, 1, 5, 2).reshape(2, 3, 4, 6)],
     opset=13, blocksize=2)
case("depth_to_space_opset_1", "DepthToSpace", [floats(1, 8, 2, 2)], runtime, opset=1, blocksize=2)
case("depth_to_space_crd_double", "DepthToSpace", [floats(1, 9, 2, 1, dtype=np.float64)], runtime, opset=11, blocksize=3, mode="CRD")
case("space_to_depth_bool", "SpaceToDepth", [rng.random((1, 2, 4, 6)) > 0.5], reference, opset=13, blocksize=2)
texts = np.array([f"t{i}" for i in range(8)], dtype=object).reshape(1, 4, 1, 2)
case("depth_to_space_texts", "DepthToSpace", [texts],
     [texts.reshape(1, 2, 2, 1, 1, 2).transpose(0, 3, 4, 1, 5, 2).reshape(1, 1, 2, 4)], opset=13, blocksize=2)

boxes = np.concatenate([rng.uniform(0, 8, (2, 30, 2)), rng.uniform(0.5, 4, (2, 30, 2))], 2).astype(np.float16).astype(np.float32)
scores = rng.random((2, 2, 30)).astype(np.float16).astype(np.float32)
scores[0, 0, 5:9] = 0.5
limits = [np.array(12), np.array(0.3, np.float32), np.array(0.25, np.float32)]
case("non_max_suppression_centres", "NonMaxSuppression", [boxes, scores] + limits, runtime, opset=11, types=[7],
     center_point_box=1)
case("non_max_suppression_corners_opset_10", "NonMaxSuppression", [boxes, scores, np.array([12])], runtime, opset=10, types=[7])
case("non_max_suppression_of_nothing", "NonMaxSuppression", [boxes, scores], [np.zeros((0, 3), np.int64)], opset=11)

# On maps that a convolution leaves channel-blocked

# 20 channels leave the last block of 16 partly filled.
for channels in (16, 20):
    blocked(f"blocked_average_pool_{channels}", "AveragePool", [], channels, (5, 4), kernel_shape=[3, 2], pads=[1, 0, 0, 1])
    blocked(f"blocked_batch_normalization_{channels}", "BatchNormalization",
            [floats(channels), floats(channels), floats(channels), np.abs(floats(channels))], channels, (3, 4))
blocked("blocked_max_pool", "MaxPool", [], 20, (7, 6), kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
blocked("blocked_resize", "Resize", [None, np.array([1, 1, 2, 2], np.float32)], 20, (3, 2))
blocked("blocked_resize_linear", "Resize", [None, np.array([1, 1, 1.5, 2], np.float32)], 20, (4, 2), mode="linear")
blocked("blocked_global_average_pool", "GlobalAveragePool", [], 20, (5, 4))
blocked("blocked_global_max_pool", "GlobalMaxPool", [], 20, (5, 4))
blocked("blocked_conv_transpose", "ConvTranspose", [floats(20, 3, 2, 2)], 20, (4, 3), strides=[2, 2])
blocked("blocked_instance_normalization", "InstanceNormalization", [floats(20), floats(20)], 20, (3, 2))
blocked("blocked_matmul", "MatMul", [floats(3, 6)], 20, (2, 3))
blocked("blocked_conv", "Conv", [floats(8, 20, 3, 3), floats(8)], 20, (6, 7), auto_pad="SAME_UPPER", strides=[2, 2])

cases.write()
