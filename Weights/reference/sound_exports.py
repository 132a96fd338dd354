"""Exports the networks of this folder, and the shipped ones, in three ways, and has `apus parity` judge each: all must be sound.

    python Weights/reference/sound_exports.py --apus .build/release/apus [--networks tcn lstm …] [--folder FOLDER]

The ways are torch.onnx.export with `dynamo=False` and `dynamo=True`, and coremltools (a TorchScript trace in FLOAT32). Each file is
judged by what was recorded of the PyTorch module (torch_reference.py, coreml_reference.py), and each of the later two as a model
against the first file, on the same inputs. What an exporter refuses is listed with its reason, and is no file to be judged.
"""

import argparse
import contextlib
import io
import json
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file

import coreml_reference
import torch_reference
from behavior_classifier import BehaviorClassifier
from export_onnx import Positional
from parity import all_networks, call
from yolo import SIZES, YOLOv8

warnings.filterwarnings("ignore")
WEIGHTS = Path(__file__).resolve().parent.parent


class Detections(torch.nn.Module):
    """A YOLO network with one output, as it has it under an exporter of ONNX alone."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, images):
        found = self.module(images)
        parts = ["output"] if "output" in found else [name for name in ("boxes", "scores", "keypoints") if name in found]
        return torch.cat([found[name] for name in parts], 1)


def behavior():
    module = BehaviorClassifier()
    module.load_state_dict(load_file(WEIGHTS / "behavior/shipped/behavior-classifier.safetensors"))
    samples = load_file(WEIGHTS / "behavior/samples/golden.safetensors")
    return module.eval(), {"pose_sequence": samples["input.walking"]}


def detector():
    module = YOLOv8(SIZES["v8"]["p"], 3, (17, 3))
    stored = load_file(WEIGHTS / "detector/shipped/model.safetensors")
    module.load_state_dict({name: value.float() for name, value in stored.items()}, strict=False)
    torch.manual_seed(1)
    coarse = torch.rand(1, 3, 10, 10)
    picture = torch.nn.functional.interpolate(coarse, (320, 320), mode="bicubic").clamp(0, 1)
    return Detections(module).eval(), {"images": picture}


def positional(module, inputs, outputs=None):
    """The network as exporters take it: inputs by place, outputs a tuple."""
    if not outputs:
        with torch.no_grad():
            outputs = list(call(module, inputs, torch.float32))
    return Positional(module, list(inputs), outputs).eval()


def generated(network):
    module = network.module().float().eval()
    inputs = network.inputs(network.onnx_sample or next(iter(network.samples)))
    if network.name.startswith("yolo"):
        return Detections(module).eval(), {"images": inputs[""]}
    named = {name or "input": value for name, value in inputs.items()}
    return positional(module, inputs, network.onnx_outputs), named


def exported(module, inputs, path, dynamo):
    options = {"external_data": False, "verbose": False} if dynamo else {"opset_version": 20}
    torch.onnx.export(module, tuple(inputs.values()), str(path), dynamo=dynamo, input_names=list(inputs), **options)


def write(way, module, inputs, path, reference):
    """Writes the file of one way and what was recorded of the module."""
    if way == "coreml":
        model, runnable = coreml_reference.convert(module, inputs, "trace", "float32", "iOS16")
        model.save(str(path))
        coreml_reference.write_reference(runnable, inputs, model, reference)
    else:
        exported(module, inputs, path, way == "dynamo")
        torch_reference.write_reference(module, inputs, path, reference)


def judge(apus, *arguments):
    """Whether parity says that all is equal, and what it says otherwise."""
    run = subprocess.run([apus, "parity", *map(str, arguments), "--json"], capture_output=True, text=True)
    if run.returncode not in (0, 1):
        return False, run.stderr.strip()
    first = next((s for s in json.loads(run.stdout)["data_sets"] if not s["equal"]), None)
    return run.returncode == 0, first and f"{first['verdict']} at {first.get('first_difference')}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--apus", default=".build/release/apus", help="the command")
    parser.add_argument("--networks", nargs="+", help="default: all")
    parser.add_argument("--folder", type=Path, help="a folder that keeps the files")
    options = parser.parse_args()
    makers = {"behavior-shipped": behavior, "detector-shipped": detector}
    makers |= {name: lambda network=network: generated(network) for name, network in all_networks().items()}
    judged, unsound, refused = 0, [], []
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for name in options.networks or makers:
            module, inputs = makers[name]()
            given = folder / f"{name}.npz"
            np.savez(given, **{key: value.numpy() for key, value in inputs.items()})
            first = None
            for way, ending in (("script", "onnx"), ("dynamo", "onnx"), ("coreml", "mlpackage")):
                path, reference = folder / f"{name}-{way}.{ending}", folder / f"{name}-{way}.safetensors"
                try:
                    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                        write(way, module, inputs, path, reference)
                except Exception as error:
                    refused.append(f"{name}, {way}: {type(error).__name__}: {str(error).splitlines()[0][:100]}")
                    continue
                trials = {"by values": (path, reference)}
                if first:
                    trials["by model"] = (path, first, "--inputs", given if way != "coreml" else reference)
                first = first or path
                for how, arguments in trials.items():
                    sound, said = judge(options.apus, *arguments)
                    judged += 1
                    print(f"{'sound' if sound else 'NOT SOUND'}  {name}, {way}, {how}{'' if sound else f': {said}'}", flush=True)
                    if not sound:
                        unsound.append(f"{name}, {way}, {how}")
    for reason in refused:
        print(f"not exported  {reason}")
    print(f"{judged - len(unsound)} of {judged} judged sound")
    sys.exit(1 if unsound or not judged else 0)


if __name__ == "__main__":
    main()
