"""Exports a network of this folder, with its generated weights, for other runtimes.

    python Weights/reference/export_onnx.py NAME OUT.onnx [--safetensors FILE] [--inputs FILE.npz]

The ONNX model takes the inputs of the network's sample, in that shape, and gives its outputs. `--safetensors` also writes
the weights under their state-dict names, and `--inputs` the sample's inputs under the ONNX model's names.
"""

import argparse
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file

from parity import all_networks, call


class Positional(torch.nn.Module):
    """A network whose inputs have places instead of names, and whose outputs are a tuple."""

    def __init__(self, module, names, outputs):
        super().__init__()
        self.module, self.names, self.outputs = module, names, outputs

    def forward(self, *inputs):
        results = call(self.module, dict(zip(self.names, inputs)), torch.float32)
        return tuple(results[name] for name in self.outputs)


def export(network, path):
    """Writes the ONNX file; returns the inputs it was traced with."""
    module = network.module()
    sample = network.onnx_sample or next(iter(network.samples))
    inputs = network.inputs(sample)
    with torch.no_grad():
        outputs = network.onnx_outputs or list(call(module, inputs, torch.float32))
        torch.onnx.export(
            Positional(module, list(inputs), outputs).eval(), tuple(inputs.values()), str(path), opset_version=17,
            dynamo=False, input_names=[name or "input" for name in inputs], output_names=outputs)
    return inputs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("path", metavar="OUT.onnx", type=Path)
    parser.add_argument("--safetensors", metavar="FILE", type=Path)
    parser.add_argument("--inputs", metavar="FILE.npz", type=Path)
    arguments = parser.parse_args()
    networks = all_networks()
    if arguments.name not in networks:
        parser.error(f"no network named {arguments.name}; there are {', '.join(networks)}")
    network = networks[arguments.name]
    inputs = export(network, arguments.path)
    if arguments.inputs:
        np.savez(arguments.inputs, **{name or "input": value.numpy() for name, value in inputs.items()})
    if arguments.safetensors:
        parameters = network.parameters()
        state = network.module().state_dict()
        # Tied parameters share memory, which the format does not know.
        save_file({name: state[name].clone().contiguous() for name in parameters}, arguments.safetensors)


if __name__ == "__main__":
    main()
