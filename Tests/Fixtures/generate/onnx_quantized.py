"""Cases for quantised operators, those of ONNX Runtime included: Tests/Fixtures/onnx/quantized.zip.

    python Tests/Fixtures/generate/onnx_quantized.py

Expected outputs are ONNX Runtime's where it has the operator with these inputs, otherwise those of the standard's
reference implementation or of NumPy. Inputs are generated from fixed seeds.
"""

import ml_dtypes
import numpy as np
from onnx import TensorProto, helper, numpy_helper

from onnx_cases import Cases, one_node, reference, runtime, value_info

cases = Cases("quantized")
MICROSOFT = "com.microsoft"
F32, F64, F16, I32, I64 = np.float32, np.float64, np.float16, np.int32, np.int64


class Random:
    def __init__(self, seed):
        self.generator = np.random.default_rng(seed)

    def normal(self, *shape, dtype=F32, scale=1.0):
        return (self.generator.standard_normal(shape) * scale).astype(dtype)

    def bytes(self, *shape, dtype=np.uint8):
        info = np.iinfo(dtype)
        return self.generator.integers(info.min, info.max + 1, shape).astype(dtype)


def case(name, operator, inputs, outputs=1, expected=runtime, rtol=1e-5, atol=1e-6, attributes=(), **settings):
    model = one_node(operator, inputs, outputs, **settings)
    # For attributes that are named as a parameter of `one_node`.
    model.graph.node[0].attribute.extend(helper.make_attribute(k, v) for k, v in dict(attributes).items())
    constants = settings.get("constants", ())
    fed = [x for i, x in enumerate(inputs) if i not in constants]
    cases.add(name, model, fed, expected, rtol=rtol, atol=atol)


def quantization():
    r = Random(6)
    x = r.normal(3, 4, 5, scale=40)
    x.flat[:6] = [0.5, 1.5, -2.5, 1e9, -1e9, 254.5]
    for name, dtype in (("uint8", np.uint8), ("int8", np.int8), ("uint16", np.uint16), ("int16", np.int16)):
        point = np.array(7, dtype)
        one = np.array(1, F32)
        type_ = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        case(f"quantize_{name}", "QuantizeLinear", [x, one, point], opset=21, types=[type_])
        case(
            f"quantize_{name}_microsoft", "QuantizeLinear", [x, np.array(0.37, F32), point], opset=17, types=[type_],
            domain=MICROSOFT)
        scales, points = np.abs(r.normal(4)) + 0.1, r.bytes(4, dtype=dtype)
        case(f"quantize_{name}_axis", "QuantizeLinear", [x, scales, points], opset=21, types=[type_], axis=-2)
        blocks, zeros = np.abs(r.normal(3, 4, 3)) + 0.1, r.bytes(3, 4, 3, dtype=dtype)
        case(
            f"quantize_{name}_blocks", "QuantizeLinear", [x, blocks, zeros], opset=21, types=[type_], axis=2,
            block_size=2)
        codes = r.bytes(3, 4, 5, dtype=dtype)
        case(f"dequantize_{name}_axis", "DequantizeLinear", [codes, scales, points], opset=21, types=[1], axis=1)
        case(
            f"dequantize_{name}_blocks", "DequantizeLinear", [codes, blocks, zeros], opset=21, types=[1], axis=2,
            block_size=2)
    case(
        "quantize_old", "QuantizeLinear", [x, np.array(0.3, F32), np.array(9, np.uint8)], opset=10,
        types=[TensorProto.UINT8])
    case("quantize_default_type", "QuantizeLinear", [x, np.array(0.3, F32)], opset=13, types=[TensorProto.UINT8])
    case(
        "quantize_named_type", "QuantizeLinear", [x, np.array(0.3, F32)], opset=21, types=[TensorProto.INT16],
        output_dtype=TensorProto.INT16)
    case("quantize_empty", "QuantizeLinear", [x[:0], np.array(0.3, F32)], opset=13, types=[TensorProto.UINT8])
    double = np.round(x.astype(F64) / 0.37)
    case(
        "quantize_double", "QuantizeLinear", [x.astype(F64), np.array(0.37, F64), np.array(3, np.int8)], opset=21,
        types=[TensorProto.INT8],
        expected=[np.clip(double + 3, -128, 127).astype(np.int8)])
    small = {"int4": ml_dtypes.int4, "uint4": ml_dtypes.uint4, "int2": ml_dtypes.int2, "uint2": ml_dtypes.uint2}
    for name, dtype in small.items():
        point = np.array(1, dtype)
        type_ = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        case(
            f"quantize_{name}", "QuantizeLinear", [x, np.array(9, F32), point], opset=25, types=[type_],
            expected=reference)
        codes = r.generator.integers(0, 2, (3, 4)).astype(dtype)
        case(
            f"dequantize_{name}", "DequantizeLinear", [codes, np.array([0.5, 2, 3], F32)], opset=25, types=[1],
            axis=0, expected=reference)
    case(
        "dequantize_int32", "DequantizeLinear",
        [r.generator.integers(-(2**30), 2**30, 6).astype(I32), np.array(0.5, F32)], opset=13, types=[1])
    case(
        "dequantize_float16", "DequantizeLinear", [r.bytes(6), np.array(0.3, F16), np.array(7, np.uint8)], opset=19,
        types=[TensorProto.FLOAT16])
    ranges = {"mixed": x, "positive": np.abs(x), "zero": np.zeros((2, 3), F32), "negative": -np.abs(x)}
    for name, numbers in ranges.items():
        case(
            f"dynamic_quantize_{name}", "DynamicQuantizeLinear", [numbers], 3, opset=11,
            types=[TensorProto.UINT8, TensorProto.FLOAT, TensorProto.UINT8])


