"""Writes small networks as ONNX files, with random weights: those of which a run takes some ten microseconds.

    python3 Benchmarks/export_small_networks.py FOLDER
    python3 Benchmarks/compare_onnxruntime.py --models FOLDER/*.onnx

What a node costs beside its arithmetic is most of what is measured. Needs torch and onnx (Weights/requirements.txt).
"""

import argparse
import pathlib
import warnings

import torch
from torch import nn


def perceptron(*widths, activation=nn.ReLU):
    layers = []
    for inputs, outputs in zip(widths, widths[1:]):
        layers += [nn.Linear(inputs, outputs), activation()]
    return nn.Sequential(*layers[:-1])


class Policy(nn.Module):
    """Observations, scaled and bounded, to the torques of a robot's joints."""

    def __init__(self):
        super().__init__()
        self.mean = nn.Parameter(torch.randn(48))
        self.variance = nn.Parameter(torch.rand(48) + 0.5)
        self.layers = perceptron(48, 128, 128, 64, 12, activation=nn.ELU)

    def forward(self, x):
        return self.layers(torch.clamp((x - self.mean) / torch.sqrt(self.variance), -5, 5))


class KeywordSpotter(nn.Module):
    """Depthwise separable convolutions over a second of a spectrum."""

    def __init__(self, channels=64):
        super().__init__()

        def block(*convolution, **options):
            return [nn.Conv2d(*convolution, **options), nn.BatchNorm2d(channels), nn.ReLU()]

        layers = block(1, channels, (10, 4), stride=2, padding=(5, 1))
        for _ in range(4):
            layers += block(channels, channels, 3, padding=1, groups=channels) + block(channels, channels, 1)
        self.layers = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 12))

    def forward(self, x):
        return self.layers(x)


class VoiceDetector(nn.Module):
    """A filter bank, convolutions and an LSTM whose state goes in and comes out."""

    def __init__(self):
        super().__init__()
        self.maps = nn.Sequential(
            nn.Conv1d(1, 64, 64, stride=32), nn.ReLU(), nn.Conv1d(64, 64, 3, padding=1), nn.ReLU(),
            nn.Conv1d(64, 64, 3, stride=2, padding=1), nn.ReLU())
        self.lstm = nn.LSTM(64, 64)
        self.head = nn.Conv1d(64, 1, 1)

    def forward(self, x, h, c):
        y, (h, c) = self.lstm(self.maps(x).permute(2, 0, 1), (h, c))
        return torch.sigmoid(self.head(torch.relu(y.permute(1, 2, 0)))).mean(2), h, c


class Recurrent(nn.Module):
    """The last output, or all of them, of a recurrent network."""

    def __init__(self, layer, features, outputs, last=False):
        super().__init__()
        self.layer, self.head, self.last = layer, nn.Linear(features, outputs), last

    def forward(self, x):
        y, _ = self.layer(x)
        return self.head(y[:, -1] if self.last else y)


class Forecaster(nn.Module):
    """A transformer over the steps of a short series."""

    def __init__(self, width=32, steps=16):
        super().__init__()
        layer = nn.TransformerEncoderLayer(width, 4, 64, batch_first=True, activation="gelu")
        self.first, self.places = nn.Linear(7, width), nn.Parameter(torch.randn(1, steps, width))
        self.encoder, self.head = nn.TransformerEncoder(layer, 2), nn.Linear(width * steps, 24)

    def forward(self, x):
        return self.head(self.encoder(self.first(x) + self.places).flatten(1))


class SeriesMixer(nn.Module):
    """Layers over time and over channels by turns."""

    def __init__(self, steps=96, channels=7):
        super().__init__()
        self.time = nn.ModuleList([nn.Sequential(nn.Linear(steps, steps), nn.ReLU()) for _ in range(3)])
        self.channels = nn.ModuleList([perceptron(channels, 32, channels) for _ in range(3)])
        self.norms = nn.ModuleList([nn.LayerNorm(channels) for _ in range(6)])
        self.head = nn.Linear(steps, 24)

    def forward(self, x):
        for index, (time, channels) in enumerate(zip(self.time, self.channels)):
            x = x + time(self.norms[2 * index](x).transpose(1, 2)).transpose(1, 2)
            x = x + channels(self.norms[2 * index + 1](x))
        return self.head(x.transpose(1, 2)).transpose(1, 2)


