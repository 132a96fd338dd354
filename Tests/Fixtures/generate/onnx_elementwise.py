"""Elementwise operators, reductions, casts, spectra and losses: what the standard's node tests do not cover.

Other element types, odd shapes, empty tensors, negative axes, operator sets from 6 on.
"""

import ml_dtypes
import numpy as np
import onnxruntime  # noqa: F401  (fails early where it is missing)
import torch
from onnx import TensorProto

from onnx_cases import Cases, one_node, reference, runtime

cases = Cases("elementwise")
rng = np.random.default_rng(7)
BF16 = ml_dtypes.bfloat16


def floats(*shape, scale=2.0, dtype=np.float32):
    return (rng.standard_normal(shape) * scale).astype(dtype)


def whole(dtype, *shape, low=None, high=None):
    info = np.iinfo(dtype)
    return rng.integers(low if low is not None else info.min, (high if high is not None else info.max), shape, dtype=dtype, endpoint=True)


def kind(array):
    from onnx import helper

    return helper.np_dtype_to_tensor_dtype(np.asarray(array).dtype)


def case(name, op, inputs, expected, opset=21, attributes=None, domain="", **tolerance):
    """One node whose outputs are `expected`: arrays, or a function of the model."""
    if not callable(expected):
        expected = [np.asarray(e) for e in expected]
        types = [kind(e) for e in expected]
    else:
        types = None
    model = one_node(op, inputs, len(types) if types else 1, opset, domain, types=types, **(attributes or {}))
    cases.add(name, model, inputs, expected, **tolerance)


def typed(name, op, inputs, expected, type, opset=21, attributes=None, **tolerance):
    """One node with one output of `type`, computed by a function of the model."""
    model = one_node(op, inputs, 1, opset, types=[type], **(attributes or {}))
    cases.add(name, model, inputs, expected, **tolerance)


INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]