def products():
    r = Random(7)
    for a_type in (np.uint8, np.int8):
        for b_type in (np.uint8, np.int8):
            name = f"{np.dtype(a_type).name}_{np.dtype(b_type).name}"
            a, b = r.bytes(2, 3, 37, dtype=a_type), r.bytes(37, 19, dtype=b_type)
            za, zb = r.bytes(1, dtype=a_type)[0], r.bytes(19, dtype=b_type)
            a64, b64 = a.astype(I64) - int(za), b.astype(I64) - zb.astype(I64)
            exact = [(a64 @ b64).astype(I32)]
            points = [np.array(za), zb]
            case(
                f"matmul_integer_{name}", "MatMulInteger", [a, b] + points, opset=10, types=[TensorProto.INT32],
                expected=exact)
            case(
                f"matmul_integer_{name}_constant", "MatMulInteger", [a, b] + points, opset=10,
                types=[TensorProto.INT32], expected=exact, constants=(1, 3))
            scales = [np.array(0.02, F32), np.abs(r.normal(19)) * 0.01, np.array(0.3, F32)]
            y_type = a_type
            inputs = [a, scales[0], np.array(za), b, scales[1], zb, scales[2], np.array(5, y_type)]
            types = [helper.np_dtype_to_tensor_dtype(np.dtype(y_type))]
            info = np.iinfo(y_type)
            ratio = scales[0] * scales[1] / scales[2]
            rounded = np.rint((a64 @ b64).astype(F32) * ratio) + 5
            expected = [np.clip(rounded, info.min, info.max).astype(y_type)]
            case(f"qlinear_matmul_{name}", "QLinearMatMul", inputs, opset=10, types=types, expected=expected)
            case(
                f"qlinear_matmul_{name}_constant", "QLinearMatMul", inputs, opset=10, types=types, constants=(3, 5),
                expected=expected)
            bias = r.normal(19)
            case(
                f"matmul_integer_to_float_{name}", "MatMulIntegerToFloat",
                [a, b, scales[0], scales[1], np.array(za), zb, bias], opset=13, domain=MICROSOFT, types=[1],
                constants=(1, 5),
                expected=[(a64 @ b64).astype(F32) * (scales[0] * scales[1]) + bias])
    a, b = r.bytes(3, 5), r.bytes(5)
    case("matmul_integer_vector", "MatMulInteger", [a, b], opset=10, types=[TensorProto.INT32])
    case(
        "matmul_integer_stack", "MatMulInteger", [r.bytes(2, 1, 3, 5), r.bytes(4, 5, 2)], opset=10,
        types=[TensorProto.INT32])
    a, rows, b = r.bytes(3, 5), r.bytes(3), r.bytes(5, 4)
    exact = (a.astype(I64) - rows[:, None].astype(I64)) @ b.astype(I64)
    case(
        "matmul_integer_rows", "MatMulInteger", [a, b, rows], opset=10, types=[TensorProto.INT32],
        expected=[exact.astype(I32)])
    for b_type in (np.uint8, np.int8):
        name = np.dtype(b_type).name
        dynamic = [r.normal(2, 4, 23), r.bytes(23, 9, dtype=b_type), np.abs(r.normal(9)) * 0.1]
        dynamic += [r.bytes(9, dtype=b_type), r.normal(9)]
        case(
            f"dynamic_quantize_matmul_{name}", "DynamicQuantizeMatMul", dynamic, opset=13, domain=MICROSOFT,
            constants=(1, 3), rtol=1e-4, atol=1e-4)
    for transposed in (0, 1):
        a, b = r.bytes(6, 4), r.bytes(6, 8, dtype=np.int8)
        b = np.ascontiguousarray(b.T) if transposed else b
        inputs = [a, np.array(0.1, F32), np.array(3, np.uint8), b, np.abs(r.normal(8))]
        inputs += [r.bytes(8, dtype=np.int8) * 0, r.generator.integers(-999, 999, (8,)).astype(I32)]
        case(
            f"qgemm_numbers_{transposed}", "QGemm", inputs, opset=13, domain=MICROSOFT, transA=1, transB=transposed,
            types=[1], alpha=0.5)
        case(
            f"qgemm_{transposed}", "QGemm", inputs + [np.array(20, F32), np.array(9, np.uint8)], opset=13,
            domain=MICROSOFT, transA=1,
            transB=transposed, types=[TensorProto.UINT8], constants=(3, 5))
    for a_type, b_type in ((np.uint8, np.uint8), (np.int8, np.int8), (np.uint8, np.int8)):
        a, b = r.bytes(2, 1, 9, 21, dtype=a_type), r.bytes(3, 21, 50, dtype=b_type)
        inputs = [a, np.array(0.02, F32), np.array(5, a_type), b, np.array(0.03, F32), np.array(-3 if b_type == np.int8 else 9,
            b_type), np.array(1.3, F32), np.array(11, a_type)]
        case(
            f"qlinear_matmul_stack_{np.dtype(a_type).name}_{np.dtype(b_type).name}", "QLinearMatMul", inputs, opset=21,
            types=[helper.np_dtype_to_tensor_dtype(np.dtype(a_type))])


