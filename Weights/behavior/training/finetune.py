"""Trains the shipped behaviour classifier on with clips of your own, and shows on a page how well it does on those held out.

    python Weights/behavior/training/finetune.py CLIPS --output tuned.safetensors --page tuned.html
    apus behavior dog.jsonl --weights tuned.safetensors

CLIPS is a folder. Either it has a folder for each label with that label's clips, or a `labels.csv` with the columns
`file,label`, and `start` and `end` in seconds where a file shows several behaviours. A clip is a `.jsonl` file as `apus pose`
writes it, or a `.csv` of DeepLabCut (`scorer`, `bodyparts`, `coords`) or of SLEAP's analysis (`frame_idx`, `nose.x`, …). Of those two,
say frames a second and the picture's size (`--fps 30 --size 1920x1080`), and, where body parts have other names, which points they
are (`--map snout=nose`). Points that a clip lacks count as not found.

Labels that the classifier does not have are added to it. A clip shorter than ten seconds is left out; of a longer one every second begins a
window. A part of the clips of each label (`--held`) is never trained on; windows of one clip never fall on both sides. Generated windows
of the recipe are trained on along with yours (`--rehearse`), so that what it knew is not forgotten.
"""

import argparse
import copy
import csv
import json
import random
import sys
import time
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import nn

from generate import dataset
from labels import FRAMES_PER_SECOND, KEYPOINTS, LABELS, REFERENCE, SEPARABLE, SHIPPED, WINDOW
from train import mirrored, without_points

sys.path.insert(0, str(REFERENCE))
from behavior_classifier import BehaviorClassifier  # noqa: E402
from evaluation_page import Page  # noqa: E402

HEAD = "classifier.3"


# Reading: frames as (seconds, [24, 2] in fractions of the picture, 0 where a point was not found).

def json_frames(path, options):
    for number, line in enumerate(path.read_text().splitlines()):
        if not line.strip():
            continue
        frame = json.loads(line)
        width, height = frame.get("width", options.size[0]), frame.get("height", options.size[1])
        scale = {"pixel": (width, height)}.get(frame.get("space", "pixel"), (1, 1))
        points = np.zeros((len(KEYPOINTS), 2), np.float32)
        given = frame["keypoints"]
        items = given.items() if isinstance(given, dict) else zip(KEYPOINTS, given)
        for name, point in items:
            name = options.map.get(name, name)
            if point is not None and name in KEYPOINTS:
                points[KEYPOINTS.index(name)] = np.array(point[:2]) / scale
        yield frame.get("t", number / options.fps), points


def placed(names, values, options):
    """[24, 2] of named places in pixels, those with a likelihood below 0.3 left out."""
    points = np.zeros((len(KEYPOINTS), 2), np.float32)
    for name in names:
        x, y = values.get((name, "x")), values.get((name, "y"))
        sure = values.get((name, "likelihood"), values.get((name, "score"), 1.0))
        own = options.map.get(name, name)
        if own in KEYPOINTS and x is not None and y is not None and not np.isnan([x, y]).any() and sure >= 0.3:
            points[KEYPOINTS.index(own)] = (x / options.size[0], y / options.size[1])
    return points


def number(text):
    return float(text) if text.strip() else None


def table_frames(path, options):
    rows = list(csv.reader(path.read_text().splitlines()))
    if rows[0][0] == "scorer":
        heads = [row for row in rows[:4] if row[0] in ("scorer", "individuals", "bodyparts", "coords")]
        parts, coords = (next(row for row in heads if row[0] == kind) for kind in ("bodyparts", "coords"))
        for index, row in enumerate(rows[len(heads):]):
            values = {}
            for part, coord, cell in zip(parts[1:], coords[1:], row[1:]):
                values.setdefault((part, coord), number(cell))  # of several animals the first
            yield index / options.fps, placed(dict.fromkeys(parts[1:]), values, options)
    elif "frame_idx" in rows[0]:
        first = next((row[0] for row in rows[1:]), None) if rows[0][0] == "track" else None
        for row in rows[1:]:
            named = dict(zip(rows[0], row))
            if first is not None and named["track"] != first:
                continue
            values = {tuple(key.rsplit(".", 1)): number(cell) for key, cell in named.items() if "." in key}
            yield int(named["frame_idx"]) / options.fps, placed(dict.fromkeys(name for name, _ in values), values, options)
    else:
        raise SystemExit(f"{path}: neither a table of DeepLabCut nor of SLEAP's analysis")


