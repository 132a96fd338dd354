"""What Python and Swift agree on: numbers made from a counter, and golden files of whole networks.

A network's weights are generated, parameter by parameter, from the parameter's name and a stated mean and deviation, so
that a golden file of some hundred kilobytes stands for a network of a hundred megabytes. The same lines are in
Sources/Apus/Parity/GeneratedTensors.swift.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch

GOLDEN = Path(__file__).resolve().parent / "golden"


def generated(name, shape, mean=0.0, deviation=1.0):
    """Bell-shaped numbers as float32: the FNV-1a hash of the name is the seed, SplitMix64 hashes the counter, and the
    four 16-bit parts of a hash are added up."""
    seed = 0xCBF29CE484222325
    for byte in name.encode():
        seed = (seed ^ byte) * 0x100000001B3 % 2**64
    count = int(np.prod(shape, dtype=np.int64))
    with np.errstate(over="ignore"):
        h = np.uint64(seed) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        h ^= h >> np.uint64(31)
    parts = sum((h >> np.uint64(shift)) & np.uint64(0xFFFF) for shift in (0, 16, 32, 48))
    z = (parts.astype(np.int64) - 131070) * 2.642914e-05  # the square root of 3, divided by 65536
    return (mean + deviation * z).astype(np.float32).reshape(shape)


@dataclass
class GeneratedImage:
    """A picture of random blocks under fine noise, `[batch, channels, height, width]`; `cell` divides both sides."""

    shape: list[int]
    cell: int

    def tensor(self, name):
        batch, channels, height, width = self.shape
        blocks = generated(f"{name}.blocks", [batch, channels, height // self.cell, width // self.cell], 0.5, 0.2)
        blocks = blocks.repeat(self.cell, axis=2).repeat(self.cell, axis=3)
        return torch.from_numpy(blocks + generated(f"{name}.noise", self.shape, 0.0, 0.05))


@dataclass
class Network:
    """A network whose golden file `golden.py` writes."""

    name: str
    #: Makes the module, in evaluation mode; called with the inputs of a sample, it returns a tensor (the output named
    #: `output`) or a dictionary of tensors.
    build: Callable[[], torch.nn.Module]
    #: What the Swift model is configured from; becomes JSON.
    configuration: dict
    #: `(name, shape) -> (mean, deviation)` of each parameter and buffer of floating-point numbers.
    scale: Callable[[str, list[int]], tuple[float, float]]
    #: Inputs by name for each sample; a `GeneratedImage` (or a tensor) alone for a network with one input. Names of samples have no dots.
    samples: dict
    #: Modules whose outputs are golden, too, by their paths.
    activations: list[str] = field(default_factory=list)
    #: Returns pairs of `(what changed, how much distant outputs changed)`: the relative RMS after a change of one token
    #: or one patch. All must be 0.05 at least.
    sensitivity: Callable[[torch.nn.Module, dict], list[tuple[str, float]]] | None = None
    #: Modules that the check of magnitudes skips, with reasons in a comment.
    unchecked: tuple[str, ...] = ()
    #: The sample that `export_onnx.py` traces with.
    onnx_sample: str | None = None
    #: The outputs that the ONNX model has; all when None.
    onnx_outputs: list[str] | None = None

    def parameters(self):
        """`{name: (shape, mean, deviation)}` of everything the Swift model reads."""
        state = self.build().state_dict()
        return {name: (list(value.shape), *map(float, self.scale(name, list(value.shape))))
                for name, value in state.items() if value.is_floating_point()}

    def module(self):
        """The network with its generated weights, in float32."""
        module = self.build().eval()
        state = module.state_dict(keep_vars=True)
        with torch.no_grad():
            for name, (shape, mean, deviation) in self.parameters().items():
                state[name].copy_(torch.from_numpy(generated(name, shape, mean, deviation)))
        return module

    def inputs(self, sample):
        """The inputs of a sample by name; "" is the name of an only input."""
        value = self.samples[sample]
        if not isinstance(value, dict):
            value = {"": value}
        return {key: item.tensor(sample) if isinstance(item, GeneratedImage) else item for key, item in value.items()}


def call(module, inputs, dtype):
    """The outputs by name, with floating-point inputs in `dtype`."""
    cast = {key: value.to(dtype) if value.is_floating_point() else value for key, value in inputs.items()}
    result = module(cast[""]) if "" in cast else module(**cast)
    return {"output": result} if torch.is_tensor(result) else dict(result)


def all_networks():
    """Every network of the families in this folder, by name."""
    import importlib

    networks = {}
    for path in sorted(Path(__file__).parent.glob("*.py")):
        if "NETWORKS" in path.read_text():
            for network in getattr(importlib.import_module(path.stem), "NETWORKS", []):
                networks[network.name] = network
    return networks


def relative_change(before, after):
    """How much `after` differs from `before`: the RMS of the difference over the RMS of what varies in `before`."""
    before, after = before.double(), after.double()
    return float((after - before).pow(2).mean().sqrt() / (before - before.mean()).pow(2).mean().sqrt())


def to_json(value):
    return json.dumps(value, separators=(",", ":"))
