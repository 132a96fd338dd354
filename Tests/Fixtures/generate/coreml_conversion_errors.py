"""Networks that coremltools 9.0 converts to something else, beside what PyTorch computes: Tests/Fixtures/coreml-conversion/<name>.mlpackage
and <name>.npz.

    python coreml_conversion_errors.py          # coremltools 9.0, torch, numpy

Later releases convert them rightly. Each has layers before and after the one that goes wrong:

    atan2       0 instead of pi for y = 0 and x < 0
    pow         y ** 2 instead of 2 ** y for a constant base of 2: Core ML itself computes it so
    triu        NaN where an infinity is to become 0
    roll        a negative shift along an axis of open length, which Core ML's mod leaves negative
    reciprocal  1 / (x + 1e-4)
"""
import shutil
import sys
import warnings
from pathlib import Path

warnings.filterwarnings("ignore")

import coremltools as ct
import numpy as np
import torch

ROOT = Path(__file__).resolve().parents[3]
OUT = ROOT / "Tests/Fixtures/coreml-conversion"
sys.path.insert(0, str(ROOT / "Weights/reference"))
import coreml_reference


class Atan2(torch.nn.Module):
    def forward(self, x):
        return torch.atan2(torch.relu(x), x)


class Pow(torch.nn.Module):
    def forward(self, x):
        return torch.pow(2.0, x)


class Triu(torch.nn.Module):
    def forward(self, x):
        return torch.triu(torch.where(x > 0, float("-inf"), x), 1)


class Roll(torch.nn.Module):
    def forward(self, x):
        return torch.roll(x, -2, 1)


class Reciprocal(torch.nn.Module):
    def forward(self, x):
        return torch.reciprocal(torch.abs(x) + 0.01)


class Network(torch.nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.before = torch.nn.Linear(6, 6)
        self.layer = layer
        self.after = torch.nn.Linear(6, 4)

    def forward(self, x):
        return self.after(torch.clamp(self.layer(self.before(x)), -3, 3))


torch.manual_seed(8)
OUT.mkdir(exist_ok=True)
for layer in (Atan2(), Pow(), Triu(), Roll(), Reciprocal()):
    name = type(layer).__name__.lower()
    network = Network(layer).eval()
    x = torch.randn(1, 5, 6)
    length = ct.RangeDim(2, 9, 5) if name == "roll" else 5
    model = ct.convert(
        torch.jit.trace(network, x), inputs=[ct.TensorType("x", shape=(1, length, 6), dtype=np.float32)],
        outputs=[ct.TensorType("y", dtype=np.float32)], minimum_deployment_target=ct.target.iOS16,
        compute_precision=ct.precision.FLOAT32, skip_model_load=True)
    package = OUT / f"{name}.mlpackage"
    shutil.rmtree(package, ignore_errors=True)
    model.save(str(package))
    print(name, [(o.op_type, o.outputs[0].name) for o in coreml_reference.operations(model)],
          coreml_reference.write_reference(network, {"x": x}, model, OUT / f"{name}.npz"))