# Arithmetic wraps around, over every type and each way to broadcast.
SHAPES = [((3, 4), (3, 4)), ((2, 3, 4), ()), ((1,), (5,)), ((2, 3, 4), (3, 1)), ((4, 1, 3), (2, 1)), ((0, 3), (1, 3)), ((2, 1, 3, 1), (5, 1, 7))]
for index, dtype in enumerate(INTEGERS):
    a_shape, b_shape = SHAPES[index % len(SHAPES)]
    a, b = whole(dtype, *a_shape), whole(dtype, *b_shape)
    with np.errstate(over="ignore"):
        case(f"add_{dtype.__name__}", "Add", [a, b], [a + b])
        if index % 2:
            case(f"sub_{dtype.__name__}", "Sub", [b, a], [b - a])
        else:
            case(f"mul_{dtype.__name__}", "Mul", [a, b], [a * b])
    small = whole(dtype, *b_shape, low=1, high=9)
    signed = np.issubdtype(dtype, np.signedinteger)
    divisor = (small * np.where(rng.random(small.shape) < 0.5, -1, 1)).astype(dtype) if signed else small
    # Towards zero, in wider numbers than any type.
    exact = np.vectorize(lambda x, y: abs(int(x)) // abs(int(y)) * (1 if (int(x) < 0) == (int(y) < 0) else -1), otypes=[object])
    quotient = exact(a, divisor) if a.size else np.zeros(np.broadcast_shapes(a.shape, divisor.shape))
    case(f"div_{dtype.__name__}", "Div", [a, divisor], [np.asarray(quotient).astype(dtype)])
    if signed:
        case(f"mod_{dtype.__name__}", "Mod", [a, divisor], [np.mod(a, divisor)])
    if index == 2:
        case(f"fmod_{dtype.__name__}", "Mod", [a, divisor], [np.fmod(a, divisor)], attributes={"fmod": 1})
    if index % 2 == 0:
        case(f"max_{dtype.__name__}", "Max", [a, b, small], [np.maximum(np.maximum(a, b), small)])
    tests = {"Less": np.less, "GreaterOrEqual": np.greater_equal, "Equal": np.equal, "Greater": np.greater, "LessOrEqual": np.less_equal}
    op = list(tests)[index % len(tests)]
    case(f"{op.lower()}_{dtype.__name__}", op, [a, small], [tests[op](a, small)])
    op, function = [("Sign", np.sign), ("Abs", np.abs), ("Min", None)][index % 3]
    with np.errstate(over="ignore"):
        if function:
            case(f"{op.lower()}_{dtype.__name__}", op, [a], [function(a)])
        else:
            case(f"min_{dtype.__name__}", "Min", [a, b], [np.minimum(a, b)])
    if index % 2:
        case(f"clip_{dtype.__name__}", "Clip", [a, np.array(1, dtype), np.array(9, dtype)], [np.clip(a, 1, 9).astype(dtype)])
    if index % 2 == 0:
        case(f"cumsum_{dtype.__name__}", "CumSum", [whole(dtype, 2, 5, low=0, high=9), np.array(-1, np.int32)], reference, attributes={"reverse": 1, "exclusive": 1})
    x = whole(dtype, 3, 4, 5, low=0, high=9)
    if index % 2:
        case(f"argmax_{dtype.__name__}", "ArgMax", [x], [np.argmax(x, 1)], attributes={"axis": -2, "keepdims": 0})

case("div_by_zero_int32", "Div", [np.array([7, -7, 0, -(2**31)], np.int32), np.array([0, 0, 0, -1], np.int32)], [np.array([0, 0, 0, -(2**31)], np.int32)])
case("mod_by_zero_int8", "Mod", [np.array([7, -128, 5], np.int8), np.array([0, -1, -3], np.int8)], [np.array([0, 0, -1], np.int8)])

# What is special to floor modulo of floating-point numbers.
inf, nan = np.inf, np.nan
a = np.array([0.0, -0.0, 5.5, -5.5, 5.5, -5.5, inf, 3, -3, 3, nan], np.float32)
b = np.array([-2.0, 2.0, 2.0, 2.0, -2.0, -2.0, 2.0, inf, inf, -inf, 2.0], np.float32)
expected = np.array([-0.0, 0.0, 1.5, 0.5, -0.5, -1.5, nan, 3, inf, -inf, nan], np.float32)
case("mod_special", "Mod", [a, b], [expected], opset=28)
case("mod_float64", "Mod", [a.astype(np.float64), b.astype(np.float64)], [expected.astype(np.float64)], opset=28)
case("fmod_float32", "Mod", [a, b], [np.fmod(a, b)], attributes={"fmod": 1})

# Sixteen bits: once widened, once rounded.
for dtype, label in ((np.float16, "half"), (BF16, "brain")):
    a, b = floats(3, 4).astype(dtype), floats(4).astype(dtype)
    wide, other = a.astype(np.float32), b.astype(np.float32)
    tolerance = {"rtol": 1e-7, "atol": 0}
    case(f"add_{label}", "Add", [a, b], [(wide + other).astype(dtype)], **tolerance)
    case(f"sum_{label}", "Sum", [a, b, b], [(wide + other + other).astype(dtype)], **tolerance)
    case(f"max_{label}", "Max", [a, b], [np.maximum(wide, other).astype(dtype)], **tolerance)
    case(f"clip_{label}", "Clip", [a, np.array(-0.5, dtype), np.array(1.5, dtype)], [np.clip(wide, -0.5, 1.5).astype(dtype)], **tolerance)
    case(f"where_{label}", "Where", [wide > 0, a, b], [np.where(wide > 0, wide, other).astype(dtype)], **tolerance)
    case(f"reduce_max_{label}", "ReduceMax", [a], [wide.max(keepdims=True).astype(dtype)], **tolerance)
    case(f"cast_to_{label}", "Cast", [floats(7, dtype=np.float64)], lambda m, i, d=dtype: [i[0].astype(np.float32).astype(d)], attributes={"to": kind(np.zeros(1, dtype))})

# Two types meet: a power keeps the type of its base.
base = np.array([[2, -3, 7], [1, -1, 0]], np.int64)
case("pow_int64_int32", "Pow", [base, np.array([3, 5, 2], np.int32)], [base ** np.array([3, 5, 2])])
case("pow_int32_negative", "Pow", [base.astype(np.int32), np.array([[-1], [-3]], np.int64)], [np.array([[0, 0, 0], [1, -1, 0]], np.int32)])
case("pow_int32_float", "Pow", [np.array([1, 4, 9], np.int32), np.array([0.5], np.float32)], [np.array([1, 2, 3], np.int32)])
case("pow_float_int64", "Pow", [floats(2, 3), np.array([2, 3, 0], np.int64)], runtime)
case("pow_scalar_three", "Pow", [floats(33), np.array(3, np.float32)], runtime)
case("pow_scalar_half", "Pow", [np.array([4, 2, 0.0, -0.0, inf, -inf, nan, -4], np.float32), np.array(0.5, np.float32)], [np.array([2, np.sqrt(np.float32(2)), 0, 0, inf, inf, nan, nan], np.float32)])
case("pow_float16_float32", "Pow", [np.array([1.5, 2], np.float16), np.array([2, 0.5], np.float32)], [np.array([2.25, 2**0.5], np.float16)])

# Old operator sets.
a = floats(2, 3, 4, 5)
case("add_opset6_axis", "Add", [a, (b := floats(3, 4))], [a + b[:, :, None]], opset=6, attributes={"broadcast": 1, "axis": 1})
case("mul_opset6_axis", "Mul", [a, (b := floats(3))], [a * b[:, None, None]], opset=6, attributes={"broadcast": 1, "axis": -3})
case("pow_opset6", "Pow", [np.abs(a), (b := floats(5))], [np.abs(a) ** b], opset=6, attributes={"broadcast": 1}, rtol=1e-4)
case("less_opset6_axis", "Less", [a, (b := floats(2))], [a < b[:, None, None, None]], opset=6, attributes={"broadcast": 1, "axis": 0})
case("prelu_opset6", "PRelu", [a, (b := floats(3))], [np.where(a < 0, a * b[:, None, None], a)], opset=6)
case("clip_opset6", "Clip", [a], [np.clip(a, -1, 0.5)], opset=6, attributes={"min": -1.0, "max": 0.5})
case("clip_opset6_max", "Clip", [a], [np.minimum(a, 0.5)], opset=6, attributes={"max": 0.5})
case("dropout_opset7", "Dropout", [a], [a, np.ones_like(a)], opset=7, attributes={"ratio": 0.3})
case("dropout_opset10", "Dropout", [a], [a, np.ones(a.shape, bool)], opset=10)
t = torch.from_numpy(a)
for axis, rows in ((0, 1), (1, 2), (3, 24), (-2, 6)):
    flat = t.reshape(rows, -1)
    label = str(axis).replace("-", "m")
    case(f"softmax_opset11_axis_{label}", "Softmax", [a], [flat.softmax(1).reshape(a.shape).numpy()], opset=11, attributes={"axis": axis})
    if axis > 0:
        case(f"log_softmax_opset11_axis_{label}", "LogSoftmax", [a], [flat.log_softmax(1).reshape(a.shape).numpy()], opset=11, attributes={"axis": axis})
    hard = torch.nn.functional.one_hot(flat.argmax(1), flat.shape[1]).float().reshape(a.shape).numpy()
    case(f"hardmax_opset11_axis_{label}", "Hardmax", [a], [hard], opset=11, attributes={"axis": axis})
case("softmax_default_axis", "Softmax", [a], [t.softmax(3).numpy()])
case("softmax_opset12_default_axis", "Softmax", [a[0]], [t[0].reshape(3, -1).softmax(1).reshape(3, 4, 5).numpy()], opset=12)
case("softmax_empty", "Softmax", [np.zeros((2, 0), np.float32)], [np.zeros((2, 0), np.float32)])
case("hardmax_ties", "Hardmax", [np.array([[1, 3, 3], [2, 2, 1]], np.float32)], [np.array([[0, 1, 0], [1, 0, 0]], np.float32)])

# NaN and infinities.
x = np.array([nan, -inf, inf, -0.0, 1, -1], np.float32)
y = np.array([1, 2, nan, 0.0, nan, 3], np.float32)
case("max_nan", "Max", [x, y], [np.maximum(x, y)])
case("min_nan", "Min", [x, y], [np.minimum(x, y)])
case("equal_nan", "Equal", [x, x], [x == x])
case("clip_min_above_max", "Clip", [floats(5), np.array(2, np.float32), np.array(-1, np.float32)], [np.full(5, -1, np.float32)])
case("clip_only_max", "Clip", [x, None, np.array(0.5, np.float32)], [np.minimum(x, np.float32(0.5))])
case("isinf_float64_negative", "IsInf", [x.astype(np.float64)], [np.isneginf(x)], attributes={"detect_positive": 0})
case("isnan_float16", "IsNaN", [x.astype(np.float16)], [np.isnan(x)])
case("sign_float", "Sign", [x], [np.sign(x)])
case("where_broadcast_three", "Where", [rng.random((2, 1, 4)) < 0.5, (p := floats(3, 1)), (q := floats(1))], lambda m, i: [np.where(*i)])
case("where_int16", "Where", [np.array([True, False]), whole(np.int16, 3, 2), whole(np.int16, 3, 1)], lambda m, i: [np.where(*i)])
case("where_bool", "Where", [np.array([True, False, True]), np.array([True]), np.array([False, False, True])], [np.array([True, False, True])])
case("where_empty", "Where", [np.zeros((0, 1), bool), floats(1, 3), floats(3)], [np.zeros((0, 3), np.float32)])
strings = np.array([["ab", "", "ünï"]], dtype=object)
model = one_node("Where", [np.array([[True], [False]]), strings, np.array(["x", "y", "z"], dtype=object)], 1, 21, types=[TensorProto.STRING])
cases.add("where_strings", model, [np.array([[True], [False]]), strings, np.array(["x", "y", "z"], dtype=object)], [np.array([["ab", "", "ünï"], ["x", "y", "z"]], dtype=object)])

# Activations in double precision and with unusual parameters, against PyTorch.
d = torch.linspace(-9, 9, 61, dtype=torch.float64)
n = d.numpy()
F = torch.nn.functional
ACTIVATIONS = {
    "Elu": (F.elu(d, 0.7), {"alpha": 0.7}), "Selu": (F.selu(d), {}), "Celu": (F.celu(d, 1.5), {"alpha": 1.5}),
    "Mish": (F.mish(d), {}), "Softplus": (F.softplus(d, threshold=1e9), {}), "Softsign": (F.softsign(d), {}),
    "Sigmoid": (torch.sigmoid(d), {}), "Tanh": (torch.tanh(d), {}), "HardSwish": (F.hardswish(d), {}),
    "HardSigmoid": (torch.clamp(d * 0.3 + 0.4, 0, 1), {"alpha": 0.3, "beta": 0.4}), "Erf": (torch.erf(d), {}),
    "Gelu": (F.gelu(d), {}), "Swish": (d * torch.sigmoid(0.5 * d), {"alpha": 0.5}),
    "ThresholdedRelu": (F.threshold(d, 1.25, 0.0), {"alpha": 1.25}),
    "Shrink": (torch.where(d < -1.5, d + 0.5, torch.where(d > 1.5, d - 0.5, 0.0)), {"lambd": 1.5, "bias": 0.5}),
    "LeakyRelu": (F.leaky_relu(d, 0.25), {"alpha": 0.25}),
}
for op, (expected, attributes) in ACTIVATIONS.items():
    name = op.lower()
    opset = 28 if op == "Celu" else 24 if op == "Swish" else 22
    # The attributes are rounded to float32 in the file.
    case(f"{name}_float64", op, [n], [expected.numpy()], opset=opset, attributes=attributes, rtol=1e-6, atol=1e-7)
case("shrink_int32", "Shrink", [np.arange(-4, 5, dtype=np.int32)], [np.array([-2, -1, 0, 0, 0, 0, 0, 1, 2], np.int32)], attributes={"lambd": 2.0, "bias": 2.0})
case("relu_int8", "Relu", [np.array([-128, -1, 0, 127], np.int8)], [np.array([0, 0, 0, 127], np.int8)])
case("prelu_channels", "PRelu", [(a := floats(2, 16, 3, 3)), (b := floats(16, 1, 1))], [np.where(a < 0, a * b, a)])
case("prelu_int64", "PRelu", [(a := whole(np.int64, 2, 3, low=-9, high=9)), (b := whole(np.int64, 3, low=-9, high=9))], [np.where(a < 0, a * b, a)])
x = floats(3, 8)
for op in ("Gelu", "FastGelu", "QuickGelu"):
    case(f"microsoft_{op.lower()}", op, [x], runtime, domain="com.microsoft")
case("microsoft_fastgelu_bias", "FastGelu", [x, floats(8)], runtime, domain="com.microsoft")
case("microsoft_biasgelu", "BiasGelu", [x, floats(8)], runtime, domain="com.microsoft")
UNARY = {
    "Sin": np.sin, "Cos": np.cos, "Tan": np.tan, "Atan": np.arctan, "Sinh": np.sinh, "Cosh": np.cosh, "Asinh": np.arcsinh,
    "Exp": np.exp, "Round": np.round,
}
m = np.concatenate([n + 0.5 * (n == 0), [1e3, -4.5, 2.5]])
for op, function in UNARY.items():
    case(f"{op.lower()}_float64", op, [m[:-3] if op in ("Sinh", "Cosh", "Exp") else m], lambda _, i, f=function: [f(i[0])], opset=22, rtol=1e-13, atol=0)
for op, function in {"Asin": np.arcsin, "Acos": np.arccos, "Atanh": np.arctanh}.items():
    case(f"{op.lower()}_float64", op, [n / 9.5], [function(n / 9.5)], opset=22, rtol=1e-13, atol=0)
for op, function in {"Acosh": np.arccosh, "Sqrt": np.sqrt, "Log": np.log}.items():
    case(f"{op.lower()}_float64", op, [np.abs(n) + 1], [function(np.abs(n) + 1)], opset=22, rtol=1e-13, atol=0)
for op, function in {"Sin": np.sin, "Cos": np.cos}.items():
    x = np.concatenate([np.linspace(-40, 40, 101), [1e4, 1e6, 3e7, -3e7, 1e-20]]).astype(np.float32)
    case(f"{op.lower()}_large", op, [x], [function(x.astype(np.float64)).astype(np.float32)], rtol=1e-6, atol=2e-7)

# Bits.
a, b = whole(np.int16, 2, 3), whole(np.int16, 3)
case("bitwise_and_int16", "BitwiseAnd", [a, b], [a & b])
case("bitwise_xor_uint64", "BitwiseXor", [(a := whole(np.uint64, 4)), (b := whole(np.uint64, 4))], [a ^ b])
case("bitwise_not_int8", "BitwiseNot", [(a := whole(np.int8, 5))], [~a])
x, places = np.array([-8, 8, -8, 8, -1, 5], np.int32), np.array([1, 1, 32, 40, -1, -2], np.int32)
case("shift_right_int32", "BitShift", [x, places], [np.array([-4, 4, -1, 0, -1, 0], np.int32)], opset=28, attributes={"direction": "RIGHT"})
case("shift_left_int32", "BitShift", [x, places], [np.array([-16, 16, 0, 0, 0, 0], np.int32)], opset=28, attributes={"direction": "LEFT"})

# Reductions.
REDUCTIONS = {
    "ReduceSum": lambda x, a: x.sum(a, keepdims=True), "ReduceMean": lambda x, a: x.mean(a, keepdims=True),
    "ReduceProd": lambda x, a: x.prod(a, keepdims=True), "ReduceMax": lambda x, a: x.max(a, keepdims=True),
    "ReduceMin": lambda x, a: x.min(a, keepdims=True), "ReduceL1": lambda x, a: np.abs(x).sum(a, keepdims=True),
    "ReduceL2": lambda x, a: np.sqrt((x * x).sum(a, keepdims=True)), "ReduceSumSquare": lambda x, a: (x * x).sum(a, keepdims=True),
    "ReduceLogSum": lambda x, a: np.log(x.sum(a, keepdims=True)), "ReduceLogSumExp": lambda x, a: np.log(np.exp(x).sum(a, keepdims=True)),
}
for index, (op, function) in enumerate(REDUCTIONS.items()):
    name = op.lower()
    x = np.abs(floats(3, 1, 4, 5, dtype=np.float64)) + 0.1
    old = {"axes": [-1, 0], "keepdims": 1}
    if index % 2 == 0:
        case(f"{name}_opset7_axes", op, [x.astype(np.float32)], [function(x, (0, 3)).astype(np.float32)], opset=7, attributes=old)
    case(f"{name}_opset13_float64", op, [x, np.array([2], np.int64)] if op == "ReduceSum" else [x], [function(x, 2)[:, :, 0]], opset=13, attributes={"keepdims": 0} if op == "ReduceSum" else {"axes": [2], "keepdims": 0}, rtol=1e-12)
    if op in ("ReduceSum", "ReduceL2", "ReduceLogSumExp"):
        case(f"{name}_noop", op, [x, np.array([], np.int64)], [function(x[None], 0)[0]], opset=18, attributes={"noop_with_empty_axes": 1}, rtol=1e-12)
    if op in ("ReduceMean", "ReduceMax", "ReduceL1"):
        case(f"{name}_scalar", op, [np.array(2.5, np.float32)], [function(np.array([2.5], np.float32), None).reshape(())], opset=18)
    i = whole(np.int32, 4, 3, low=1, high=6)
    if op not in ("ReduceMean", "ReduceLogSum", "ReduceLogSumExp", "ReduceL2"):
        case(f"{name}_int32", op, [i, np.array([0], np.int64)], [function(i, 0).astype(np.int32)], opset=18)
    if op in ("ReduceMax", "ReduceSumSquare"):
        case(f"{name}_uint64", op, [i.astype(np.uint64), np.array([1], np.int64)], [function(i, 1).astype(np.uint64)], opset=18)
case("reducemean_int32", "ReduceMean", [np.array([[7, 8], [-7, -8]], np.int32), np.array([1], np.int64)], [np.array([[7], [-7]], np.int32)], opset=18)
case("reducemax_empty_int8", "ReduceMax", [np.zeros((2, 0), np.int8), np.array([1], np.int64)], [np.full((2, 1), -128, np.int8)], opset=20)
case("reducemin_empty_float", "ReduceMin", [np.zeros((2, 0), np.float32), np.array([1], np.int64)], [np.full((2, 1), inf, np.float32)], opset=20)
case("reducemax_bool_empty", "ReduceMax", [np.zeros((2, 0), bool), np.array([1], np.int64)], [np.zeros((2, 1), bool)], opset=20)
case("reducemin_bool_empty", "ReduceMin", [np.zeros((2, 0), bool), np.array([1], np.int64)], [np.ones((2, 1), bool)], opset=20)
case("reduceprod_empty_int64", "ReduceProd", [np.zeros((0, 3), np.int64), np.array([0], np.int64)], [np.ones((1, 3), np.int64)], opset=18)
x = np.array([[1, 5, 5, 2], [3, 0, 3, 3]], np.float32)
case("argmax_last", "ArgMax", [x], [np.array([[2], [3]])], attributes={"axis": 1, "select_last_index": 1})
case("argmin_last_int32", "ArgMin", [np.array([[1, 1, 2], [0, 3, 0]], np.int32)], [np.array([1, 2])], attributes={"axis": 1, "keepdims": 0, "select_last_index": 1})
case("argmax_first_uint8", "ArgMax", [x.astype(np.uint8)], [np.array([1, 0])], attributes={"axis": 1, "keepdims": 0})
case("argmax_nan", "ArgMax", [np.array([1, nan, 9, nan], np.float32)], [np.array([1])])
case("cumsum_float16_axis0", "CumSum", [(x := floats(5, 3).astype(np.float16)), np.array(0, np.int64)], [x.astype(np.float64).cumsum(0).astype(np.float16)], rtol=1e-3)
x = floats(2, 3, 4, dtype=np.float64)
for reverse in (0, 1):
    for exclusive in (0, 1):
        case(f"cumsum_middle_{reverse}{exclusive}", "CumSum", [x, np.array(1, np.int32)], reference, attributes={"reverse": reverse, "exclusive": exclusive})
case("cumprod_negative_axis", "CumProd", [x, np.array(-3, np.int32)], [x.cumprod(0)], opset=26)

# Matrices.
x = floats(3, 2, 5, 5, dtype=np.float64)
case("det_float64", "Det", [x], [np.linalg.det(x)], opset=22, rtol=1e-10)
case("det_singular", "Det", [np.ones((1, 3, 3), np.float32)], [np.zeros(1, np.float32)], opset=22)
case("det_empty_batch", "Det", [np.zeros((0, 2, 2), np.float32)], [np.zeros(0, np.float32)], opset=22)
case("det_of_nothing", "Det", [np.zeros((2, 0, 0), np.float32)], [np.ones(2, np.float32)], opset=22)
case("eyelike_uint8", "EyeLike", [whole(np.int32, 3, 5)], [np.eye(3, 5, 2, np.uint8)], attributes={"k": 2, "dtype": TensorProto.UINT8})
case("eyelike_far", "EyeLike", [floats(2, 3)], [np.zeros((2, 3), np.float32)], attributes={"k": -9223372036854775808})
x = whole(np.int16, 2, 3, 4)
case("tril_int16", "Trilu", [x, np.array(-1, np.int64)], [np.tril(x, -1)], attributes={"upper": 0})
case("triu_far", "Trilu", [x, np.array(9223372036854775807, np.int64)], [np.zeros_like(x)])
case("tril_far", "Trilu", [x, np.array(9223372036854775807, np.int64)], [x], attributes={"upper": 0})

# Spectra: lengths that are powers of two, primes, products; cut and filled up.
for length in (1, 7, 8):
    x = floats(2, length, 3, 2, dtype=np.float64)
    z = x[..., 0] + 1j * x[..., 1]
    forward = np.fft.fft(z, axis=1)
    case(f"dft_{length}", "DFT", [x], [np.stack([forward.real, forward.imag], -1)], opset=17, rtol=1e-11, atol=1e-11)
    inverse = np.fft.ifft(z, axis=1)
    case(f"idft_{length}", "DFT", [x, None, np.array(1, np.int64)], [np.stack([inverse.real, inverse.imag], -1)], opset=20, attributes={"inverse": 1}, rtol=1e-11, atol=1e-11)
    half = np.fft.rfft(x[..., 0], axis=1)
    case(f"rdft_{length}", "DFT", [x[..., :1]], [np.stack([half.real, half.imag], -1)], opset=17, attributes={"onesided": 1}, rtol=1e-11, atol=1e-11)
    back = np.fft.irfft(half, n=length, axis=1)
    case(f"irdft_{length}", "DFT", [np.stack([half.real, half.imag], -1), np.array(length, np.int64), np.array(-3, np.int64)], [back[..., None]], opset=20, attributes={"onesided": 1, "inverse": 1}, rtol=1e-11, atol=1e-11)
x = floats(2, 10, 1)
for length in (7, 16):
    y = np.fft.fft(x[..., 0], n=length, axis=1)
    case(f"dft_length_{length}", "DFT", [x, np.array(length, np.int32)], [np.stack([y.real, y.imag], -1).astype(np.float32)], opset=20)
signal = floats(2, 50, 1, dtype=np.float64)
window = torch.hann_window(12, dtype=torch.float64)
y = torch.stft(torch.from_numpy(signal[..., 0]), 12, 5, window=window, center=False, return_complex=True).transpose(1, 2)
case("stft_float64", "STFT", [signal, np.array(5, np.int64), window.numpy(), np.array(12, np.int64)], [torch.view_as_real(y).numpy()], opset=17, rtol=1e-11, atol=1e-11)
y = torch.stft(torch.from_numpy(signal[..., 0]), 12, 5, window=window, center=False, return_complex=True, onesided=False).transpose(1, 2)
case("stft_two_sided", "STFT", [signal, np.array(5, np.int64), window.numpy()], [torch.view_as_real(y).numpy()], opset=17, attributes={"onesided": 0}, rtol=1e-11, atol=1e-11)
for op, function in {"HannWindow": torch.hann_window, "BlackmanWindow": torch.blackman_window}.items():
    for periodic in (op == "HannWindow",):
        case(f"{op.lower()}_{int(periodic)}", op, [np.array(9, np.int32)], [function(9, periodic=bool(periodic), dtype=torch.float64).numpy()], opset=17, attributes={"periodic": int(periodic), "output_datatype": TensorProto.DOUBLE}, rtol=1e-12, atol=1e-12)
mel = [np.array(8, np.int64), np.array(64, np.int64), np.array(16000, np.int64), np.array(20, np.float32), np.array(7600, np.float32)]
typed("mel_weights", "MelWeightMatrix", mel, reference, TensorProto.FLOAT, 17)

# Losses, against PyTorch.
scores, labels, weights = floats(4, 5, 2, 3), whole(np.int64, 4, 2, 3, low=0, high=4), np.abs(floats(5)) + 0.1
labels[0, 0, 0] = 2
tensors = (torch.from_numpy(scores), torch.from_numpy(labels))
for reduction in ("none", "mean"):
    options = {"weight": torch.from_numpy(weights), "ignore_index": 2, "reduction": reduction}
    attributes = {"reduction": reduction, "ignore_index": 2}
    case(f"nll_{reduction}", "NegativeLogLikelihoodLoss", [scores, labels, weights], [F.nll_loss(*tensors, **options).numpy()], opset=22, attributes=attributes)
    expected = [F.cross_entropy(*tensors, **options).numpy(), F.log_softmax(tensors[0], 1).numpy()]
    case(f"cross_entropy_{reduction}", "SoftmaxCrossEntropyLoss", [scores, labels.astype(np.int32), weights], expected, opset=13, attributes=attributes)
case("nll_plain_float64", "NegativeLogLikelihoodLoss", [scores[:, :, 0, 0].astype(np.float64), labels[:, 0, 0]], [F.nll_loss(tensors[0][:, :, 0, 0].double(), tensors[1][:, 0, 0]).numpy()], opset=22)

# Casts.
# Between 10^6 and 10^16 versions of NumPy differ in when they write float32 with an exponent.
x = np.array([0, 0.1, -2.5, 1e-5, 1234.5, 1e16, 3.4e38, 2e-4, -1e-7, nan, inf, -inf], np.float32)
case("cast_float_to_string", "Cast", [x], [x.astype(str).astype(object)], attributes={"to": TensorProto.STRING})
x = np.array([0.1, -2.5e-5, 1e22, 12345678.9, 2 / 3, 1e-4, 9007199254740993, -0.0], np.float64)
case("cast_double_to_string", "Cast", [x], [x.astype(str).astype(object)], attributes={"to": TensorProto.STRING})
case("cast_int64_to_string", "Cast", [np.array([-5, 2**62], np.int64)], [np.array(["-5", str(2**62)], dtype=object)], attributes={"to": TensorProto.STRING})
case("cast_bool_to_string", "Cast", [np.array([True, False])], [np.array(["True", "False"], dtype=object)], attributes={"to": TensorProto.STRING})
texts = np.array(["3.14", "1e-5", "1E8", "+INF", "INF", "-inf", "NaN", " 7 ", "-0.5"], dtype=object)
numbers = np.array([3.14, 1e-5, 1e8, inf, inf, -inf, nan, 7, -0.5])
case("cast_string_to_float", "Cast", [texts], [numbers.astype(np.float32)], attributes={"to": TensorProto.FLOAT}, rtol=0, atol=0)
case("cast_string_to_double", "Cast", [texts], [numbers], attributes={"to": TensorProto.DOUBLE}, rtol=0, atol=0)
case("cast_string_to_int64", "Cast", [np.array(["-12", "9007199254740993"], dtype=object)], [np.array([-12, 9007199254740993])], attributes={"to": TensorProto.INT64})
case("cast_string_to_uint64", "Cast", [np.array([str(2**64 - 1)], dtype=object)], [np.array([2**64 - 1], np.uint64)], attributes={"to": TensorProto.UINT64})
case("cast_string_fraction_to_int32", "Cast", [np.array(["100.5", "-3.9"], dtype=object)], [np.array([100, -3], np.int32)], attributes={"to": TensorProto.INT32})
case("cast_int16_to_int8", "Cast", [np.array([200, -129, 127], np.int16)], [np.array([-56, 127, 127], np.int8)], attributes={"to": TensorProto.INT8})
case("cast_float_to_bool", "Cast", [np.array([0, -0.0, 0.1, nan, inf], np.float32)], [np.array([False, False, True, True, True])], attributes={"to": TensorProto.BOOL})
case("cast_float_to_int32", "Cast", [np.array([2.9, -2.9, 0.5], np.float32)], [np.array([2, -2, 0], np.int32)], attributes={"to": TensorProto.INT32})
case("cast_uint64_to_float", "Cast", [np.array([2**64 - 1, 3], np.uint64)], [np.array([2**64, 3], np.float32)], attributes={"to": TensorProto.FLOAT})
case("cast_empty", "Cast", [np.zeros((2, 0), np.float32)], [np.zeros((2, 0), np.int64)], attributes={"to": TensorProto.INT64})
case("bitcast_float16_to_int16", "BitCast", [(x := floats(3).astype(np.float16))], [x.view(np.int16)], opset=26, attributes={"to": TensorProto.INT16})

cases.write()
