"""Cases for attention and recurrent operators, those of ONNX Runtime included: Tests/Fixtures/onnx/transformer.zip.

    python Tests/Fixtures/generate/onnx_transformer.py

Expected outputs are ONNX Runtime's where it has the operator with these inputs, otherwise those of the standard's
reference implementation or of NumPy. Inputs are generated from fixed seeds.
"""

import ml_dtypes
import numpy as np
from onnx import TensorProto, helper

from onnx_cases import Cases, one_node, reference, runtime

cases = Cases("transformer")
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


def case(name, operator, inputs, outputs=1, expected=runtime, rtol=1e-5, atol=1e-6, **settings):
    model = one_node(operator, inputs, outputs, **settings)
    constants = settings.get("constants", ())
    fed = [x for i, x in enumerate(inputs) if i not in constants]
    cases.add(name, model, fed, expected, rtol=rtol, atol=atol)


def attention():
    r = Random(1)
    q, k, v = r.normal(2, 4, 5, 6), r.normal(2, 2, 7, 6), r.normal(2, 2, 7, 3)
    mask = r.normal(2, 1, 5, 7)
    truth = r.generator.random((4, 5, 7)) > 0.4
    truth[:, 1] = False
    case("attention_double", "Attention", [x.astype(F64) for x in (q, k, v)], opset=23, expected=reference, rtol=1e-12)
    case("attention_groups_causal_softcap", "Attention", [q, k, v, mask], opset=23, is_causal=1, softcap=1.5)
    case("attention_mask_of_heads_with_empty_rows", "Attention", [q, k, v, truth], opset=24, expected=reference)
    case("attention_constant_keys", "Attention", [q, k, v], opset=23, constants=(1, 2), scale=0.3)
    case("attention_scores_in_double", "Attention", [q, k, v, mask], opset=24, expected=reference, softmax_precision=11)
    case("attention_no_queries", "Attention", [q[:, :, :0], k, v], opset=23, expected=[np.zeros((2, 4, 0, 3), F32)])
    case(
        "attention_no_keys", "Attention", [q, k[:, :, :0], v[:, :, :0]], opset=23,
        expected=[np.zeros((2, 4, 5, 3), F32)])
    case(
        "attention_side_by_side_past", "Attention",
        [r.normal(2, 3, 24), r.normal(2, 3, 12), r.normal(2, 3, 6), None, k, v], 3, opset=23, is_causal=1,
        q_num_heads=4, kv_num_heads=2)
    case(
        "attention_windows_and_lengths", "Attention",
        [q, k, v, None, None, None, np.array([6, 3], I64)], opset=25, expected=reference, left_window_size=2,
        right_window_size=1)
    long = r.normal(1, 1, 131, 3)
    case("attention_many_queries", "Attention", [long, long[:, ::-1].copy(), long], opset=23, is_causal=1)
    half = [x.astype(F16) for x in (q, k, v)]
    case("attention_float16", "Attention", half, opset=23, rtol=4e-3, atol=2e-3)


