"""Exports a checkpoint as safetensors and as ONNX (compared in ONNX Runtime), and writes the golden outputs.

    python Weights/behavior/training/export.py [--checkpoint Weights/behavior/training/checkpoint.pt]
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from safetensors.torch import load_file, save_file

import samples
from evaluate import load
from labels import FRAMES_PER_SECOND, HERE, LABELS, SAMPLES, SEPARABLE, SHIPPED, WINDOW
from train import SEED

SAFETENSORS = SHIPPED / "behavior-classifier.safetensors"
ONNX = SHIPPED / "behavior-classifier.onnx"
GOLDEN = SAMPLES / "golden.safetensors"
PROVENANCE = {
    "model": "behavior-classifier", "labels": ",".join(LABELS), "separable_labels": ",".join(SEPARABLE),
    "frames_per_second": str(FRAMES_PER_SECOND), "trained_on": "synthetic motion only (Weights/behavior)", "training_script": "Weights/behavior/training/train.py",
    "seed": str(SEED), "torch": torch.__version__.split("+")[0],
}


class Probabilities(torch.nn.Module):
    """The network with its softmax, as the ONNX file computes it."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, pose_sequence):
        return self.model.probabilities(pose_sequence)


def save_sorted(tensors, path, metadata):
    """`save_file` with sorted metadata; by default the order differs from run to run."""
    save_file(tensors, path, metadata=metadata)
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + length])
    header["__metadata__"] = dict(sorted(header["__metadata__"].items()))
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    path.write_bytes(data[:8] + text.ljust(length) + data[8 + length:])
    path.chmod(0o644)


def write_safetensors(model):
    state = {name: tensor.detach().float().contiguous() for name, tensor in model.state_dict().items()
             if not name.endswith("num_batches_tracked")}
    save_sorted(state, SAFETENSORS, {"format": "pt", **PROVENANCE})
    return sum(t.numel() for t in state.values())


def write_onnx(model):
    torch.onnx.export(
        Probabilities(model).eval(), (torch.zeros(1, 48, WINDOW),), str(ONNX), opset_version=17, dynamo=False,
        input_names=["pose_sequence"], output_names=["behavior_probs"],
        dynamic_axes={"pose_sequence": {0: "batch"}, "behavior_probs": {0: "batch"}},
    )
    proto = onnx.load(ONNX)
    onnx.helper.set_model_props(proto, PROVENANCE)
    proto.doc_string = "Dog behaviour from 24 keypoints over 100 frames; trained on synthetic motion only."
    onnx.checker.check_model(proto, full_check=True)
    onnx.save(proto, ONNX)


def prove_twin(windows):
    """Largest differences between both files' outputs and float64, over the samples and random input."""
    generator = torch.Generator().manual_seed(7)
    inputs = torch.cat([windows, torch.rand(64, 48, WINDOW, generator=generator), torch.zeros(1, 48, WINDOW)])
    session = onnxruntime.InferenceSession(str(ONNX), providers=["CPUExecutionProvider"])
    (twin,) = session.run(["behavior_probs"], {"pose_sequence": inputs.numpy()})
    model = load(weights=SAFETENSORS)
    with torch.no_grad():
        single = model.probabilities(inputs).numpy()
        double = model.double().probabilities(inputs.double()).numpy()
    distances = {"onnx - torch": np.abs(twin - single).max(), "onnx - float64": np.abs(twin - double).max(),
                 "torch - float64": np.abs(single - double).max()}
    stored = {i.name: onnx.numpy_helper.to_array(i) for i in onnx.load(ONNX).graph.initializer}
    for name, tensor in load_file(SAFETENSORS).items():
        twins = [a for key, a in stored.items() if key.removeprefix("model.") == name]
        if not twins or not any(np.array_equal(a, tensor.numpy()) for a in twins):
            raise SystemExit(f"{name} is not the same in both files")
    if max(distances.values()) > 2e-5:
        raise SystemExit(f"the two files disagree: {distances}")
    return distances


@torch.no_grad()
def write_golden(names):
    single, double = load(weights=SAFETENSORS), load(weights=SAFETENSORS).double()
    tensors = {}
    for name in names:
        window = torch.from_numpy(samples.read(name)[:, :, :WINDOW]).contiguous()
        tensors[f"input.{name}"] = window
        for key, model, poses in (("output", double, window.double()), ("output32", single, window)):
            logits = model(poses)
            tensors[f"{key}.logits.{name}"] = logits
            tensors[f"{key}.probabilities.{name}"] = torch.softmax(logits, dim=-1)
    save_sorted(tensors, GOLDEN, {
        **PROVENANCE, "written_by": "Weights/behavior/training/export.py",
        "content": "first 100 frames of each sample clip; output.* float64, output32.* float32, "
                   "both by PyTorch on the CPU",
    })


@torch.no_grad()
def check_samples(model):
    """Prints every clip's label and confidence; returns the clips with a wrong label or a confidence below 0.7."""
    failures = []
    print("| clip | label | first window | confidence | least confidence in any window |\n|---|---|---|---:|---:|")
    for entry in samples.CLIPS:
        poses = torch.from_numpy(samples.read(entry["name"]))[0]
        windows = poses.unfold(1, WINDOW, 1).permute(1, 0, 2).contiguous()
        p = model.probabilities(windows).numpy()
        first = LABELS[p[0].argmax()]
        wanted = LABELS.index(entry["label"])
        least = "" if "then" in entry else f"{p[:, wanted].min():.4f}"
        note = f", last window {LABELS[p[-1].argmax()]} {p[-1].max():.4f}" if "then" in entry else ""
        print(f"| {entry['name']} | {entry['label']} | {first}{note} | {p[0].max():.4f} | {least} |")
        wrong_end = "then" in entry and (LABELS[p[-1].argmax()] != entry["then"] or p[-1].max() < 0.7)
        if first != entry["label"] or p[0].max() < 0.7 or wrong_end:
            failures.append(entry["name"])
    return failures


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", type=Path, default=HERE / "checkpoint.pt")
    options = parser.parse_args()
    torch.set_num_threads(1)
    trained = load(options.checkpoint)
    print(f"{write_safetensors(trained)} floats")
    write_onnx(trained)
    names = [entry["name"] for entry in samples.CLIPS]
    first_windows = torch.from_numpy(np.concatenate([samples.read(name)[:, :, :WINDOW] for name in names]))
    print({key: f"{value:.1e}" for key, value in prove_twin(first_windows).items()})
    write_golden(names)
    failed = check_samples(trained)
    if failed:
        sys.exit(f"clips whose label is not predicted with at least 0.7: {failed}")
