"""A network that coremltools converted, once as it is and once with each of several errors, beside what PyTorch computed:
Tests/Fixtures/coreml-parity/<error>.mlpackage and <error>.npz.

    python coreml_parity.py          # coremltools 9.0, torch, numpy; onnx, onnxscript

`right.onnx` is the network without an error as torch.onnx.export(dynamo=True) writes it, with names of its own: what the packages are
held against as models.

Names of values are those that coremltools recorded (Weights/reference/coreml_reference.py).
"""
import copy
import shutil
import sys
import warnings
from pathlib import Path

warnings.filterwarnings("ignore")

import coremltools as ct
import numpy as np
import torch

ROOT = Path(__file__).resolve().parents[3]
OUT = ROOT / "Tests/Fixtures/coreml-parity"
sys.path.insert(0, str(ROOT / "Weights/reference"))
import coreml_reference


class Square(torch.nn.Module):
    def forward(self, x):
        return x * x


class Block(torch.nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = torch.nn.Conv2d(channels, channels, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(channels)
        self.norm.running_var.uniform_(0.5, 1.5)
        self.norm.running_mean.normal_(0, 0.2)

    def forward(self, x):
        return x + torch.relu(self.norm(self.conv(x)))


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = torch.nn.Conv2d(3, 4, 3, stride=2)
        self.blocks = torch.nn.Sequential(Block(4), Block(4))
        self.widen = torch.nn.Linear(4, 8)
        self.norm = torch.nn.LayerNorm(8)
        self.energy = torch.nn.Linear(8, 8)
        self.square = Square()
        self.head = torch.nn.Linear(8, 5)

    def forward(self, x):
        x = self.widen(self.blocks(self.stem(x)).mean((2, 3)))
        return self.head(self.square(self.energy(self.norm(x))))


def planted(network, error):
    network = copy.deepcopy(network)
    with torch.no_grad():
        if error == "epsilon":
            network.norm.eps = 1e-3
        if error == "weight":
            network.blocks[0].conv.weight[1, 2, 1, 1] += 0.05
        if error == "transposed":
            weight = network.blocks[1].conv.weight
            weight.copy_(weight.transpose(2, 3).clone())
    return network


torch.manual_seed(5)
network = Network().eval()
with torch.no_grad():
    network.energy.weight *= 500  # squares beyond 65504
image = torch.randn(1, 3, 9, 9)
OUT.mkdir(exist_ok=True)
for error in ("right", "epsilon", "weight", "transposed", "overflow"):
    precision = ct.precision.FLOAT32
    if error == "overflow":
        precision = ct.transform.FP16ComputePrecision(op_selector=lambda operation: operation.op_type in ("square", "mul"))
    model = ct.convert(
        torch.jit.trace(planted(network, error), image), inputs=[ct.TensorType("image", shape=image.shape, dtype=np.float32)],
        outputs=[ct.TensorType("scores", dtype=np.float32)], minimum_deployment_target=ct.target.iOS16, compute_precision=precision,
        skip_model_load=True)
    package = OUT / f"{error}.mlpackage"
    shutil.rmtree(package, ignore_errors=True)
    model.save(str(package))
    print(error, coreml_reference.write_reference(network, {"image": image}, model, OUT / f"{error}.npz"))
torch.onnx.export(
    network, (image,), OUT / "right.onnx", dynamo=True, input_names=["image"], output_names=["scores"], external_data=False, verbose=False)