def windows(path, start, end, options):
    """[windows, 48, 100] of a clip, ten frames a second, a window for every second; and when each begins."""
    frames = list((json_frames if path.suffix == ".jsonl" else table_frames)(path, options))
    frames = [(t, points) for t, points in frames if start <= t < end]
    if not frames:
        return np.zeros((0, 48, WINDOW), np.float32), []
    times = np.array([t for t, _ in frames])
    steps = np.arange(times[0], times[-1] + 1e-6, 1 / FRAMES_PER_SECOND)
    after = np.clip(np.searchsorted(times, steps), 1, max(1, len(times) - 1))
    chosen = np.where(steps - times[after - 1] <= times[after % len(times)] - steps, after - 1, after % len(times))
    whole = np.stack([frames[i][1] for i in chosen])
    begins = range(0, len(whole) - WINDOW + 1, FRAMES_PER_SECOND)
    return (np.array([whole[b:b + WINDOW].reshape(WINDOW, 48).T for b in begins], np.float32).reshape(-1, 48, WINDOW),
            [steps[b] for b in begins])


def clips(folder):
    """(file, label, start, end) of every clip."""
    if (folder / "labels.csv").exists():
        with open(folder / "labels.csv") as file:
            return [(folder / row["file"], row["label"], float(row.get("start") or 0), float(row.get("end") or "inf"))
                    for row in csv.DictReader(file)]
    found = [(path, path.parent.name, 0.0, float("inf")) for path in sorted(folder.glob("*/*"))
             if path.suffix in (".jsonl", ".csv")]
    if not found:
        raise SystemExit(f"{folder}: expected a labels.csv, or a folder for each label with .jsonl or .csv files")
    return found


def parted(found, share, seed):
    """Which files are held out: of each label a part, at least one where there are two; a file is never on both sides."""
    held = set()
    by_label = {}
    for path, label, _, _ in found:
        by_label.setdefault(label, dict.fromkeys([]))[path] = None
    for label, paths in sorted(by_label.items()):
        paths = list(paths)
        random.Random(f"{seed} {label}").shuffle(paths)
        wanted = max(1, round(share * len(paths))) if len(paths) > 1 else 0
        already = sum(path in held for path in paths)
        held.update([path for path in paths if path not in held][:max(0, wanted - already)])
    return held


# The network.

def widened(labels):
    """The shipped network, with rows for labels that it does not have."""
    state = load_file(SHIPPED / "behavior-classifier.safetensors")
    model = BehaviorClassifier(len(labels))
    weight, bias = state[f"{HEAD}.weight"], state[f"{HEAD}.bias"]
    extra = len(labels) - len(weight)
    generator = torch.Generator().manual_seed(1)
    state[f"{HEAD}.weight"] = torch.cat([weight, weight.std() * torch.randn(extra, weight.shape[1], generator=generator)])
    # Unlikely until it is learned.
    state[f"{HEAD}.bias"] = torch.cat([bias, bias.min().expand(extra)])
    model.load_state_dict(state, strict=False)
    return model.eval()


