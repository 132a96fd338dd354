"""Networks over time in PyTorch: a temporal convolutional network and recurrent classifiers.

Written from Bai, Kolter and Koltun 2018 (TCN) and the descriptions of torch.nn.LSTM and torch.nn.GRU. Sequences are
`[batch, features, time]`.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.parametrizations import weight_norm

from parity import Network, generated, relative_change


class TemporalBlock(nn.Module):
    def __init__(self, inputs, outputs, kernel, dilation, causal, normalized):
        super().__init__()
        reach = (kernel - 1) * dilation
        self.padding = (reach, 0) if causal else (reach // 2, reach - reach // 2)
        wrap = weight_norm if normalized else lambda module: module
        self.conv1 = wrap(nn.Conv1d(inputs, outputs, kernel, dilation=dilation))
        self.conv2 = wrap(nn.Conv1d(outputs, outputs, kernel, dilation=dilation))
        self.downsample = nn.Conv1d(inputs, outputs, 1) if inputs != outputs else None

    def forward(self, x):
        y = F.relu(self.conv1(F.pad(x, self.padding)))
        y = F.relu(self.conv2(F.pad(y, self.padding)))
        return F.relu(y + (self.downsample(x) if self.downsample else x))


class TCN(nn.Module):
    def __init__(self, features, channels, classes, kernel, base=2, causal=True, pooling="last", normalized=False):
        super().__init__()
        self.network = nn.Sequential(*[
            TemporalBlock(inputs, outputs, kernel, base ** level, causal, normalized)
            for level, (inputs, outputs) in enumerate(zip([features, *channels], channels))
        ])
        self.linear = nn.Linear(channels[-1], classes)
        self.pooling = pooling

    def forward(self, sequence):
        x = self.network(sequence)
        features = x.mean(2) if self.pooling == "mean" else x[:, :, -1]
        return {"features": features, "logits": self.linear(features)}


class Recurrent(nn.Module):
    def __init__(self, cell, features, hidden, layers, classes, bidirectional=False, pooling="last"):
        super().__init__()
        self.rnn = cell(features, hidden, layers, batch_first=True, bidirectional=bidirectional)
        self.fc = nn.Linear(hidden * (2 if bidirectional else 1), classes)
        self.pooling = pooling

    def forward(self, sequence):
        output, state = self.rnn(sequence.transpose(1, 2))
        if self.pooling == "final":
            state = state[0] if isinstance(state, tuple) else state
            features = state[-(2 if self.rnn.bidirectional else 1):].transpose(0, 1).flatten(1)
        else:
            features = output.mean(1) if self.pooling == "mean" else output[:, -1]
        return {"features": features, "logits": self.fc(features)}


# Generated weights


def tcn_scale(name, shape):
    """Deviations of 1.4 / √(inputs of an output); lengths of weight normalisation around 1.4, which is what a filter of
    such weights has; biases of 0 ± 0.1."""
    if name.endswith("original0") or name.endswith("weight_g"):
        return 1.4, 0.1
    if name.endswith("bias"):
        return 0.0, 0.1
    gain = 1.0 if len(shape) == 2 or "downsample" in name else 1.4
    return 0.0, gain / math.sqrt(math.prod(shape[1:]))


def recurrent_scale(name, shape):
    """Deviations of gain / √inputs: 2 for inputs, 1.5 for recurrent weights; biases of 0 ± 0.3."""
    if len(shape) == 1:
        return 0.0, 0.3
    gain = 1.5 if "weight_hh" in name else 2.0
    return 0.0, gain / math.sqrt(shape[1])


def earlier(steps):
    """Replaces the steps of a range; `steps` is within the receptive field from the end."""
    def changes(module, inputs):
        sequence = inputs[""]
        other = sequence.clone()
        other[:, :, steps] = -sequence[:, :, steps].flip(1)
        return [(f"the logits after other steps {steps.start} to {steps.stop}", relative_change(
            module(sequence)["logits"], module(other)["logits"]))]
    return changes


def sequences(batch, features, **lengths):
    return {name: torch.from_numpy(generated(f"sequence.{name}", [batch, features, time]))
            for name, time in lengths.items()}


NETWORKS = [
    Network(
        name="tcn", build=lambda: TCN(48, [64, 96, 64], 21, kernel=5, base=3, causal=False, pooling="mean"),
        configuration={
            "causal": False, "dilation_base": 3, "pooling": "mean", "kernel": 5, "channels": [64, 96, 64],
            "features": 48, "classes": 21,
        },
        scale=tcn_scale, samples=sequences(24, 48, window=60, short=7),
        activations=["network.0", "network.1", "network.2"], sensitivity=earlier(slice(0, 24)),
        onnx_sample="window", onnx_outputs=["logits"]),
    Network(
        name="tcn-causal",
        build=lambda: TCN(48, [24, 40, 64], 21, kernel=7, base=2, normalized=True),
        configuration={"causal": True, "dilation_base": 2, "pooling": "last"},
        scale=tcn_scale, samples=sequences(24, 48, window=60, single=1),
        activations=["network.0", "network.1", "network.2"], sensitivity=earlier(slice(10, 22)),
        # What weight normalisation gives are weights, not signals.
        unchecked=tuple(f"network.{level}.conv{number}.parametrizations.weight{suffix}"
                        for level in range(3) for number in (1, 2) for suffix in ("", ".0")),
        onnx_sample="window", onnx_outputs=["logits"]),
    Network(
        name="lstm", build=lambda: Recurrent(nn.LSTM, 48, 64, 2, 21, bidirectional=True, pooling="mean"),
        configuration={"pooling": "mean", "cell": "lstm", "hidden": 64, "layers": 2, "bidirectional": True},
        scale=recurrent_scale, samples=sequences(24, 48, window=60, single=1), activations=["rnn"],
        sensitivity=earlier(slice(0, 20)), onnx_sample="window", onnx_outputs=["logits"]),
    Network(
        name="gru", build=lambda: Recurrent(nn.GRU, 48, 80, 2, 21, bidirectional=True, pooling="final"),
        configuration={"pooling": "final"},
        scale=recurrent_scale, samples=sequences(24, 48, window=60, single=1), activations=["rnn"],
        sensitivity=earlier(slice(40, 52)), onnx_sample="window", onnx_outputs=["logits"]),
]