def recurrent():
    r = Random(2)
    time, batch, inputs, hidden = 5, 3, 4, 3
    x = r.normal(time, batch, inputs, scale=2)
    lengths = np.array([5, 2, 0], I32)
    networks = {"LSTM": (4, ["Sigmoid", "Tanh", "Tanh"]), "GRU": (3, ["Sigmoid", "Tanh"]), "RNN": (1, ["Tanh"])}
    for operator, (gates, _) in networks.items():
        outputs = 3 if operator == "LSTM" else 2

        def tensors(directions, dtype=F32, states=True):
            w = r.normal(directions, gates * hidden, inputs, dtype=dtype)
            u = r.normal(directions, gates * hidden, hidden, dtype=dtype)
            b = r.normal(directions, 2 * gates * hidden, dtype=dtype)
            start = [r.normal(directions, batch, hidden, dtype=dtype) for _ in range(outputs - 1)]
            return [w, u, b, None] + (start if states else [])

        name = operator.lower()
        for direction, count in (("forward", 1), ("reverse", 1), ("bidirectional", 2)):
            common = dict(opset=14, hidden_size=hidden, direction=direction)
            weights = tensors(count)
            case(f"{name}_{direction}_constant", operator, [x] + weights, outputs, constants=(1, 2, 3), **common)
            weights[3] = lengths
            case(f"{name}_{direction}_lengths", operator, [x] + weights, outputs, **common)
            if operator == "GRU":
                case(
                    f"gru_{direction}_reset_afterwards", operator, [x] + tensors(count), outputs,
                    linear_before_reset=1, **common)
        if operator != "RNN":
            case(
                f"{name}_double", operator, [x.astype(F64)] + tensors(1, F64), outputs, opset=22, hidden_size=hidden,
                expected=reference, rtol=1e-12)
        case(f"{name}_clip", operator, [x] + tensors(1), outputs, opset=7, hidden_size=hidden, clip=0.5)
        case(
            f"{name}_no_bias", operator, [x] + tensors(2, states=False)[:2], outputs, opset=22, hidden_size=hidden,
            direction="bidirectional")
        case(
            f"{name}_no_steps", operator, [x[:0]] + tensors(1, states=False)[:2], outputs, opset=22, hidden_size=hidden,
            expected=[np.zeros((0, 1, batch, hidden), F32)] + [np.zeros((1, batch, hidden), F32)] * (outputs - 1))
    functions = [
        ("Affine", [0.6], [0.1]), ("LeakyRelu", [0.3], []), ("ThresholdedRelu", [0.2], []),
        ("ScaledTanh", [0.7], [1.3]),
        ("HardSigmoid", [], []), ("Elu", [0.5], []), ("Softsign", [], []), ("Softplus", [], []),
    ]
    for index, (function, alpha, beta) in enumerate(functions):
        w, u, b = r.normal(1, 4 * hidden, inputs), r.normal(1, 4 * hidden, hidden), r.normal(1, 8 * hidden)
        parameters = {}
        if alpha:
            parameters["activation_alpha"] = alpha
        if beta:
            parameters["activation_beta"] = beta
        case(
            f"lstm_function_{index}_{function.lower()}", "LSTM", [x, w, u, b], 3, opset=14, hidden_size=hidden,
            activations=["Sigmoid", function, "Tanh"], rtol=1e-4, **parameters)
    w, u, b = r.normal(2, 4 * hidden, inputs), r.normal(2, 4 * hidden, hidden), r.normal(2, 8 * hidden)
    case(
        "lstm_functions_of_both_directions", "LSTM", [x, w, u, b], 3, opset=14, hidden_size=hidden,
        direction="bidirectional",
        activations=["HardSigmoid", "LeakyRelu", "Affine", "Sigmoid", "ScaledTanh", "Relu"],
        activation_alpha=[0.25, 0.3, 0.7, 0.8], activation_beta=[0.4, 0.1, 1.2])
    peepholes = r.normal(1, 3 * hidden)
    state = [r.normal(1, batch, hidden) for _ in range(2)]
    case(
        "lstm_peepholes_lengths", "LSTM", [x, w[:1], u[:1], b[:1], lengths, *state, peepholes], 3, opset=14,
        hidden_size=hidden)
    case(
        "lstm_coupled_gates", "LSTM", [x, w[:1], u[:1], b[:1], None, *state], 3, opset=14, hidden_size=hidden,
        input_forget=1)
    case(
        "rnn_rectified", "RNN", [x, w[:1, :hidden].copy(), u[:1, :hidden].copy()], 2, opset=14, hidden_size=hidden,
        constants=(1, 2),
        activations=["Relu"])
    batches = np.ascontiguousarray(x.transpose(1, 0, 2))
    y, h, c = runtime(
        one_node("LSTM", [x, w, u, b], 3, opset=14, hidden_size=hidden, direction="bidirectional"), [x, w, u, b])
    case(
        "lstm_batch_first_constant", "LSTM", [batches, w, u, b], 3, opset=14, hidden_size=hidden,
        direction="bidirectional", layout=1,
        constants=(1, 2, 3), expected=[y.transpose(2, 0, 1, 3), h.transpose(1, 0, 2), c.transpose(1, 0, 2)])


