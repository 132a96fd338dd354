"""Golden outputs of the behaviour classifier on untrained parameters.

    python Tests/Fixtures/generate/behavior_classifier.py

The parameters are too many to store, so both sides compute them: element i of parameter p (in the order of the state
dictionary, without `num_batches_tracked`) of network n is made from the number SplitMix64 gives for the counter
(n << 48) + (p << 32) + i. Every value is exact in float32. `parameter_values` says how; the Swift tests do the same.
"""

import importlib.util
import pathlib

import numpy as np
import torch

from golden import GoldenFile

ROOT = pathlib.Path(__file__).resolve().parents[3]
REFERENCE = ROOT / "Weights" / "reference" / "behavior_classifier.py"

# The spread of a weight, by layer: a power of two near He's for its fan-in.
SPREAD = {
    "encoder.0": 0.25, "encoder.3": 0.25, "encoder.6": 0.25,
    "fc_mu": 0.0625, "classifier.0": 1.0, "classifier.3": 0.5,
}
NORMALIZATIONS = ("encoder.2", "encoder.5", "encoder.8")


def reference_class():
    spec = importlib.util.spec_from_file_location("reference_behavior_classifier", REFERENCE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.BehaviorClassifier


def unit_values(counter, count):
    """`count` values in 0..<1, multiples of 2^-24: the upper bits of SplitMix64 from `counter` on."""
    with np.errstate(over="ignore"):
        z = np.uint64(counter) + np.arange(1, count + 1, dtype=np.uint64)
        z *= np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return (z >> np.uint64(40)).astype(np.float32) * np.float32(2.0**-24)


def parameter_values(name, counter, count):
    layer, _, kind = name.rpartition(".")
    values = unit_values(counter, count)
    if layer in NORMALIZATIONS:
        return {
            "weight": values + np.float32(0.5), "bias": (values - np.float32(0.5)) * np.float32(0.5),
            "running_mean": values * np.float32(0.5), "running_var": values + np.float32(0.5),
        }[kind]
    return (values - np.float32(0.5)) * np.float32(SPREAD[layer] if kind == "weight" else 0.5)


def network(number, dtype):
    model = reference_class()()
    state = {}
    names = [name for name in model.state_dict() if not name.endswith("num_batches_tracked")]
    for index, name in enumerate(names):
        shape = model.state_dict()[name].shape
        values = parameter_values(name, (number << 48) + (index << 32), shape.numel())
        state[name] = torch.from_numpy(values).reshape(shape)
    model.load_state_dict(state, strict=False)
    return model.eval().to(dtype)


def outputs(number):
    def function(poses):
        model = network(number, poses.dtype)
        return {"logits": model(poses), "probabilities": model.probabilities(poses)}

    return function


def poses(batch):
    return lambda generator: {"poses": torch.rand(batch, 48, 100, generator=generator)}


if __name__ == "__main__":
    torch.set_num_threads(1)
    golden = GoldenFile("behavior_classifier", __file__)
    golden.case("one window", poses(1), outputs(1), {"network": 1})
    golden.case("three windows", poses(3), outputs(2), {"network": 2}, seeds=range(2))
    golden.write()
