#!/usr/bin/env python3
"""Writes decoders with weights of few bits or of sixteen, as ONNX Runtime's model builder makes them of language models.

usage: export_language_models.py FOLDER

Six layers of 1,024 features and a vocabulary of 32,000, in two forms each: a prompt of 32 tokens, and one further token after
128. Weights are random numbers of 4 bits in blocks of 32 with one middle (q4), of 4 bits in blocks of 128 with zero points
(q4-zero), which is how they come from AWQ and GPTQ, and of 8 bits (q8). "-int8" lets ONNX Runtime compute in bytes. With "f16" everything else is of
FLOAT16, by itself (f16) all weights are. Measure them with compare_onnxruntime.py --models FOLDER/*.onnx.
"""

import argparse
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

LAYERS, HIDDEN, INNER, HEADS, GROUPS, HEAD_SIZE, VOCABULARY = 6, 1024, 2816, 16, 4, 64, 32000
MICROSOFT = "com.microsoft"


class Decoder:
    """The nodes of a graph while it is written."""

    def __init__(self, bits, block_size=None, has_zero_points=False, accuracy_level=0, scalar=np.float32):
        self.bits, self.block_size, self.has_zero_points = bits, block_size, has_zero_points
        self.accuracy_level, self.scalar = accuracy_level, scalar
        self.random = np.random.default_rng(1)
        self.nodes, self.initializers, self.count = [], [], 0

    def constant(self, array):
        name = f"c{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(array, name))
        return name

    def node(self, kind, inputs, outputs=1, domain="", **attributes):
        names = [f"v{self.count + index}" for index in range(outputs)] if isinstance(outputs, int) else outputs
        self.count += len(names)
        self.nodes.append(helper.make_node(kind, inputs, names, domain=domain, **attributes))
        return names[0] if len(names) == 1 else names

    def product(self, x, inputs, outputs, name=None):
        results = [name] if name else 1
        if self.bits == 16:
            weights = self.random.standard_normal((inputs, outputs), np.float32) / inputs**0.5
            return self.node("MatMul", [x, self.constant(weights.astype(self.scalar))], results)
        blocks = inputs // self.block_size
        packed = self.random.integers(0, 256, (outputs, blocks, self.block_size * self.bits // 8), dtype=np.uint8)
        scales = (self.random.random((outputs, blocks)) + 0.5).astype(np.float32) / (2**self.bits * inputs**0.5)
        operands = [x, self.constant(packed), self.constant(scales.astype(self.scalar))]
        if self.has_zero_points:
            stored = (blocks * self.bits + 7) // 8
            operands.append(self.constant(self.random.integers(0, 256, (outputs, stored), dtype=np.uint8)))
        return self.node(
            "MatMulNBits", operands, results, MICROSOFT, K=inputs, N=outputs, bits=self.bits,
            block_size=self.block_size, accuracy_level=self.accuracy_level)

    def norm(self, x, skip=None):
        scale = self.constant((1 + 0.1 * self.random.standard_normal(HIDDEN)).astype(self.scalar))
        if skip is None:
            return self.node("SimplifiedLayerNormalization", [x, scale], axis=-1, epsilon=1e-6), x
        names = [f"v{self.count}", "", "", f"v{self.count + 1}"]
        self.node("SkipSimplifiedLayerNormalization", [skip, x, scale], names, MICROSOFT, epsilon=1e-6)
        return names[0], names[3]


def rotations(length):
    angles = np.arange(length)[:, None] / 10000.0 ** (np.arange(HEAD_SIZE // 2) / (HEAD_SIZE // 2))
    return np.cos(angles), np.sin(angles)


def model(tokens, past, **form):
    graph = Decoder(**form)
    element_type = helper.np_dtype_to_tensor_dtype(np.dtype(graph.scalar))
    table = graph.constant(graph.random.standard_normal((VOCABULARY, HIDDEN)).astype(graph.scalar))
    cosines, sines = (graph.constant(each.astype(graph.scalar)) for each in rotations(past + tokens))
    last = graph.constant(np.array([past + tokens - 1], np.int32))
    total = graph.constant(np.array(past + tokens, np.int32))
    x, skip = graph.node("Gather", [table, "input_ids"]), None
    inputs = [helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, tokens])]
    outputs = []
    for layer in range(LAYERS):
        x, skip = graph.norm(x, skip)
        parts = [graph.product(x, HIDDEN, heads * HEAD_SIZE) for heads in (HEADS, GROUPS, GROUPS)]
        caches = [f"past_key_values.{layer}.{kind}" for kind in ("key", "value")]
        present = [f"present.{layer}.{kind}" for kind in ("key", "value")]
        for names, shapes, length in ((caches, inputs, past), (present, outputs, past + tokens)):
            shapes += [
                helper.make_tensor_value_info(name, element_type, [1, GROUPS, length, HEAD_SIZE]) for name in names]
        x = f"attention.{layer}"
        graph.node(
            "GroupQueryAttention", parts + caches + [last, total, cosines, sines], [x] + present, MICROSOFT,
            num_heads=HEADS, kv_num_heads=GROUPS, do_rotary=1, scale=HEAD_SIZE**-0.5)
        x = graph.product(x, HEADS * HEAD_SIZE, HIDDEN)
        x, skip = graph.norm(x, skip)
        gate, up = (graph.product(x, HIDDEN, INNER) for _ in range(2))
        gate = graph.node("Mul", [gate, graph.node("Sigmoid", [gate])])
        x = graph.product(graph.node("Mul", [gate, up]), INNER, HIDDEN)
    x, skip = graph.norm(x, skip)
    graph.product(x, HIDDEN, VOCABULARY, "logits")
    outputs.insert(0, helper.make_tensor_value_info("logits", element_type, [1, tokens, VOCABULARY]))
    return helper.make_model(
        helper.make_graph(graph.nodes, "decoder", inputs, outputs, graph.initializers),
        opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid(MICROSOFT, 1)], ir_version=10)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    forms = {
        "q4": dict(bits=4, block_size=32),
        "q4-zero": dict(bits=4, block_size=128, has_zero_points=True),
        "q8": dict(bits=8, block_size=32),
        "q4-int8": dict(bits=4, block_size=32, accuracy_level=4),
        "q4f16": dict(bits=4, block_size=32, scalar=np.float16),
        "f16": dict(bits=16, scalar=np.float16),
    }
    for name, form in forms.items():
        for step, tokens, past in (("prompt", 32, 0), ("token", 1, 128)):
            path = folder / f"{name}-{step}.onnx"
            onnx.save(model(tokens, past, **form), path)
            print(path)


if __name__ == "__main__":
    main()
