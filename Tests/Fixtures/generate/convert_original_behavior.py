"""Converts the original behaviour model, an ONNX file that does not ship, into what Apus reads.

    python Tests/Fixtures/generate/convert_original_behavior.py dog_behavior_classifier.onnx FOLDER

Writes FOLDER/dog_behavior_classifier.safetensors, the parameters under their own names, and, where ONNX Runtime is
installed, FOLDER/dog_behavior_classifier.golden.safetensors: zeros, ramps and random poses with what ONNX Runtime makes
of them and what float64 arithmetic does. With APUS_CONVERTED_MODELS=FOLDER the tests use the first, and

    apus verify --model behavior-classifier --weights FOLDER/dog_behavior_classifier.safetensors \\
        --golden FOLDER/dog_behavior_classifier.golden.safetensors

both. Needs the packages onnx and safetensors, for the second file also onnxruntime and torch.
"""

import pathlib
import sys

import numpy as np
import onnx
from safetensors.numpy import save_file

LABELS = (
    "sit down stand stay lying heel come fetch drop wait leave_it walking trotting running jumping spinning rolling "
    "playing alert sniffing looking"
).split()
METADATA = {
    "model": "dog_behavior_classifier", "labels": ",".join(LABELS), "separable_labels": "sit,down,stand",
    "trained_on": "static poses, labelled by a rule on the height of the withers",
}


def poses():
    """Inputs `[1, 48, 100]` by name: those of the acceptance tests, and others inside 0...1."""
    channel, frame = np.meshgrid(np.arange(48), np.arange(100), indexing="ij")
    random = np.random.default_rng(20240)
    samples = {
        "zeros": np.zeros((48, 100)), "ones": np.ones((48, 100)),
        "ramp": (100 * channel + frame) / 4800, "ramp-time-major": (48 * frame + channel) / 4800,
    }
    for index in range(8):
        samples[f"still-{index}"] = np.repeat(random.random((48, 1)), 100, axis=1)
        samples[f"random-{index}"] = random.random((48, 100))
    return {name: value.astype(np.float32)[np.newaxis] for name, value in samples.items()}


def golden(path, parameters):
    import onnxruntime
    import torch

    from behavior_classifier import reference_class

    double = reference_class()()
    double.load_state_dict({name: torch.from_numpy(value.copy()) for name, value in parameters.items()}, strict=False)
    double = double.eval().double()
    # The logits are the input of the last node, the softmax.
    model = onnx.load(path)
    logits = model.graph.node[-1].input[0]
    model.graph.output.append(onnx.helper.make_tensor_value_info(logits, onnx.TensorProto.FLOAT, None))
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    tensors = {}
    for name, value in poses().items():
        probabilities, values = session.run([model.graph.output[0].name, logits], {"pose_sequence": value})
        with torch.no_grad():
            truth = double(torch.from_numpy(value).double())
        tensors[f"input.{name}"] = value
        tensors[f"output.logits.{name}"] = truth.numpy()
        tensors[f"output.probabilities.{name}"] = torch.softmax(truth, dim=-1).numpy()
        tensors[f"output32.logits.{name}"] = values
        tensors[f"output32.probabilities.{name}"] = probabilities
    return tensors


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    path, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    parameters = {
        tensor.name: np.ascontiguousarray(onnx.numpy_helper.to_array(tensor))
        for tensor in onnx.load(path).graph.initializer
    }
    folder.mkdir(parents=True, exist_ok=True)
    save_file(parameters, folder / "dog_behavior_classifier.safetensors", metadata=METADATA)
    print(f"{sum(value.size for value in parameters.values())} parameters")
    try:
        tensors = golden(path, parameters)
    except ImportError as missing:
        print(f"no golden outputs: {missing}")
        return
    save_file(tensors, folder / "dog_behavior_classifier.golden.safetensors", metadata=METADATA)
    print(f"{len(tensors)} golden tensors")


if __name__ == "__main__":
    main()
