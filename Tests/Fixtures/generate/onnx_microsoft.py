"""Cases of ONNX Runtime's own operators that its tools for large models write, and of its older ones.

    python Tests/Fixtures/generate/onnx_microsoft.py
"""

import numpy as np
from onnx_cases import Cases, one_node, runtime

MICROSOFT = "com.microsoft"
F32, I32, I64, U8 = np.float32, np.int32, np.int64, np.uint8
cases = Cases("microsoft")


class Random:
    def __init__(self, seed):
        self.generator = np.random.default_rng(seed)

    def normal(self, *shape, scale=1.0):
        return (self.generator.standard_normal(shape) * scale).astype(F32)

    def uniform(self, low, high, *shape):
        return self.generator.uniform(low, high, shape).astype(F32)

    def integers(self, low, high, *shape, dtype=I64):
        return self.generator.integers(low, high, shape).astype(dtype)


def case(name, op_type, inputs, outputs=1, expected=runtime, rtol=1e-5, atol=1e-6, **rest):
    model = one_node(op_type, inputs, outputs, domain=MICROSOFT, **rest)
    fed = [x for i, x in enumerate(inputs) if i not in rest.get("constants", ())]
    cases.add(name, model, fed, expected, rtol, atol)


def sliding_caches():
    """Caches of fewer keys than there were, of prompts and of steps; what is beyond the keys held is not specified."""
    r = Random(1)
    heads, groups, size, window = 2, 1, 16, 3
    angles = np.outer(np.arange(32), 1 / 100 ** np.arange(size // 2)).astype(F32)
    tables = [np.cos(angles).astype(F32), np.sin(angles).astype(F32)]
    for capacity in (3, 5):
        freed = capacity - window + 1

        def held(count):
            return count if count <= capacity else count - -(-(count - capacity) // freed) * freed

        for batch, before, time in ((1, 0, 2), (1, 0, 7), (1, 4, 1), (1, 6, 4), (2, 9, 1)):
            past = [np.zeros((batch, groups, capacity, size), F32) for _ in range(2)]
            for cache in past:
                cache[:, :, : held(before)] = r.normal(batch, groups, held(before), size)
            x = [r.normal(batch, time, count * size) for count in (heads, groups, groups)]
            ends = [np.full(batch, before + time - 1, I32), np.array(before + time, I32)]
            model = one_node(
                "GroupQueryAttention", x + past + ends + tables, 3, domain=MICROSOFT, num_heads=heads,
                kv_num_heads=groups, local_window_size=window, sliding_window_cache=1, do_rotary=1)
            expected = runtime(model, x + past + ends + tables)
            for cache in expected[1:]:
                cache[:, :, held(before + time) :] = 0
            cases.add(
                f"sliding_cache_{capacity}_{batch}_{before}_{time}", model, x + past + ends + tables, expected)


def norms_of_heads():
    """ONNX Runtime has them on other devices only: here it is given heads that are normalised."""
    r = Random(2)
    heads, groups, size = 2, 1, 16
    angles = np.outer(np.arange(16), 1 / 100 ** np.arange(size // 2)).astype(F32)
    rest = [None, None, np.array([3], I32), np.array(4, I32), np.cos(angles).astype(F32), np.sin(angles).astype(F32)]
    norms = [r.uniform(0.5, 2, size), r.uniform(0.5, 2, size)]
    x = [r.normal(1, 4, count * size) for count in (heads, groups, groups)]
    common = dict(num_heads=heads, kv_num_heads=groups, do_rotary=1)
    for name, epsilon, given in (
        ("norms_of_heads", 1e-6, x), ("norms_of_heads_packed", 0.01, [np.concatenate(x, -1), None, None])):

        def normalized(a, weight):
            split = a.reshape(1, 4, -1, size).astype(np.float64)
            split = split / np.sqrt((split**2).mean(-1, keepdims=True) + epsilon) * weight
            return split.reshape(a.shape).astype(F32)

        plain = [normalized(x[0], norms[0]), normalized(x[1], norms[1]), x[2]] + rest
        without = one_node("GroupQueryAttention", plain, 3, domain=MICROSOFT, **common)
        case(
            name, "GroupQueryAttention", given + rest + [None] * 5 + norms, 3,
            runtime(without, [a for a in plain if a is not None]), qk_norm_epsilon=epsilon, **common)


def linear_attention():
    r = Random(3)
    for rule in ("linear", "gated", "delta", "gated_delta"):
        for queries, keys in ((2, 2), (4, 2), (2, 4)):
            time, key, value = 5, 6, 4
            q, k = r.normal(2, time, queries * key), r.normal(2, time, keys * key, scale=0.4)
            v, past = r.normal(2, time, keys * value), r.normal(2, keys, key, value)
            decay = -r.uniform(0, 1, 2, time, keys * (key if rule == "gated" else 1)) if "gated" in rule else None
            rate = r.uniform(0, 1, 2, time, keys) if "delta" in rule else None
            case(
                f"linear_attention_{rule}_{queries}_{keys}", "LinearAttention", [q, k, v, past, decay, rate], 2,
                q_num_heads=queries, kv_num_heads=keys, update_rule=rule)


def causal_convolutions():
    r = Random(4)
    x, w, b = r.normal(2, 3, 7), r.normal(3, 1, 4), r.normal(3)
    case("causal_convolution", "CausalConvWithState", [x, w, b, r.normal(2, 3, 3)], 2, activation="silu")
    case("causal_convolution_dilated", "CausalConvWithState", [x, w, None, r.normal(2, 3, 6)], 2, dilation=2)
    case(
        "causal_convolution_last", "CausalConvWithState", [r.normal(2, 7, 3), w, b, r.normal(2, 3, 3)], 2,
        channels_last=1)
    case(
        "causal_convolution_last_axes", "CausalConvWithState",
        [r.normal(2, 7, 2, 3), r.normal(6, 1, 3), r.normal(6), None], 2, channels_last=1, activation="swish")


def quantized_rows(w, bits, block, has_points):
    """Codes packed along the last axis, scales and, where wanted, zero points."""
    experts, rows, columns = w.shape
    blocks = w.reshape(experts, rows, columns // (block or columns), -1)
    most = 2**bits - 1
    if has_points:
        low, high = np.minimum(blocks.min(-1), 0), np.maximum(blocks.max(-1), 0)
        scales = ((high - low) / most).astype(F32)
        points = np.rint(-low / scales)
    else:
        scales = (np.abs(blocks).max(-1) / (2 ** (bits - 1) - 1)).astype(F32)
        points = np.full(scales.shape, 2 ** (bits - 1))
    codes = np.clip(np.rint(blocks / scales[..., None] + points[..., None]), 0, most)
    if not block:
        scales, points = scales[..., 0], points[..., 0]
    return [packed(codes.reshape(w.shape), bits), scales, packed(points, bits)]


def packed(codes, bits):
    count = 8 // bits
    filled = np.concatenate([codes, np.zeros(codes.shape[:-1] + (-codes.shape[-1] % count,))], -1).astype(U8)
    parts = filled.reshape(filled.shape[:-1] + (-1, count))
    return sum(parts[..., i] << U8(bits * i) for i in range(count)).astype(U8)


def experts():
    r = Random(5)
    tokens, features, hidden, count = 5, 16, 16, 3
    x, router = r.normal(tokens, features), r.normal(tokens, count)
    first, second = r.normal(count, hidden, features, scale=0.3), r.normal(count, features, hidden, scale=0.3)
    gated = r.normal(count, 2 * hidden, features, scale=0.3)
    biases = [r.normal(count, hidden), r.normal(count, features), r.normal(count, 2 * hidden)]
    loose = dict(rtol=1e-4, atol=1e-5)
    for name in ("relu", "gelu", "silu", "identity"):
        case(
            f"experts_{name}", "MoE", [x, router, first, biases[0], second, biases[1]], activation_type=name, k=2,
            normalize_routing_weights=int(name == "silu"), constants=(2, 3, 4, 5) if name == "gelu" else (), **loose)
    case("experts_one", "MoE", [x.reshape(1, 5, 16), router, first, None, second], k=1, **loose)
    swiglu = dict(activation_type="swiglu", swiglu_fusion=1, k=2)
    limits = dict(activation_alpha=1.702, activation_beta=1.0, swiglu_limit=0.7)
    case("experts_gated", "MoE", [x, router, gated, biases[2], second, biases[1]], **swiglu, **loose)
    case(
        "experts_gated_limited", "MoE", [x, router, gated, biases[2], second, biases[1]], constants=(2, 3, 4, 5),
        **swiglu, **limits, **loose)
    for bits in (2, 4, 8):
        for block in (0, 16):
            for has_points in (False, True):
                a, b = quantized_rows(gated, bits, block, has_points), quantized_rows(second, bits, block, has_points)
                points = [None, None, None, a[2], b[2]] if has_points else []
                blocks = dict(block_size=block) if block else {}
                inputs = [x, router, a[0], a[1], biases[2], b[0], b[1], biases[1]] + points
                # Of known weights of eight bits ONNX Runtime multiplies activations that are quantised too.
                known = tuple(i for i in range(2, len(inputs)) if inputs[i] is not None) if block and bits < 8 else ()
                case(
                    f"experts_{bits}_bits_{block}_{int(has_points)}", "QMoE", inputs, expert_weight_bits=bits,
                    normalize_routing_weights=1, weights_prepacked=0, constants=known, **swiglu,
                    **limits, **blocks, **loose)
    a, b = quantized_rows(first, 4, 16, False), quantized_rows(second, 4, 16, False)
    plain = [x, router, a[0], a[1], biases[0], b[0], b[1], biases[1]]
    case(
        "experts_4_bits_silu", "QMoE", plain, activation_type="silu", k=2, block_size=16, weights_prepacked=0, **loose)
    for normalizes in (0, 1):
        case(
            f"experts_given_weights_{normalizes}", "QMoE", plain + [None] * 6 + [r.uniform(0, 1, tokens, count)],
            activation_type="silu", k=3, block_size=16, normalize_routing_weights=normalizes, weights_prepacked=0,
            **loose)


def gates():
    r = Random(6)
    x = r.normal(2, 3, 12)
    for activation in ("silu", "sigmoid"):
        case(
            f"gated_norm_{activation}", "GatedRMSNorm", [x, r.uniform(0.5, 2, 4), r.normal(2, 3, 12)],
            activation=activation, epsilon=1e-5)
    case("attention_gate", "LinearAttentionGate", [x, r.normal(12), -r.uniform(0, 2, 12), r.normal(2, 3, 12)], 2)
    case("attention_gate_alone", "LinearAttentionGate", [x, r.normal(12), -r.uniform(0, 2, 12)])
    case("scaled_silu", "ScaledSiLU", [x], alpha=1.5)
    case("scaled_silu_given", "ScaledSiLU", [x, np.array(0.7, F32)])
    case("gated_add", "GatedAdd", [x, r.normal(2, 3, 12), r.normal(2, 3, 1)])


def sectioned_rotary():
    r = Random(7)
    angles = np.outer(np.arange(20), 1 / 100 ** np.arange(8)).astype(F32)
    tables = [np.cos(angles).astype(F32), np.sin(angles).astype(F32)]
    positions = r.integers(0, 20, 3, 2, 4)
    for layout, sections in ((0, [4, 2, 2]), (1, [4, 2, 2]), (1, [3, 3, 2])):
        for name, x in (("joined", r.normal(2, 4, 3 * 16)), ("split", r.normal(2, 3, 4, 16))):
            case(
                f"sectioned_rotary_{layout}_{sections[1]}_{name}", "MRotaryEmbedding", [x, positions, *tables],
                mrope_section=sections, mrope_layout=layout, num_heads=3, rotary_embedding_dim=16)
    case(
        "sectioned_rotary_part", "MRotaryEmbedding", [r.normal(2, 4, 3 * 20), positions, *tables],
        mrope_section=[2, 3, 3], num_heads=3, rotary_embedding_dim=16, interleaved=1)


def quantized_embeddings():
    r = Random(8)
    for dtype in (np.int8, U8):
        low, high = (-128, 128) if dtype == np.int8 else (0, 256)
        tables = [r.integers(low, high, rows, 8, dtype=dtype) for rows in (12, 6, 2)]
        norm = [r.integers(low, high, 8, dtype=dtype) for _ in range(2)]
        scales = [np.array(s, F32) for s in (0.01, 0.02, 0.015, 0.008, 0.005)]
        points = [np.array(p, dtype) for p in (3, 5, 7, 2, 1)]
        ids, segments = r.integers(0, 12, 2, 5, dtype=I32), r.integers(0, 2, 2, 5, dtype=I32)
        mask = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], I32)
        case(
            f"quantized_embedding_{np.dtype(dtype)}", "QEmbedLayerNormalization",
            [ids, segments, *tables, *norm, mask, *scales, *points], 2, types=[1, 6])
        without = [ids, None, *tables[:2], None, *norm, None, *scales[:2], None, *scales[3:], *points[:2], None]
        case(
            f"quantized_embedding_{np.dtype(dtype)}_short", "QEmbedLayerNormalization", without + points[3:], 2,
            types=[1, 6])


def four_bits():
    r = Random(9)
    for quant_type in (0, 1):
        for outputs, inputs, block in ((6, 32, 16), (5, 24, 32)):
            count = outputs * inputs
            weight = r.integers(0, 256, (count + 1) // 2, dtype=U8)
            scales = r.uniform(0.1, 1, (count + block - 1) // block)
            case(
                f"bits_and_bytes_{quant_type}_{block}", "MatMulBnb4", [r.normal(2, 3, inputs), weight, scales], K=inputs,
                N=outputs, block_size=block, quant_type=quant_type, constants=(1, 2) if block == 16 else ())


def older():
    r = Random(10)
    x = r.normal(2, 4, 5)
    case("trilu", "Trilu", [x, np.array(1, I64)], upper=0)
    case("trilu_upper", "Trilu", [x])
    case("inverse", "Inverse", [r.normal(3, 5, 5)], rtol=1e-4, atol=1e-5)
    case("inverse_one", "Inverse", [r.normal(4, 4)], rtol=1e-4, atol=1e-5)
    case("transpose_matmul", "TransposeMatMul", [x, r.normal(2, 4, 3)], transA=1, alpha=0.5)
    case("expand_dims", "ExpandDims", [x, np.array([-1], I32)], constants=(1,))
    case("expand_dims_first", "ExpandDims", [x, np.array([0], I32)])
    case("range", "Range", [np.array(1, I64), np.array(9, I64), np.array(3, I64)], constants=(0, 1, 2))
    case("range_steps", "Range", [np.array([1], F32), np.array([4], F32)])
    case("gather_nd", "GatherND", [x, np.array([[0, 1], [1, 3]], I64)])
    case("unique", "Unique", [np.array([2, 1, 1, 3, 4, 3, -1], F32)], 3, types=[1, 7, 7])
    for mode in ("constant", "edge", "reflect"):
        value = [np.array([0.5], F32)] if mode == "constant" else []
        case(f"pad_{mode}", "Pad", [x, np.array([0, 1, 2, 1, 2, 0], I64), *value], mode=mode)
    case("pad_row", "Pad", [x, np.array([[0, 1, 2, 1, -1, 0]], I64)])
    maps, grid = r.normal(1, 2, 5, 6), r.uniform(-1.2, 1.2, 1, 3, 4, 2)
    for mode in ("bilinear", "nearest", "bicubic"):
        case(
            f"grid_sample_{mode}", "GridSample", [maps, grid], mode=mode, padding_mode="border", align_corners=1,
            rtol=1e-4, atol=1e-5)
    for metric in ("euclidean", "sqeuclidean"):
        case(f"distances_{metric}", "CDist", [r.normal(5, 7), r.normal(4, 7)], metric=metric, rtol=1e-4, atol=1e-5)
    for dtype in (np.int8, U8):
        case(
            f"max_pool_last_{np.dtype(dtype)}", "NhwcMaxPool", [r.integers(-100, 100, 2, 7, 6, 3, dtype=dtype)],
            kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])


def experimental():
    """Operators that the standard took back; ONNX Runtime still has them."""
    r = Random(11)
    x = r.normal(1, 3, 5, 6)
    for name, op_type, attributes in (
        ("affine", "Affine", dict(alpha=1.5, beta=-0.5)), ("scale", "Scale", dict(scale=0.25)),
        ("scaled_tanh", "ScaledTanh", dict(alpha=1.5, beta=0.5)),
        ("parametric_softplus", "ParametricSoftplus", dict(alpha=0.5, beta=2.0)),
        ("image_scaler", "ImageScaler", dict(scale=0.5, bias=[0.1, -0.2, 0.3])),
        ("crop", "Crop", dict(border=[1, 0, 2, 1])), ("crop_scale", "Crop", dict(border=[1, 2, 0, 0], scale=[2, 3])),
    ):
        cases.add(name, one_node(op_type, [x], opset=9, **attributes), [x], runtime, 1e-5, 1e-6)


sliding_caches()
norms_of_heads()
linear_attention()
causal_convolutions()
experts()
gates()
sectioned_rotary()
quantized_embeddings()
four_bits()
older()
experimental()
cases.write()
