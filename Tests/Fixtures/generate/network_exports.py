"""Writes Tests/Fixtures/networks: networks that Apus has in Swift too, as PyTorch exports them.

    python network_exports.py          # torch 2.13, onnx, safetensors

`resnet.safetensors` has the parameters of a ResNet of few channels. `resnet.onnx` has the same with normalisations folded into
convolutions, as torch.onnx.export(dynamo=False) does; `resnet.pt2` has them by themselves. In `transposed.onnx` the kernel of
layer2.0.conv2 has height and width exchanged. `bert.pt2` is the network `bert-sequence` of Weights/reference.
"""
import sys
import warnings
import zipfile
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import nn

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "Tests/Fixtures/networks"
sys.path.insert(0, str(ROOT / "Weights/reference"))

from classifiers import BasicBlock, ResNet, conv_norm  # noqa: E402
from export_onnx import Positional  # noqa: E402
from parity import all_networks  # noqa: E402

warnings.filterwarnings("ignore")


class SmallResNet(ResNet):
    """A block a stage, from 4 channels on."""

    def __init__(self):
        nn.Module.__init__(self)
        self.conv1 = nn.Conv2d(3, 4, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(4)
        self.relu = nn.ReLU()
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        inputs = 4
        for number in range(4):
            channels, stride = 4 << number, 2 if number else 1
            shortcut = conv_norm(inputs, channels, 1, stride, activation=None) if number else None
            setattr(self, f"layer{number + 1}", nn.Sequential(BasicBlock(inputs, channels, stride, shortcut, 1, 64)))
            inputs = channels
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(inputs, 10)

    def forward(self, images):
        return super().forward(images)["logits"]


def trained(module):
    """Normalisations with statistics of their own, as after training."""
    for layer in module.modules():
        if isinstance(layer, nn.BatchNorm2d):
            layer.running_mean.normal_(0, 0.3)
            layer.running_var.uniform_(0.3, 2)
            layer.weight.data.uniform_(0.7, 1.4)
            layer.bias.data.normal_(0, 0.3)
    return module.eval()


def write_program(module, inputs, path):
    """A program as PyTorch writes it, deflated."""
    torch.export.save(torch.export.export(module, inputs), path)
    with zipfile.ZipFile(path) as archive:
        members = [(info.filename, archive.read(info)) for info in archive.infolist()]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)


def main():
    FOLDER.mkdir(exist_ok=True)
    torch.manual_seed(3)
    module = trained(SmallResNet())
    state = {name: value for name, value in module.state_dict().items() if value.is_floating_point()}
    save_file(state, FOLDER / "resnet.safetensors")
    images = torch.rand(1, 3, 48, 64)
    write_program(module, (images,), FOLDER / "resnet.pt2")
    options = dict(dynamo=False, opset_version=17, input_names=["images"], output_names=["classes"])
    torch.onnx.export(module, (images,), str(FOLDER / "resnet.onnx"), **options)
    with torch.no_grad():
        kernel = module.layer2[0].conv2.weight
        kernel.copy_(kernel.transpose(2, 3).clone())
    torch.onnx.export(module, (images,), str(FOLDER / "transposed.onnx"), **options)

    network = all_networks()["bert-sequence"]
    inputs = network.inputs(next(iter(network.samples)))
    write_program(Positional(network.module(), list(inputs), ["logits"]).eval(), tuple(inputs.values()), FOLDER / "bert.pt2")


if __name__ == "__main__":
    main()