class BackcastStack(nn.Module):
    """N-BEATS: blocks that take away what they explain."""

    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Sequential(perceptron(60, 128, 128, 128), nn.ReLU()) for _ in range(3)])
        self.backcasts = nn.ModuleList([nn.Linear(128, 60) for _ in range(3)])
        self.forecasts = nn.ModuleList([nn.Linear(128, 12) for _ in range(3)])

    def forward(self, x):
        y = 0
        for block, backcast, forecast in zip(self.blocks, self.backcasts, self.forecasts):
            h = block(x)
            x, y = x - backcast(h), y + forecast(h)
        return y


class GraphNetwork(nn.Module):
    """Two rounds over the neighbours of 34 vertices."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(16, 64, bias=False), nn.Linear(64, 64, bias=False)])
        self.head = nn.Linear(64, 7)

    def forward(self, x, neighbours):
        for layer in self.layers:
            x = torch.relu(neighbours @ layer(x))
        return torch.log_softmax(self.head(x), -1)


class Recommender(nn.Module):
    """Embeddings of a user and an item, and a perceptron."""

    def __init__(self):
        super().__init__()
        self.users, self.items = nn.Embedding(1000, 32), nn.Embedding(2000, 32)
        self.layers = perceptron(64, 64, 32, 1)

    def forward(self, users, items):
        return torch.sigmoid(self.layers(torch.cat([self.users(users), self.items(items)], 1)))


def digits():
    return nn.Sequential(
        nn.Conv2d(1, 8, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 5, padding=2), nn.ReLU(),
        nn.MaxPool2d(3), nn.Flatten(), nn.Linear(256, 10))


def temporal():
    layers, channels = [], 9
    for step in (1, 2, 4, 8, 16):
        layers += [nn.ConstantPad1d((2 * step, 0), 0.0), nn.Conv1d(channels, 32, 3, dilation=step)]
        layers += [nn.BatchNorm1d(32), nn.ReLU()]
        channels = 32
    return nn.Sequential(*layers, nn.Conv1d(32, 6, 1))


def autoencoder():
    return nn.Sequential(
        nn.Conv2d(3, 16, 3, 2, 1), nn.LeakyReLU(0.1), nn.Conv2d(16, 32, 3, 2, 1), nn.LeakyReLU(0.1),
        nn.ConvTranspose2d(32, 16, 4, 2, 1), nn.LeakyReLU(0.1), nn.ConvTranspose2d(16, 3, 4, 2, 1), nn.Sigmoid())


def networks():
    noise = torch.randn
    return {
        "autoencoder": (autoencoder(), noise(1, 3, 32, 32)),
        "digits": (digits(), noise(1, 1, 28, 28)),
        "forecaster": (Forecaster(), noise(1, 16, 7)),
        "graph": (GraphNetwork(), noise(34, 16), torch.rand(34, 34)),
        "gru": (Recurrent(nn.GRU(16, 64, 2, batch_first=True), 64, 5, last=True), noise(1, 50, 16)),
        "keywords": (KeywordSpotter(), noise(1, 1, 49, 10)),
        "lstm": (Recurrent(nn.LSTM(24, 96, batch_first=True, bidirectional=True), 192, 5), noise(1, 40, 24)),
        "n-beats": (BackcastStack(), noise(8, 60)),
        "perceptron": (perceptron(64, 128, 128, 128, 8), noise(1, 64)),
        "perceptron-16": (perceptron(64, 128, 128, 128, 8), noise(16, 64)),
        "policy": (Policy(), noise(1, 48)),
        "recommender": (Recommender(), torch.randint(0, 1000, (64,)), torch.randint(0, 2000, (64,))),
        "series-mixer": (SeriesMixer(), noise(1, 96, 7)),
        "temporal": (temporal(), noise(1, 9, 64)),
        "voice": (VoiceDetector(), noise(1, 1, 512), noise(1, 1, 64), noise(1, 1, 64)),
    }


def export(description, networks):
    """Writes what `networks` makes, each with its inputs, to the folder that the command line names."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    warnings.filterwarnings("ignore")
    torch.manual_seed(0)
    # The fused encoder has no ONNX form.
    torch.backends.mha.set_fastpath_enabled(False)
    for name, (network, *inputs) in networks().items():
        path = folder / f"{name}.onnx"
        if getattr(network, "needs_dynamo", False):
            torch.onnx.export(
                network.eval(), tuple(inputs), path, dynamo=True, external_data=False, verbose=False)
        else:
            torch.onnx.export(network.eval(), tuple(inputs), path, dynamo=False, opset_version=17)
        print(name)


if __name__ == "__main__":
    export(__doc__, networks)