def rotary():
    r = Random(3)
    angles = np.outer(np.arange(9), 1 / 10 ** np.arange(3)).astype(F32)
    tables = [np.cos(angles).astype(F32), np.sin(angles).astype(F32)]
    places = np.array([[3, 0, 8, 1], [2, 2, 7, 5]], I64)
    x = r.normal(2, 3, 4, 8)
    case("rotary_part", "RotaryEmbedding", [x] + tables + [places], opset=23, rotary_embedding_dim=6)
    flat = np.ascontiguousarray(x.transpose(0, 2, 1, 3)).reshape(2, 4, 24)
    case(
        "rotary_flat_interleaved", "RotaryEmbedding", [flat] + tables + [places], opset=23, rotary_embedding_dim=6,
        num_heads=3, interleaved=1)
    six = r.normal(2, 3, 4, 6)
    case(
        "rotary_double", "RotaryEmbedding", [a.astype(F64) for a in (six, *tables)] + [places], opset=23,
        expected=reference, rtol=1e-12)
    case(
        "microsoft_rotary_one_place", "RotaryEmbedding", [six, np.array([3], I64)] + tables, opset=17,
        domain=MICROSOFT)
    case(
        "microsoft_rotary_places", "RotaryEmbedding", [r.normal(2, 4, 18), places] + tables, opset=17,
        domain=MICROSOFT, interleaved=1)
    # Tables of one sample or one time, as PyTorch writes them for batches of any size.
    samples = r.normal(2, 3, 4, 6)
    for name, shape in (("samples", (1, 4, 3)), ("times", (2, 1, 3)), ("all", (1, 1, 3))):
        angles = r.normal(*shape)
        case(
            f"rotary_one_for_{name}", "RotaryEmbedding", [samples, np.cos(angles), np.sin(angles)], opset=23,
            expected=reference)


def linear_attention():
    r = Random(4)
    b, t, h, d, e = 2, 3, 2, 3, 2
    q, k, v = r.normal(b, t, 2 * h * d), r.normal(b, t, h * d), r.normal(b, t, h * e)
    decay, beta = -np.abs(r.normal(b, t, h * d)), 1 / (1 + np.exp(-r.normal(b, t, 1)))
    state = r.normal(b, h, d, e)
    settings = dict(opset=27, q_num_heads=4, kv_num_heads=2, expected=reference)
    case(
        "linear_attention_of_groups", "LinearAttention", [q, k, v, state, decay, beta.astype(F32)], 2, rtol=1e-4,
        atol=1e-5, **settings)
    case("linear_attention_plain", "LinearAttention", [q, k, v], 2, update_rule="linear", scale=0.5, **settings)


def scatter():
    r = Random(5)
    cache, update = r.normal(2, 3, 6, 2), r.normal(2, 3, 4, 2)
    starts = np.array([4, 1], I64)
    for dtype in (np.int8, np.bool_, F16, ml_dtypes.bfloat16):
        pair = [cache.astype(dtype), update.astype(dtype)]
        case(
            f"tensor_scatter_{np.dtype(dtype).name}", "TensorScatter", pair + [starts], opset=24, mode="circular",
            expected=reference)
    texts = [np.array([f"{i}" for i in range(6)], object).reshape(1, 6, 1)]
    texts.append(np.array(["a", "b"], object).reshape(1, 2, 1))
    wanted = np.array(["0", "1", "2", "a", "b", "5"], object).reshape(1, 6, 1)
    case("tensor_scatter_texts", "TensorScatter", texts + [np.array([3], I64)], opset=24, axis=1, expected=[wanted])


