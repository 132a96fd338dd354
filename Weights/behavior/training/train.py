"""Trains the behaviour classifier on synthetic motion and writes a PyTorch checkpoint.

    python Weights/behavior/training/train.py [--rounds 10] [--per-label 900] [--passes 4] [--output FILE.pt]

Every round draws fresh windows from the training ranges (ranges.py) and passes over them a few times; no window of a
held-out range is ever generated here. Deterministic: one thread, fixed seeds.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn.utils import parametrize

import sensor
from generate import dataset
from labels import HERE, LABELS, REFERENCE, SEPARABLE

sys.path.insert(0, str(REFERENCE))
from behavior_classifier import BehaviorClassifier  # noqa: E402

SEED = 20261121
BATCH = 128


def mirrored(poses):
    """Mirrors the motion: x becomes 1 - x, left and right points swap; missing points stay missing."""
    pairs = [(1, 2), (3, 4), (7, 10), (8, 11), (9, 12), (14, 17), (15, 18), (16, 19)]
    order = np.arange(24)
    for a, b in pairs:
        order[[a, b]] = b, a
    channels = torch.tensor(np.stack([2 * order, 2 * order + 1], axis=1).reshape(-1))
    flipped = poses[:, channels].clone()
    x, y = flipped[:, 0::2], flipped[:, 1::2]
    flipped[:, 0::2] = torch.where((x == 0) & (y == 0), x, 1 - x)
    return flipped


class Whitened(nn.Module):
    """Parametrises the first convolution in the principal axes of its input.

    Raw coordinates differ between clips by half a frame and within a stride by a fiftieth of one, so plain gradient
    descent fits positions long before it fits steps. The kernel is parametrised as V in W = V (C + eps)^(-1/2), with C the
    covariance of 7-frame patches; afterwards W is stored as an ordinary kernel. The network is the same either way.
    """

    def __init__(self, windows, shape, floor=0.03):
        super().__init__()
        patches = windows.unfold(2, shape[2], 3).permute(0, 2, 1, 3).reshape(-1, shape[1] * shape[2]).double()
        self.mean = patches.mean(0)
        values, axes = torch.linalg.eigh((patches - self.mean).T @ (patches - self.mean) / len(patches))
        self.register_buffer("map", ((axes * (values.clamp(min=0) + floor**2).rsqrt()) @ axes.T).float())

    def forward(self, v):
        return (v.flatten(1) @ self.map).view_as(v)


def precondition(model, windows):
    """Whitens the first layer with `windows` (no missing points) and starts it at unit output variance."""
    first = model.encoder[0]
    whiten = Whitened(windows, first.weight.shape)
    nn.init.normal_(first.weight, std=(2 / first.weight[0].numel()) ** 0.5)
    parametrize.register_parametrization(first, "weight", whiten)
    with torch.no_grad():
        first.bias.copy_(-(first.weight.flatten(1) @ whiten.mean.float()))


def without_points(rng, poses, complete):
    """Drops keypoints as a detector would; a fraction `complete` of the windows is left intact."""
    seen = torch.from_numpy(sensor.dropout(rng, len(poses), poses.shape[2], complete))
    return poses * seen.permute(0, 2, 1).repeat_interleave(2, dim=1)


def plain_state(model):
    """The state dict of the plain network, with the whitening folded into the first kernel."""
    state = {name: t for name, t in model.state_dict().items() if ".parametrizations." not in name}
    state["encoder.0.weight"] = model.encoder[0].weight.detach().clone()
    return state


def train(rounds, per_label, passes, peak, output):
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    rng = np.random.default_rng(SEED)
    model = BehaviorClassifier(len(LABELS))
    precondition(model, torch.from_numpy(dataset(SEED, 100, damaged=False)[0]))
    batches = per_label * len(SEPARABLE) // BATCH
    steps = rounds * passes * batches
    optimiser = torch.optim.AdamW(model.parameters(), lr=peak, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, peak, total_steps=steps + 1, pct_start=0.08)
    begun, step = time.perf_counter(), 0
    model.train()
    for number in range(rounds):
        inputs, targets = (torch.from_numpy(a) for a in dataset(SEED + 1 + number, per_label, damaged=False))
        total = correct = 0
        for turn in range(passes):
            order = torch.randperm(len(inputs))
            for batch in range(batches):
                rows = order[batch * BATCH:(batch + 1) * BATCH]
                # Dropout of points ramps up over the first third of training: gaits are learned from complete poses first.
                poses = without_points(rng, inputs[rows], complete=1 - 0.65 * min(1.0, 3 * step / steps))
                if turn % 2 == 1:
                    poses = mirrored(poses)
                logits = model(poses)
                loss = nn.functional.cross_entropy(logits, targets[rows])
                optimiser.zero_grad(set_to_none=True)
                loss.backward()
                optimiser.step()
                schedule.step()
                total += loss.item()
                correct += (logits.argmax(1) == targets[rows]).sum().item()
                step += 1
        torch.save(plain_state(model), output)
        print(f"round {number + 1}/{rounds}: loss {total / (passes * batches):.4f}, accuracy in training mode "
              f"{correct / (passes * batches * BATCH):.4f}, {time.perf_counter() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--per-label", type=int, default=900)
    parser.add_argument("--passes", type=int, default=4)
    parser.add_argument("--peak", type=float, default=2e-3)
    parser.add_argument("--output", type=Path, default=HERE / "checkpoint.pt")
    options = parser.parse_args()
    train(options.rounds, options.per_label, options.passes, options.peak, options.output)
