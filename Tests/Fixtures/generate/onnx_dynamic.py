"""A small MobileBERT exported to ONNX and quantised dynamically: Tests/Fixtures/onnx/dynamic.zip.

    python Tests/Fixtures/generate/onnx_dynamic.py

The scheme of mobile exports: opset 17, weights of 8 bits without a sign, a scale and a zero point a matrix, seven bits of
the eight in use (`reduce_range`). MatMul becomes DynamicQuantizeLinear, MatMulInteger, Cast and Mul; Gather takes its rows
from quantised tables. Listing Gemm, Add and Mul changes nothing, as there.

The tolerance is that of rounding, 1e-5: products of integers are exact, and what is computed in floats between them
differs in the last bits. An activation that lies so close to the middle between two of its 256 steps that such a bit
decides would move a score by about 1e-3; the inputs are such that none does.
"""

import pathlib
import tempfile

import numpy as np
import onnx
import onnxruntime
import torch
import transformers
from onnxruntime.quantization import QuantType, quantize_dynamic

from onnx_cases import Cases, runtime
from pretrained import MOBILEBERT, randomized

IDS = np.array([[2, 17, 35, 9, 4, 3, 0, 0]], np.int64)
MASK = np.array([[1, 1, 1, 1, 1, 1, 0, 0]], np.int64)


class Scores(torch.nn.Module):
    """Without `token_type_ids`, as the keyboard's export has it."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, attention_mask):
        return self.model(input_ids=input_ids, attention_mask=attention_mask).logits


def exported(path):
    torch.manual_seed(11)
    config = transformers.MobileBertConfig(**MOBILEBERT, attn_implementation="eager")
    model = randomized(transformers.MobileBertForMaskedLM(config))
    axes = {0: "batch", 1: "sequence"}
    torch.onnx.export(
        Scores(model).eval(), (torch.tensor(IDS), torch.tensor(MASK)), str(path), opset_version=17, dynamo=False,
        input_names=["input_ids", "attention_mask"], output_names=["logits"],
        dynamic_axes={"input_ids": axes, "attention_mask": axes, "logits": axes})


def rewritten(model, inputs):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {i.name: x for i, x in zip(session.get_inputs(), inputs)})


def main():
    transformers.logging.set_verbosity_error()
    with tempfile.TemporaryDirectory() as folder:
        original, quantized = pathlib.Path(folder) / "float.onnx", pathlib.Path(folder) / "uint8.onnx"
        exported(original)
        quantize_dynamic(
            original, quantized, op_types_to_quantize=["MatMul", "Gemm", "Gather", "Add", "Mul"], per_channel=False,
            reduce_range=True, weight_type=QuantType.QUInt8)
        model = onnx.load(quantized)
        floats = runtime(onnx.load(original), [IDS, MASK])[0]
    cases = Cases("dynamic")
    for name, length in (("mobilebert", 8), ("mobilebert_short", 5)):
        inputs = [IDS[:, :length], MASK[:, :length]]
        plain, fast = runtime(model, inputs)[0], rewritten(model, inputs)[0]
        print(f"{name}: {np.abs(plain).max():.3f} at most; rewritten differs by {np.abs(plain - fast).max():.2e}")
        cases.add(name, model, inputs, [plain], rtol=1e-5, atol=1e-5)
    print(f"float32 differs by {np.abs(runtime(model, [IDS, MASK])[0] - floats).max():.3f}")
    counts = {}
    for node in model.graph.node:
        counts[node.op_type] = counts.get(node.op_type, 0) + 1
    print(counts)
    cases.write()


if __name__ == "__main__":
    main()
