"""Puts ONNX files into eight bits, and into half precision, as ONNX Runtime's tools do: what speed is measured on.

    python3 Benchmarks/quantize_networks.py FOLDER FILE.onnx …
    python3 Benchmarks/compare_onnxruntime.py --models FOLDER/*.onnx

Of each file, as far as the tools can: `qdq`, pairs of QuantizeLinear and DequantizeLinear, activations unsigned and a scale
for each output of a weight; `qdqs`, the same with signed activations and one scale; `qop`, ONNX Runtime's own operators;
`dynamic`, levels of activations found in every run; `half`, FLOAT16. Samples are the inputs that compare_onnxruntime.py
draws, which is enough for speed and says nothing of accuracy. Needs onnx and onnxruntime (Weights/requirements.txt).
"""

import argparse
import logging
import pathlib

import numpy as np
import onnx
import onnxruntime
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process
from onnxruntime.transformers.float16 import convert_float_to_float16

from compare_onnxruntime import model_arguments


class Samples(CalibrationDataReader):
    """The inputs, and weaker ones."""

    def __init__(self, inputs):
        self.samples = iter([
            {name: x * x.dtype.type(scale) if x.dtype == np.float32 else x for name, x in inputs.items()}
            for scale in (1, 0.9, 0.8)
        ])

    def get_next(self):
        return next(self.samples, None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("files", nargs="+", type=pathlib.Path, metavar="FILE")
    arguments = parser.parse_args()
    logging.disable(logging.WARNING)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for file in arguments.files:
        inputs = dict(np.load(model_arguments([file])[3]))
        source = arguments.folder / f"{file.stem}.prepared"
        try:
            quant_pre_process(str(file), str(source), skip_symbolic_shape=True)
        except Exception:
            onnx.save(onnx.load(str(file)), source)

        def static(path, **settings):
            quantize_static(str(source), path, Samples(inputs), **settings)

        kinds = {
            "qdq": lambda path: static(
                path, quant_format=QuantFormat.QDQ, per_channel=True, activation_type=QuantType.QUInt8,
                weight_type=QuantType.QInt8),
            "qdqs": lambda path: static(
                path, quant_format=QuantFormat.QDQ, activation_type=QuantType.QInt8, weight_type=QuantType.QInt8,
                extra_options={"ActivationSymmetric": True}),
            "qop": lambda path: static(
                path, quant_format=QuantFormat.QOperator, activation_type=QuantType.QUInt8,
                weight_type=QuantType.QUInt8),
            "dynamic": lambda path: quantize_dynamic(str(source), path, weight_type=QuantType.QUInt8),
            "half": lambda path: onnx.save(convert_float_to_float16(onnx.load(str(file)), keep_io_types=True), path),
        }
        for kind, write in kinds.items():
            path = arguments.folder / f"{file.stem}-{kind}.onnx"
            try:
                write(str(path))
                onnxruntime.InferenceSession(str(path))
                print(path)
            except Exception as error:
                path.unlink(missing_ok=True)
                print(f"{path}: {str(error).splitlines()[0][:100]}")
        source.unlink()


if __name__ == "__main__":
    main()
