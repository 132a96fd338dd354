"""Accuracy and confusion matrix on the held-out ranges.

    python Weights/behavior/training/evaluate.py [--checkpoint FILE | --weights FILE.safetensors] [--per-label 300]
"""

import argparse
import sys
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file

from generate import dataset
from labels import INDEX, LABELS, REFERENCE, SEPARABLE, SHIPPED

sys.path.insert(0, str(REFERENCE))
from behavior_classifier import BehaviorClassifier  # noqa: E402

TEST_SEED = 555000  # training uses 20261122 and up
TABLES = {
    "train": "training ranges, fresh seeds", "body": "leg length held out", "view": "azimuth and elevation held out",
    "speed": "tempo held out", "all": "all three held out at once",
}


def load(checkpoint=None, weights=None):
    model = BehaviorClassifier(len(LABELS))
    if checkpoint is not None:
        model.load_state_dict(torch.load(checkpoint, weights_only=True))
    else:
        missing, unexpected = model.load_state_dict(load_file(weights), strict=False)
        strange = [name for name in missing if not name.endswith("num_batches_tracked")] + unexpected
        if strange:
            raise SystemExit(f"parameters do not match: {strange}")
    return model.eval()


@torch.no_grad()
def predict(model, inputs):
    return torch.cat([model.probabilities(part) for part in torch.from_numpy(inputs).split(512)]).numpy()


def confusion(targets, predicted):
    table = np.zeros((len(LABELS), len(LABELS)), int)
    np.add.at(table, (targets, predicted), 1)
    return table


def markdown_matrix(table):
    columns = [name for name in LABELS if table[:, INDEX[name]].any() or name in SEPARABLE]
    short = {name: name[:5] for name in columns}
    lines = ["| true \\ predicted | " + " | ".join(short[name] for name in columns) + " |",
             "|---|" + "---:|" * len(columns)]
    for name in SEPARABLE:
        row = table[INDEX[name]]
        lines.append(f"| {name} | " + " | ".join(str(row[INDEX[c]]) if row[INDEX[c]] else "·" for c in columns) + " |")
    return "\n".join(lines)


def rows(model, per_label):
    """(split, changed?, accuracy, share >= 0.7, accuracy of those, confusion) for every test."""
    tests = [(split, 0.25, True) for split in ("train", "body", "view", "speed")]
    for split, changed, damaged in tests + [("all", 0.0, False), ("all", 0.0, True), ("all", 0.25, True)]:
        inputs, targets = dataset(TEST_SEED, per_label, split, changed, damaged)
        probabilities = predict(model, inputs)
        best = probabilities.argmax(1)
        right, sure = best == targets, probabilities.max(1) >= 0.7
        yield split, changed, damaged, right.mean(), sure.mean(), right[sure].mean(), confusion(targets, best)


def with_hold(windows, seen, frames):
    """Missing values replaced by the last one seen, for at most `frames` frames."""
    held, age = windows * seen, np.where(seen[:, :, 0], 0, frames)
    for t in range(1, windows.shape[2]):
        age = np.where(seen[:, :, t], 0, age + 1)
        held[:, :, t] = np.where(seen[:, :, t], windows[:, :, t], np.where(age <= frames, held[:, :, t - 1], 0))
    return held


def beyond(model, per_label):
    """Accuracy outside the training distribution: many missing points, other frame rates, an empty window."""
    whole, targets = dataset(TEST_SEED + 1, per_label, "all", changed=0.0, damaged=False)
    rng = np.random.default_rng(TEST_SEED)

    def line(name, inputs):
        p = predict(model, np.ascontiguousarray(inputs, dtype=np.float32))
        right, sure = p.argmax(1) == targets, p.max(1) >= 0.7
        print(f"| {name} | {100 * right.mean():.2f} % | {100 * sure.mean():.1f} % | "
              f"{100 * right[sure].mean():.2f} % |", flush=True)

    print("\n| beyond the recipe (held-out ranges) | accuracy | confident (>= 0.7) | accuracy of those |")
    print("|---|---:|---:|---:|")
    line("complete windows", whole)
    for share in (0.1, 0.2, 0.4):
        seen = (rng.random((len(whole), 24, whole.shape[2])) >= share).repeat(2, axis=1)
        line(f"{100 * share:.0f} % of all points missing at random", whole * seen)
        line(f"{100 * share:.0f} % missing, the last position held for up to 5 frames", with_hold(whole, seen, 5))
    jittered = whole + rng.standard_normal(whole.shape) * 0.01 * (whole > 0)
    line("further jitter of 1 % of the frame on every point", np.clip(jittered, 0, 1))
    line("every third frame three times (a slow detector)", whole[:, :, np.arange(100) // 3 * 3])
    line("every frame twice: five seconds at half their speed", whole[:, :, np.arange(100) // 2])
    empty = predict(model, np.zeros((1, 48, 100), np.float32))[0]
    print(f"\nA window without a single point: {LABELS[empty.argmax()]}, {empty.max():.3f}.")


def report(model, per_label):
    print("| test set | points missing | 5-30 % other behaviour in a quarter of the windows | accuracy | "
          "confident (>= 0.7) | accuracy of those |")
    print("|---|---|---|---:|---:|---:|")
    for split, changed, damaged, accuracy, sure, sure_right, table in rows(model, per_label):
        print(f"| {TABLES[split]} | {'yes' if damaged else 'no'} | {'yes' if changed else 'no'} | "
              f"{100 * accuracy:.2f} % | {100 * sure:.1f} % | {100 * sure_right:.2f} % |", flush=True)
    diagonal = np.array([table[INDEX[n], INDEX[n]] for n in SEPARABLE])
    predicted = np.array([table[:, INDEX[n]].sum() for n in SEPARABLE])
    print(f"\nThe last row, {per_label} windows a label:\n\n| label | recall | precision |\n|---|---:|---:|")
    for name, hit, called in zip(SEPARABLE, diagonal, predicted):
        print(f"| {name} | {100 * hit / per_label:.1f} % | {100 * hit / max(called, 1):.1f} % |")
    print("\n" + markdown_matrix(table))
    beyond(model, per_label)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", type=Path)
    parser.add_argument("--weights", type=Path, default=SHIPPED / "behavior-classifier.safetensors")
    parser.add_argument("--per-label", type=int, default=300)
    options = parser.parse_args()
    torch.set_num_threads(1)
    report(load(options.checkpoint, options.weights), options.per_label)