def attention():
    r = Random(9)
    b = r.normal(24)
    mask = np.array([[1, 1, 0, 1], [1, 0, 0, 0]], I32)
    past = r.normal(2, 2, 2, 3, 4)
    qa, qw = r.bytes(2, 4, 6), r.bytes(6, 24, dtype=np.int8)
    quantized = [qa, qw, b, np.array(0.02, F32), np.array(0.01, F32), mask]
    quantized += [np.array(120, np.uint8), np.array(0, np.int8)]
    case(
        "qattention", "QAttention", quantized, domain=MICROSOFT, num_heads=2, types=[1], constants=(1, 4, 7),
        rtol=1e-4, atol=1e-5)
    case(
        "qattention_past", "QAttention", quantized[:5] + [None] + quantized[6:] + [past], 2, domain=MICROSOFT,
        num_heads=2, unidirectional=1, types=[1, 1], rtol=1e-4, atol=1e-5)


def recurrence():
    r = Random(13)
    time, batch, inputs, hidden = 5, 3, 7, 20
    usual = dict(domain=MICROSOFT, types=[1, 1, 1], hidden_size=hidden, rtol=1e-4, atol=1e-5)

    def weights(directions, dtype, columns):
        """W, R and B, then the scales and zero points of W and R."""
        shape = (directions, 4 * hidden) if columns else (directions,)
        matrices = [r.bytes(directions, rows, 4 * hidden, dtype=dtype) for rows in (inputs, hidden)]
        levels = []
        for _ in matrices:
            levels.append((r.generator.uniform(0.5, 1, shape) / 300).astype(F32))
            # ONNX Runtime takes one zero point for all columns.
            levels.append(np.full(shape, 0 if dtype == np.int8 else 131, dtype))
        return matrices + [r.normal(directions, 8 * hidden, scale=0.3)], levels

    for direction in ("forward", "reverse", "bidirectional"):
        directions = 2 if direction == "bidirectional" else 1
        for dtype in (np.int8, np.uint8):
            name = f"dynamic_quantize_lstm_{direction}_{np.dtype(dtype).name}"
            x = r.normal(time, batch, inputs)
            start = [r.normal(directions, batch, hidden, scale=0.5) for _ in range(2)]
            matrices, levels = weights(directions, dtype, columns=dtype == np.int8)
            inputs_ = [x] + matrices + [None] + start + [None] + levels
            case(name, "DynamicQuantizeLSTM", inputs_, 3, direction=direction, constants=(1, 2, 3, 8, 9, 10, 11), **usual)
            lengths = np.array([5, 2, 4], I32)
            peepholes = r.normal(directions, 3 * hidden, scale=0.3)
            inputs_ = [x] + matrices + [lengths, None, None, peepholes] + levels
            case(f"{name}_lengths", "DynamicQuantizeLSTM", inputs_, 3, direction=direction, **usual)
    matrices, levels = weights(1, np.int8, columns=False)
    inputs_ = [r.normal(time, 1, inputs), *matrices[:2], None, None, None, None, None] + levels
    case(
        "dynamic_quantize_lstm_functions", "DynamicQuantizeLSTM", inputs_, 3, constants=(1, 2, 8, 9, 10, 11),
        activations=["HardSigmoid", "Softsign", "Tanh"], input_forget=1, clip=0.7, **usual)


