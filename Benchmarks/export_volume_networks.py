"""Writes networks of volumes, of wide windows and of state spaces as ONNX files, with random weights.

    python3 Benchmarks/export_volume_networks.py FOLDER
    python3 Benchmarks/compare_onnxruntime.py --models FOLDER/*.onnx

Needs torch, onnx and onnxscript (Weights/requirements.txt).
"""

import torch
from torch import nn

from export_small_networks import export


def block(*convolution, dimensions=3, activation=nn.ReLU, **options):
    convolutions, norms = (nn.Conv3d, nn.BatchNorm3d) if dimensions == 3 else (nn.Conv2d, nn.BatchNorm2d)
    return nn.Sequential(convolutions(*convolution, **options), norms(convolution[1]), activation())


class Bottleneck(nn.Module):
    """Channels widened, convolved each by itself, and narrowed again (MobileNetV2, X3D)."""

    def __init__(self, inputs, outputs, size=3, stride=1, expansion=6, activation=nn.SiLU):
        super().__init__()
        inner = inputs * expansion
        stride = stride if isinstance(stride, tuple) else (stride,) * 3
        self.adds = inputs == outputs and stride == (1, 1, 1)
        self.layers = nn.Sequential(
            block(inputs, inner, 1, activation=activation),
            block(inner, inner, size, stride=stride, padding=size // 2, groups=inner, activation=activation),
            block(inner, outputs, 1, activation=nn.Identity))

    def forward(self, x):
        return x + self.layers(x) if self.adds else self.layers(x)


def video():
    """Eight pictures, of which time is never made shorter."""
    return nn.Sequential(
        block(3, 24, (1, 3, 3), stride=(1, 2, 2), padding=(0, 1, 1)),
        block(24, 24, (5, 1, 1), padding=(2, 0, 0), groups=24),
        *(Bottleneck(24, 24, expansion=2, activation=nn.ReLU) for _ in range(2)),
        Bottleneck(24, 48, stride=(1, 2, 2), expansion=2, activation=nn.ReLU), Bottleneck(48, 48, expansion=2),
        nn.AdaptiveAvgPool3d(1), nn.Flatten(), nn.Linear(48, 400))


def volumes():
    """The cubes of a scan, halved with every stage."""
    return nn.Sequential(
        block(1, 32, 3, stride=2, padding=1), Bottleneck(32, 24, stride=2), Bottleneck(24, 24),
        Bottleneck(24, 40, 5, stride=2), Bottleneck(40, 40, 5), Bottleneck(40, 80, stride=2), Bottleneck(80, 80, 5),
        nn.AdaptiveAvgPool3d(1), nn.Flatten(), nn.Linear(80, 5))


class Pyramid(nn.Module):
    """Windows ever wider over one map (Chen et al., Rethinking Atrous Convolution, 2017)."""

    def __init__(self, inputs=320, outputs=256, dilations=(12, 24, 36)):
        super().__init__()
        self.levels = nn.ModuleList(
            [block(inputs, outputs, 1, dimensions=2)]
            + [block(inputs, outputs, 3, padding=d, dilation=d, dimensions=2) for d in dilations])
        self.last = block(outputs * len(self.levels), outputs, 1, dimensions=2)

    def forward(self, x):
        return self.last(torch.cat([level(x) for level in self.levels], 1))


class StateSpace(nn.Module):
    """A diagonal state space as a convolution over the whole sequence (Gu et al., S4D, 2022)."""

    needs_dynamo = True

    def __init__(self, channels=64, states=32):
        super().__init__()
        self.step = nn.Parameter(torch.rand(channels, 1) * 0.1)
        self.decay = nn.Parameter(torch.rand(channels, states) + 0.5)
        self.frequency = nn.Parameter(torch.arange(states).float().repeat(channels, 1))
        self.output = nn.Parameter(torch.randn(channels, states))
        self.mix = nn.Linear(channels, channels)

    def forward(self, x):
        length = x.shape[1]
        time = self.step.unsqueeze(-1) * torch.arange(length, dtype=torch.float32)
        waves = torch.exp(-self.decay.unsqueeze(-1) * time) * torch.cos(self.frequency.unsqueeze(-1) * time)
        kernel = (self.output.unsqueeze(-1) * waves).sum(1)
        spectrum = torch.fft.rfft(x.transpose(1, 2), n=2 * length) * torch.fft.rfft(kernel, n=2 * length)
        y = torch.fft.irfft(spectrum, n=2 * length)[..., :length]
        return self.mix(nn.functional.gelu(y.transpose(1, 2)))


def networks():
    return {
        "pyramid-16": (Pyramid(), torch.randn(1, 320, 16, 16)),
        "pyramid-32": (Pyramid(), torch.randn(1, 320, 32, 32)),
        "state-space": (StateSpace(), torch.randn(1, 256, 64)),
        "video": (video(), torch.randn(1, 3, 8, 64, 64)),
        "volumes": (volumes(), torch.randn(1, 1, 48, 48, 48)),
    }


if __name__ == "__main__":
    export(__doc__, networks)