def microsoft():
    r = Random(8)
    x, skip = r.normal(2, 3, 8), r.normal(2, 3, 8)
    gamma, beta, bias = r.normal(8), r.normal(8), r.normal(8)

    def without_statistics(name, operator, inputs, **settings):
        model = one_node(operator, inputs, 4, domain=MICROSOFT, **settings)
        model.graph.node[0].output[1] = model.graph.node[0].output[2] = ""
        del model.graph.output[1:3]
        cases.add(name, model, inputs, runtime)

    without_statistics("skip_layer_norm", "SkipLayerNormalization", [x, skip, gamma, beta, bias], epsilon=1e-5)
    without_statistics(
        "skip_simplified_layer_norm", "SkipSimplifiedLayerNormalization", [x, skip, gamma, bias], epsilon=1e-5)
    case("skip_layer_norm_broadcast", "SkipLayerNormalization", [x, skip[0], gamma], domain=MICROSOFT)
    case("simplified_layer_norm", "SimplifiedLayerNormalization", [x, gamma], epsilon=1e-4)
    case("simplified_layer_norm_axes", "SimplifiedLayerNormalization", [x, r.normal(3, 8)], axis=1)
    ids, segments = r.generator.integers(0, 10, (2, 5)).astype(I32), r.generator.integers(0, 2, (2, 5)).astype(I32)
    tables = [r.normal(10, 8), r.normal(6, 8), r.normal(2, 8)]
    mask = np.array([[1, 1, 1, 0, 0], [1, 0, 1, 1, 0]], I32)
    types = [1, TensorProto.INT32, 1]
    case(
        "embed_layer_norm", "EmbedLayerNormalization", [ids, segments, *tables, gamma, beta, mask], 3,
        domain=MICROSOFT, types=types)
    case(
        "embed_layer_norm_plain", "EmbedLayerNormalization", [ids, None, *tables[:2], None, gamma, beta], 2,
        domain=MICROSOFT, types=types[:2])

    x = r.normal(2, 4, 6)
    w, b = r.normal(6, 24), r.normal(24)
    masks = {
        "lengths": np.array([3, 4], I32), "ends": np.array([4, 3, 1, 0], I32),
        "keys": np.array([[1, 1, 0, 1], [1, 0, 0, 0]], I32),
        "queries": r.generator.integers(0, 2, (2, 4, 4)).astype(I32),
    }
    for name, mask in masks.items():
        for causal in (0, 1):
            case(
                f"microsoft_attention_{name}_{causal}", "Attention", [x, w, b, mask], domain=MICROSOFT, num_heads=2,
                unidirectional=causal, constants=(1, 2), rtol=1e-4, atol=1e-5)
    past = r.normal(2, 2, 2, 3, 4)
    case(
        "microsoft_attention_past", "Attention", [x, w, b, None, past], 2, domain=MICROSOFT, num_heads=2,
        unidirectional=1, scale=0.4)
    case(
        "microsoft_attention_bias", "Attention", [x, w, b, None, None, r.normal(1, 2, 4, 4)], domain=MICROSOFT,
        num_heads=2)
    case(
        "microsoft_attention_sizes", "Attention", [x, r.normal(6, 20), r.normal(20)], domain=MICROSOFT, num_heads=2,
        qkv_hidden_sizes=[8, 8, 4])
    q, k, v = r.normal(2, 3, 8), r.normal(2, 5, 8), r.normal(2, 5, 12)
    case("multi_head_attention", "MultiHeadAttention", [q, k, v, r.normal(28)], domain=MICROSOFT, num_heads=2)
    case(
        "multi_head_attention_lengths", "MultiHeadAttention",
        [q, k, v, None, np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], I32)], domain=MICROSOFT, num_heads=2, rtol=1e-4)
    case(
        "multi_head_attention_bias", "MultiHeadAttention", [q, k, v, None, None, r.normal(1, 2, 3, 5)],
        domain=MICROSOFT, num_heads=2)
    caches = [r.normal(2, 2, 4, 4), r.normal(2, 2, 4, 4)]
    case(
        "multi_head_attention_past", "MultiHeadAttention",
        [q, r.normal(2, 3, 8), r.normal(2, 3, 8), None, None, None, *caches], 3,
        domain=MICROSOFT, num_heads=2, unidirectional=1)
    case("multi_head_attention_given_keys", "MultiHeadAttention", [q, *caches], domain=MICROSOFT, num_heads=2)

    heads, groups, size = 2, 1, 16
    angles = np.outer(np.arange(16), 1 / 100 ** np.arange(size // 2)).astype(F32)
    tables = [np.cos(angles).astype(F32), np.sin(angles).astype(F32)]
    prompt = [r.normal(2, 4, heads * size), r.normal(2, 4, groups * size), r.normal(2, 4, groups * size)]
    prompt_ends = [np.array([3, 3], I32), np.array(4, I32)]
    common = dict(domain=MICROSOFT, num_heads=heads, kv_num_heads=groups)
    first = [x[:1] for x in prompt] + [None, None, np.array([3], I32), np.array(4, I32)]
    case("group_query_prompt", "GroupQueryAttention", prompt + [None, None] + prompt_ends, 3, **common)
    case(
        "group_query_rotary", "GroupQueryAttention", prompt + [None, None] + prompt_ends + tables, 3, do_rotary=1,
        **common)
    case(
        "group_query_rotary_interleaved", "GroupQueryAttention", first + tables, 3, do_rotary=1,
        rotary_interleaved=1, **common)
    case(
        "group_query_window_softcap", "GroupQueryAttention", first, 3,
        local_window_size=2, softcap=0.8, **common)
    case("group_query_smooth", "GroupQueryAttention", first, 3, smooth_softmax=1, **common)
    case(
        "group_query_sinks", "GroupQueryAttention", first + [None] * 4 + [r.normal(heads)], 3, **common)
    caches = [r.normal(2, groups, 3, size), r.normal(2, groups, 3, size)]
    step = [r.normal(2, 1, heads * size), r.normal(2, 1, groups * size), r.normal(2, 1, groups * size)]
    case(
        "group_query_step", "GroupQueryAttention",
        step + caches + [np.array([3, 3], I32), np.array(4, I32)] + tables, 3, do_rotary=1, **common)
    packed = r.normal(1, 4, (heads + 2 * groups) * size)
    case(
        "group_query_packed", "GroupQueryAttention", [packed, None, None] + first[3:] + tables, 3,
        do_rotary=1, scale=0.2, **common)


def fused():
    r = Random(12)
    x, w, b = r.normal(1, 2, 4, 5), r.normal(3, 2, 3, 3), r.normal(3)
    z = r.normal(1, 3, 2, 3)
    case("fused_conv_sum", "FusedConv", [x, w, b, z], domain=MICROSOFT, activation="Relu", constants=(1, 2))
    functions = {"LeakyRelu": [0.2], "Clip": [-0.5, 1.5], "HardSigmoid": [0.3, 0.4]}
    for name, parameters in functions.items():
        extra = {"activation_params": parameters} if parameters else {}
        case(f"fused_conv_{name.lower()}", "FusedConv", [x, w, b], domain=MICROSOFT, activation=name, **extra)
    matrices = [r.normal(4, 3), r.normal(5, 4), r.normal(5)]
    case(
        "fused_gemm", "FusedGemm", matrices, domain=MICROSOFT, transA=1, transB=1, alpha=0.5, activation="LeakyRelu",
        activation_alpha=0.3)


def fused_products():
    r = Random(14)
    left, right = r.normal(2, 3, 4), r.normal(2, 4, 5)
    common = dict(domain=MICROSOFT)
    case("fused_matmul_scaled", "FusedMatMul", [left, right], alpha=0.25, **common)
    case("fused_matmul_left", "FusedMatMul", [r.normal(2, 4, 3), right], transA=1, **common)
    case("fused_matmul_right", "FusedMatMul", [left, r.normal(2, 5, 4)], transB=1, alpha=0.5, **common)
    case("fused_matmul_known", "FusedMatMul", [left, r.normal(5, 4)], transB=1, alpha=2.0, constants=(1,), **common)
    case("fused_matmul_batch", "FusedMatMul", [r.normal(3, 2, 4), right], transBatchA=1, **common)
    case("fused_matmul_all", "FusedMatMul", [r.normal(4, 2, 3), r.normal(5, 2, 4)], transA=1, transBatchA=1, transB=1,
        transBatchB=1, alpha=0.125, **common)


attention()
fused()
fused_products()
recurrent()
rotary()
linear_attention()
scatter()
microsoft()
cases.write()