def functions():
    r = Random(10)
    for dtype in (np.uint8, np.int8):
        name = np.dtype(dtype).name
        types = [helper.np_dtype_to_tensor_dtype(np.dtype(dtype))]
        common = dict(domain=MICROSOFT, types=types, opset=13)
        a, b = r.bytes(2, 3, 40, dtype=dtype), r.bytes(3, 1, dtype=dtype)
        first = [a, np.array(0.043, F32), np.array(17, dtype)]
        second = [b, np.array(0.071, F32), np.array(101, dtype)]
        target = [np.array(0.09, F32), np.array(33, dtype)]
        case(f"qlinear_add_{name}", "QLinearAdd", first + second + target, **common)
        case(f"qlinear_mul_{name}", "QLinearMul", first + second + [np.array(1.7, F32), target[1]], **common)
        case(
            f"qlinear_sigmoid_{name}", "QLinearSigmoid", first + [np.array(1 / 256, F32), np.array(0, dtype)],
            **common)
        case(f"qlinear_leaky_relu_{name}", "QLinearLeakyRelu", first + target, alpha=0.3, **common)
        for version in (12, 13):
            inputs = [a] + first[1:] + [np.array(1 / 256, F32), np.array(-128 if dtype == np.int8 else 0, dtype)]
            settings = dict(common, types=types)
            case(
                f"qlinear_softmax_{name}_{version}", "QLinearSoftmax", inputs, axis=1,
                **{**settings, "attributes": {"opset": version}})
        case(
            f"qlinear_concat_{name}", "QLinearConcat",
            target + first + [r.bytes(2, 1, 40, dtype=dtype)] + second[1:], axis=1, **common)
        condition = r.generator.random((2, 3, 1)) > 0.5
        case(f"qlinear_where_{name}", "QLinearWhere", [condition] + first + second + target, **common)
        for last in (0, 1):
            case(
                f"qlinear_global_average_pool_{name}_{last}", "QLinearGlobalAveragePool",
                [r.bytes(2, 3, 5, 4, dtype=dtype)] + first[1:] + target, channels_last=last, **common)
    for bits in (2, 4, 8):
        k, n, block = 40, 6, 16
        blocks = -(-k // block)
        a = r.normal(2, 3, k)
        packed = r.bytes(n, blocks, block * bits // 8)
        scales = r.normal(n * blocks)
        points = r.bytes(n, -(-blocks * bits // 8))
        inputs = [a, packed, scales, points]
        common = dict(domain=MICROSOFT, K=k, N=n, bits=bits, block_size=block, types=[1], rtol=1e-4, atol=1e-4)
        case(f"matmul_nbits_{bits}", "MatMulNBits", inputs, constants=(1, 2, 3), **common)
        case(f"matmul_nbits_{bits}_bias", "MatMulNBits", inputs[:3] + [None, None, r.normal(n)], **common)
        table = r.bytes(5, 32 * bits // 8)
        case(
            f"gather_block_quantized_{bits}", "GatherBlockQuantized",
            [table, np.array([[4, 0], [-1, 2]], I64), r.normal(5, 2)],
            domain=MICROSOFT, bits=bits, block_size=16, types=[1], constants=(0, 2))
    table = r.generator.integers(-8, 8, (3, 32)).astype(ml_dtypes.int4)
    points = r.generator.integers(-8, 8, (3, 2)).astype(ml_dtypes.int4)
    case(
        "gather_block_quantized_int4", "GatherBlockQuantized",
        [table, np.array([1, 30, 2], I64), r.normal(3, 2), points],
        domain=MICROSOFT, block_size=16, gather_axis=1, types=[1], constants=(0, 2, 3))


def convolutions():
    r = Random(11)
    x, w = r.bytes(2, 4, 7, 6), r.bytes(6, 2, 3, 2, dtype=np.int8)
    points = r.generator.integers(-20, 20, 6).astype(np.int8)
    windows = dict(group=2, strides=[2, 1], pads=[1, 0, 2, 1], dilations=[1, 2])
    integer = dict(opset=10, types=[TensorProto.INT32])
    case("conv_integer_windows", "ConvInteger", [x, w, np.array(130, np.uint8), np.array(3, np.int8)], **windows,
        **integer)
    case("conv_integer_same", "ConvInteger", [x, r.bytes(3, 4, 3, 3)], auto_pad="SAME_LOWER", strides=[2, 2], **integer)
    case("conv_integer_line", "ConvInteger", [x[:, :, :, 0].copy(), r.bytes(3, 4, 3)], pads=[1, 1], constants=(1,),
        **integer)
    deep = [r.bytes(1, 2, 4, 5, 3), r.bytes(3, 2, 2, 3, 1), np.array(7, np.uint8), np.array(99, np.uint8)]
    case("conv_integer_deep", "ConvInteger", deep, pads=[1, 0, 0, 0, 1, 0], **integer)
    for name, x_type, w_type in (("uint8_int8", np.uint8, np.int8), ("int8_int8", np.int8, np.int8), ("uint8_uint8",
        np.uint8, np.uint8)):
        a, b = x.astype(x_type), r.bytes(6, 2, 3, 2, dtype=w_type)
        zeros = np.full(6, 0, w_type) if w_type == np.int8 else np.full(6, 120, w_type)
        inputs = [a, np.array(0.02, F32), np.array(11, x_type), b, np.abs(r.normal(6)) * 0.01 + 0.001, zeros]
        inputs += [np.array(0.07, F32), np.array(101, x_type), r.generator.integers(-5000, 5000, 6).astype(I32)]
        types = [helper.np_dtype_to_tensor_dtype(np.dtype(x_type))]
        case(f"qlinear_conv_{name}", "QLinearConv", inputs, opset=10, types=types, **windows)
        case(f"qlinear_conv_{name}_constant", "QLinearConv", inputs, opset=10, types=types, constants=(3, 5, 8),
            **windows)
    last = [np.ascontiguousarray(x.transpose(0, 2, 3, 1)), np.array(0.02, F32), np.array(11, np.uint8)]
    last += [r.bytes(3, 4, 1, 1, dtype=np.int8), np.array(0.03, F32), np.array(0, np.int8), np.array(0.2, F32),
        np.array(9, np.uint8)]
    case("qlinear_conv_channels_last", "QLinearConv", last, domain=MICROSOFT, channels_last=1,
        types=[TensorProto.UINT8])
    pool = [x, np.array(0.02, F32), np.array(11, np.uint8), np.array(0.015, F32), np.array(3, np.uint8)]
    common = dict(domain=MICROSOFT, types=[TensorProto.UINT8], kernel_shape=[3, 2])
    case("qlinear_average_pool", "QLinearAveragePool", pool, pads=[1, 1, 1, 0], strides=[2, 1], **common)
    case("qlinear_average_pool_padded", "QLinearAveragePool", pool, pads=[1, 1, 1, 0], count_include_pad=1, **common)
    last = [np.ascontiguousarray(x.transpose(0, 2, 3, 1))] + pool[1:]
    case("qlinear_average_pool_channels_last", "QLinearAveragePool", last, channels_last=1, **common)


class Pairs:
    """A graph between QuantizeLinear and DequantizeLinear, as static quantisers write it."""

    def __init__(self):
        self.nodes, self.constants, self.inputs, self.outputs, self.fed = [], [], [], [], []

    def constant(self, array):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, operator, *inputs, **attributes):
        output = f"v{len(self.nodes)}"
        names = [x if isinstance(x, str) else self.constant(x) for x in inputs]
        self.nodes.append(helper.make_node(operator, names, [output], name=output, **attributes))
        return output

    def input(self, array):
        name = f"x{len(self.inputs)}"
        self.inputs.append(value_info(name, array))
        self.fed.append(array)
        return name

    def dequantized(self, x, scale, point, **attributes):
        scale = np.asarray(scale, F32)
        return self.node("DequantizeLinear", x, scale, np.full(scale.shape, point) if point.shape == () else point,
            **attributes)

    def quantized(self, x, scale, point):
        return self.node("QuantizeLinear", x, np.array(scale, F32), point)

    def add(self, name, output, element_type=TensorProto.FLOAT):
        graph = helper.make_graph(
            self.nodes, name, self.inputs, [helper.make_tensor_value_info(output, element_type, None)], self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=8)
        # Float32's rounding of a sum, of numbers about 1.
        cases.add(name, model, self.fed, runtime, rtol=1e-5, atol=2e-6)


def pairs():
    r = Random(12)
    u8, i8, zero = lambda n: np.array(n, np.uint8), lambda n: np.array(n, np.int8), np.array(0, np.int8)

    def scales(count):
        return np.abs(r.normal(count)) * 0.002 + 0.001

    def convolution(name, x, weight, axis=True, point=zero, x_point=u8(128), biased=True, quantized=False, **windows):
        g = Pairs()
        s = scales(weight.shape[0]) if axis else np.array(0.003, F32)
        inputs = [g.dequantized(g.input(x), 0.02, x_point), g.dequantized(weight, s, point, **(dict(axis=0) if axis
            else {}))]
        if biased:
            bias = r.generator.integers(-20000, 20000, weight.shape[0]).astype(I32)
            inputs.append(g.dequantized(bias, np.broadcast_to(s * F32(0.02), bias.shape).copy(), np.array(0, I32),
                axis=0))
        y = g.node("Conv", *inputs, **windows)
        if not quantized:
            return g.add(name, y)
        return g.add(name, g.quantized(g.node("Relu", y), 0.03, quantized), helper.np_dtype_to_tensor_dtype(
            quantized.dtype))

    w = lambda *shape, dtype=np.int8: r.bytes(*shape, dtype=dtype)
    convolution("qdq_conv", r.bytes(2, 5, 9, 11), w(6, 5, 3, 3), pads=[1, 1, 1, 1], strides=[2, 1])
    convolution("qdq_conv_relu", r.bytes(1, 16, 7, 7), w(64, 16, 3, 3), pads=[1, 1, 1, 1], quantized=u8(0))
    convolution("qdq_conv_relu_signed", r.bytes(1, 6, 14, 14, dtype=np.int8), w(12, 6, 1, 1), x_point=i8(-3),
        quantized=i8(-20))
    convolution("qdq_conv_unsigned_weight", r.bytes(1, 4, 8, 6), w(5, 4, 3, 2, dtype=np.uint8), axis=False,
        point=u8(120), dilations=[2, 1])
    convolution("qdq_conv_line", r.bytes(2, 3, 40), w(8, 3, 5), pads=[2, 2], biased=False)
    convolution("qdq_conv_depthwise", r.bytes(1, 10, 7, 7), w(10, 1, 3, 3), pads=[1, 1, 1, 1], group=10)
    convolution("qdq_conv_depthwise_wide", r.bytes(2, 4, 13, 14), w(8, 1, 5, 7), pads=[2, 3, 2, 3], strides=[2, 2],
        group=4, quantized=u8(3))
    convolution("qdq_conv_boxes", r.bytes(1, 2, 4, 5, 6), w(3, 2, 2, 3, 2))

    # A weight that the graph itself quantises, as training with quantisation exports it.
    g = Pairs()
    s = np.array(0.01, F32)
    weight = g.dequantized(g.quantized(r.normal(4, 3, 3, 3), 0.01, i8(0)), s, zero)
    bias = r.normal(4)
    g.add("qdq_conv_trained", g.node("Conv", g.dequantized(g.input(r.bytes(1, 3, 6, 6)), 0.02, u8(99)), weight, bias))

    def product(name, operator, left, right, axis=None, bias=None, **attributes):
        g = Pairs()
        s = np.array(0.004, F32) if axis is None else scales(right.shape[axis])
        inputs = [g.dequantized(g.input(left), 0.03, u8(77)), g.dequantized(right, s, zero, **({} if axis is None else
            dict(axis=axis)))]
        if bias is not None:
            inputs.append(g.dequantized(bias, s * F32(0.03), np.array(0, I32), axis=0) if bias.dtype == I32 else bias)
        g.add(name, g.node(operator, *inputs, **attributes))

    product("qdq_matmul", "MatMul", r.bytes(2, 5, 19), w(19, 21), axis=1)
    product("qdq_matmul_one_scale", "MatMul", r.bytes(3, 8), w(8, 4))
    product("qdq_matmul_vector", "MatMul", r.bytes(8), w(8, 4))
    product("qdq_matmul_rows_scaled", "MatMul", r.bytes(3, 8), w(8, 4), axis=0)
    product("qdq_gemm", "Gemm", r.bytes(3, 18), w(7, 18), axis=0, transB=1,
        bias=r.generator.integers(-9000, 9000, 7).astype(I32))
    product("qdq_gemm_plain", "Gemm", r.bytes(3, 18), w(18, 7), axis=1, bias=r.normal(7))
    product("qdq_gemm_alpha", "Gemm", r.bytes(3, 18), w(18, 7), bias=r.normal(3, 7), alpha=0.5)

    # What moves bytes, and what computes with numbers between them.
    g = Pairs()
    a = g.dequantized(g.input(r.bytes(2, 6, 9, 10)), 0.02, u8(128))
    b = g.dequantized(g.input(r.bytes(2, 6, 9, 10)), 0.013, u8(7))
    total = g.quantized(g.node("Relu", g.node("Add", a, b)), 0.021, u8(0))
    pooled = g.node("MaxPool", g.dequantized(total, 0.021, u8(0)), kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    pooled = g.quantized(pooled, 0.021, u8(0))
    moved = g.quantized(g.node("Transpose", g.dequantized(pooled, 0.021, u8(0)), perm=[0, 2, 3, 1]), 0.021, u8(0))
    y = g.dequantized(moved, 0.021, u8(0))
    gate = g.node("Mul", y, g.node("Sigmoid", y))
    g.add("qdq_movements", g.quantized(gate, 0.017, u8(30)), TensorProto.UINT8)

    g = Pairs()
    parts = [g.dequantized(g.input(r.bytes(1, n, 4, 4, dtype=np.int8)), 0.05, i8(4)) for n in (2, 3)]
    joined = g.quantized(g.node("Concat", *parts, axis=1), 0.05, i8(4))
    other = g.quantized(g.dequantized(joined, 0.05, i8(4)), 0.04, u8(100))
    g.add("qdq_levels", other, TensorProto.UINT8)

    # Matrices that are computed, both of them.
    for dtype, quantized in ((np.uint8, None), (np.int8, None), (np.uint8, u8(128)), (np.int8, i8(-5))):
        g = Pairs()
        point = np.array(7, dtype)
        a = g.dequantized(g.input(r.bytes(2, 1, 9, 21)), 0.003, u8(128))
        b = g.dequantized(g.input(r.bytes(3, 21, 50, dtype=dtype)), 0.002, point)
        y = g.node("MatMul", a, b)
        name = f"qdq_matmul_computed_{np.dtype(dtype).name}"
        if quantized is None:
            g.add(name, g.node("Relu", y))
        else:
            g.add(f"{name}_quantized", g.quantized(y, 0.008, quantized), helper.np_dtype_to_tensor_dtype(quantized.dtype))
    g = Pairs()
    a, b = (g.dequantized(g.input(r.bytes(*shape)), 0.02, u8(128)) for shape in ((21,), (2, 21, 5)))
    g.add("qdq_matmul_computed_vector", g.node("MatMul", a, b))


quantization()
products()
pairs()
convolutions()
attention()
recurrence()
functions()
cases.write()