def tune(model, inputs, targets, options):
    """Trains on, with the normalisations' statistics as they are; the windows of each label weigh the same."""
    torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)
    counts = torch.bincount(targets, minlength=int(targets.max()) + 1).clamp(min=1)
    weights = (1 / counts[targets].double())
    steps = options.epochs * max(1, len(inputs) // 64)
    optimiser = torch.optim.AdamW(model.parameters(), lr=options.rate, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, options.rate, total_steps=steps + 1, pct_start=0.1)
    begun, total = time.perf_counter(), 0.0
    for step in range(steps):
        rows = torch.multinomial(weights, 64, replacement=True)
        poses = without_points(rng, inputs[rows], complete=0.5)
        if step % 2:
            poses = mirrored(poses)
        loss = nn.functional.cross_entropy(model(poses), targets[rows], label_smoothing=0.02)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        schedule.step()
        total += loss.item()
        if (step + 1) % 50 == 0 or step + 1 == steps:
            print(f"step {step + 1} of {steps}: loss {total / (step % 50 + 1):.4f}, {time.perf_counter() - begun:.0f} s", flush=True)
            total = 0.0
    return model.eval()


@torch.no_grad()
def predicted(model, inputs):
    return torch.cat([model.probabilities(part) for part in torch.as_tensor(inputs).split(256)]).numpy()


# What it comes to.

def report(options, labels, before, after, targets, origins, counts, forgotten):
    page = Page("The behaviour classifier on your clips", f"{options.clips} · {options.output}")
    best, old = after.argmax(1), before.argmax(1)
    page.notice(f"Of {len(targets)} windows of clips that it was not trained on, {100 * (best == targets).mean():.1f} % are right; "
                f"with the shipped weights it was {100 * (old == targets).mean():.1f} %.")
    page.table(["", "shipped", "trained on"], [
        ["held-out windows right", f"{100 * (old == targets).mean():.1f} %", f"{100 * (best == targets).mean():.1f} %"],
        ["of those surer than 0.7", *(f"{100 * (p.argmax(1) == targets)[p.max(1) >= 0.7].mean():.1f} %" if (p.max(1) >= 0.7).any() else "–"
                                      for p in (before, after))],
        ["generated windows right", *(f"{100 * share:.1f} %" for share in forgotten)]])
    page.heading("By label")
    used = sorted(set(targets.tolist()) | set(best.tolist()))
    rows = []
    for label in used:
        right = ((best == label) & (targets == label)).sum()
        share = lambda whole: f"{100 * right / whole:.1f} %" if whole else "–"  # noqa: E731
        rows.append([labels[label], counts.get(label, 0), int((targets == label).sum()), share((targets == label).sum()),
                     share((best == label).sum())])
    page.table(["label", "windows trained on", "held out", "recall", "precision"], rows)
    page.heading("Which label is taken for which")
    page.confusion([labels[i] for i in used],
                   [[int(((targets == i) & (best == j)).sum()) for j in used] for i in used])
    page.heading("Surest mistakes")
    wrong = sorted(np.flatnonzero(best != targets), key=lambda i: -after[i].max())[:20]
    page.table(["clip", "from", "label", "predicted", "confidence"], [
        [origins[i][0], f"{origins[i][1]:.0f} s", labels[targets[i]], labels[best[i]], f"{after[i].max():.2f}"] for i in wrong])
    page.write(options.page)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", type=Path)
    parser.add_argument("--output", type=Path, required=True, help="the weights, .safetensors")
    parser.add_argument("--page", type=Path, required=True, help="how well it does, .html")
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--rate", type=float, default=3e-4)
    parser.add_argument("--held", type=float, default=0.25, help="share of the clips of each label that are held out")
    parser.add_argument("--rehearse", type=int, default=40, help="generated windows of each label")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fps", type=float, default=FRAMES_PER_SECOND, help="of clips that do not say it")
    parser.add_argument("--size", default="1280x720", help="of pictures of clips that do not say it")
    parser.add_argument("--map", nargs="*", default=[], metavar="THEIRS=OURS")
    options = parser.parse_args()
    options.size = tuple(map(int, options.size.split("x")))
    options.map = dict(pair.split("=", 1) for pair in options.map)
    torch.set_num_threads(1)

    found = clips(options.clips)
    labels = LABELS + sorted({label for _, label, _, _ in found} - set(LABELS))
    held, sides = parted(found, options.held, options.seed), {True: ([], [], []), False: ([], [], [])}
    for path, label, start, end in found:
        inputs, begins = windows(path, start, end, options)
        if not len(inputs):
            print(f"left out, for it is shorter than ten seconds: {path}")
        rows, targets, origins = sides[path in held]
        rows.append(inputs)
        targets += [labels.index(label)] * len(inputs)
        origins += [(str(path.relative_to(options.clips)), begin) for begin in begins]
    (own, own_targets, _), (rest, rest_targets, origins) = sides[False], sides[True]
    if not own_targets or not rest_targets:
        raise SystemExit("too few clips: each label needs two of ten seconds at least, one to train on and one to be held out")
    print(f"{len(own_targets)} windows to train on, {len(rest_targets)} held out; {len(labels) - len(LABELS)} new labels")
    counts = dict(zip(*np.unique(own_targets, return_counts=True)))
    again, again_targets = dataset(811_000, options.rehearse) if options.rehearse else (np.zeros((0, 48, WINDOW), np.float32), [])
    inputs = torch.from_numpy(np.concatenate([*own, again]))
    targets = torch.tensor([*own_targets, *again_targets], dtype=torch.long)
    shipped = widened(labels)
    model = tune(copy.deepcopy(shipped), inputs, targets, options)

    held_out, truth = np.concatenate(rest), np.array(rest_targets)
    check, check_targets = dataset(812_000, 20)
    forgotten = [(predicted(network, check).argmax(1) == check_targets).mean() for network in (shipped, model)]
    before, after = predicted(shipped, held_out), predicted(model, held_out)
    state = {name: value.contiguous() for name, value in model.state_dict().items() if not name.endswith("num_batches_tracked")}
    trained = [name for index, name in enumerate(labels) if name in SEPARABLE or index in counts]
    save_file(state, options.output, metadata={
        "format": "pt", "model": "behavior-classifier", "labels": ",".join(labels), "separable_labels": ",".join(trained),
        "frames_per_second": str(FRAMES_PER_SECOND),
        "trained_on": f"synthetic motion, and {len(own_targets)} windows of {options.clips.name}"})
    report(options, labels, before, after, truth, origins, counts, forgotten)
    print(f"held-out windows right: {100 * (before.argmax(1) == truth).mean():.1f} % before, "
          f"{100 * (after.argmax(1) == truth).mean():.1f} % after; generated ones {100 * forgotten[0]:.1f} % and {100 * forgotten[1]:.1f} %")


if __name__ == "__main__":
    main()
