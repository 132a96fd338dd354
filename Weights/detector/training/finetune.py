"""Trains the shipped detector on with a YOLO data set of your own, and shows on a page how well it does on its validation pictures.

    python Weights/detector/training/finetune.py DATASET --output tuned.safetensors --page tuned.html --minutes 30
    apus detect photo.jpg --model tuned.safetensors

DATASET is a folder with `data.yaml` (`names`, `train`, `val`), pictures in folders called `images`, and a text file for each in `labels`:
`class x y width height`, in fractions of the picture, a line for each object; with 17 joints of COCO's order behind it where the data are for
poses. Classes are matched with the detector's by name (`plate`, `bar_end`, `person`); others are added, and what your data do
not have is no class of the new network. Without `val`, every fifth picture is held out.

The page has the average precision before and after, the curves of precision over recall, and validation pictures with what was found.
"""

import argparse
import copy
import io
import json
import math
import pathlib
import sys
import time

import numpy as np
import torch
import yaml
from PIL import Image, ImageDraw, ImageOps
from safetensors.torch import load_file, save_file

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "reference"))
import loss as losses
import train
from detecting import detect
from evaluate import LIMITS, average_precision, matched
from evaluation_page import Page
from render import CLASSES

SHIPPED = pathlib.Path(__file__).parents[1] / "shipped/model.safetensors"
ENDINGS = {".jpg", ".jpeg", ".png", ".bmp", ".webp"}
JOINTS = 17


# The data set.

def listed(folder, stated, root):
    """The pictures of a split: a folder or a list of paths, relative to the file's `path` or to the file."""
    pictures = []
    for entry in stated if isinstance(stated, list) else [stated]:
        # Tools write paths from where they were run, `../train/images` for example.
        tails = [entry, *(entry.split("../")[-1:] if "../" in entry else [])]
        place = next((p for base in (root, folder) for tail in tails if (p := base / tail).exists()), None)
        if place is None:
            raise SystemExit(f"data.yaml: there is no {entry}")
        if place.is_file():
            pictures += [p if (p := pathlib.Path(line)).is_absolute() else root / p for line in place.read_text().split()]
        else:
            pictures += sorted(path for path in place.rglob("*") if path.suffix.lower() in ENDINGS)
    return pictures


def label_path(picture):
    parts = list(picture.parts)
    if "images" in parts:
        parts[len(parts) - 1 - parts[::-1].index("images")] = "labels"
    return pathlib.Path(*parts).with_suffix(".txt")


def read(picture, classes):
    """The bytes of a picture and its objects, in pixels."""
    with Image.open(picture) as image:
        size = np.array(ImageOps.exif_transpose(image).size, np.float64)
        turned = image.getexif().get(0x0112, 1) != 1
    data = picture.read_bytes()
    if turned:
        buffer = io.BytesIO()
        ImageOps.exif_transpose(Image.open(picture)).convert("RGB").save(buffer, "JPEG", quality=95)
        data = buffer.getvalue()
    rows, path = [], label_path(picture)
    for number, line in enumerate(path.read_text().splitlines() if path.exists() else [], 1):
        try:
            row = [float(field) for field in line.split()]
        except ValueError:
            raise SystemExit(f"{path}:{number}: numbers were expected")
        if not row:
            continue
        if len(row) not in (5, 5 + 2 * JOINTS, 5 + 3 * JOINTS) or int(row[0]) not in range(classes):
            raise SystemExit(f"{path}:{number}: expected a class below {classes} and four numbers, or {JOINTS} joints behind them")
        rows.append(row)
    boxes = np.array([row[1:5] for row in rows], np.float64).reshape(-1, 2, 2)
    corners = np.concatenate([boxes[:, 0] - boxes[:, 1] / 2, boxes[:, 0] + boxes[:, 1] / 2], 1) * np.tile(size, 2)
    points = np.zeros((len(rows), JOINTS, 3))
    for place, row in enumerate(rows):
        joints = np.array(row[5:]).reshape(JOINTS, -1) if len(row) > 5 else np.zeros((JOINTS, 0))
        if joints.size:
            points[place, :, :2] = joints[:, :2] * size
            points[place, :, 2] = joints[:, 2] if joints.shape[1] == 3 else 2
    truth = {"boxes": corners, "classes": np.array([int(row[0]) for row in rows], np.int64),
             "ignore": np.zeros(len(rows), bool), "keypoints": points}
    return data, truth


class Pictures(train.Pictures):
    """The pictures of a data set in place of rendered ones."""

    def __init__(self, items, seed):
        self.all, self.rng = items, np.random.default_rng(seed)

    def refresh(self):
        pass


# The network.

def widened(names, stored):
    """The shipped network with these classes: those that it knows keep what it learned of them."""
    net = train.network(classes=len(names)).to(memory_format=torch.channels_last)
    state = net.state_dict()
    for name, value in stored.items():
        value = value.float()
        if name in state and state[name].shape == value.shape:
            state[name] = value
        elif name in state and len(value) == len(CLASSES):
            # Of a class that is not known, the bias stays: unlikely.
            for place, label in enumerate(names):
                if label in CLASSES:
                    state[name][place] = value[CLASSES.index(label)]
                elif value.dim() > 1:
                    state[name][place] = value.mean(0)
    net.load_state_dict(state)
    return net


def tune(net, pictures, options):
    torch.manual_seed(options.seed)
    for module in net.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.momentum = 0.01
    average = copy.deepcopy(net).eval()
    net.train()
    decayed, free = [p for p in net.parameters() if p.dim() > 1], [p for p in net.parameters() if p.dim() <= 1]
    optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.02}, {"params": free, "weight_decay": 0}],
                                  lr=options.rate, betas=(0.9, 0.99))
    begin = shown = time.monotonic()
    step = 0
    while (passed := (time.monotonic() - begin) / 60 / options.minutes) < 1:
        for group in optimizer.param_groups:
            group["lr"] = options.rate * min(1, (step + 1) / 20) * (0.01 + 0.99 * (1 + math.cos(math.pi * passed)) / 2)
        images, *truth = pictures.batch(options.sides, options.batch)
        with torch.autocast("cpu", torch.bfloat16):
            maps = net(images.contiguous(memory_format=torch.channels_last))
        total, _ = losses.loss(maps, *truth)
        optimizer.zero_grad(set_to_none=True)
        total.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 10)
        optimizer.step()
        step += 1
        decay = 0.99 * (1 - math.exp(-step / 50))
        with torch.no_grad():
            for old, new in zip(average.state_dict().values(), net.state_dict().values()):
                if old.dtype.is_floating_point:
                    old.lerp_(new, 1 - decay)
        if time.monotonic() - shown > 20:
            shown = time.monotonic()
            print(f"{100 * passed:.0f} %: step {step}, loss {total.item():.3f}", flush=True)
    print(f"{step} steps")
    return average


# What it comes to.

def judged(net, items, names, own, side):
    """For each class the average precision at an overlap of 0.5, over 0.5 to 0.95, the curve at 0.5; and what was found.

    `own`: the place of each of the network's classes among `names`, or None.
    """
    hits = {(kind, limit): [] for kind in range(len(names)) for limit in LIMITS}
    demanded, found = [0] * len(names), []
    for data, truth in items:
        picture = np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))
        boxes, scores, classes, _ = detect(net, picture, side, confidence=0.01)
        places = np.array([own[kind] if own[kind] is not None else -1 for kind in classes], np.int64)
        found.append((picture, boxes, scores, places))
        for kind in range(len(names)):
            mine, theirs = places == kind, truth["classes"] == kind
            demanded[kind] += int(theirs.sum())
            for limit in LIMITS:
                pairs = matched(boxes[mine], truth["boxes"][theirs], np.ones(int(theirs.sum()), bool), limit)
                hits[kind, limit] += [(s, int(p >= 0)) for s, p in zip(scores[mine], pairs) if p is not None]
    results = []
    for kind in range(len(names)):
        each = [average_precision(hits[kind, limit], demanded[kind]) for limit in LIMITS]
        right = np.cumsum([hit for _, hit in sorted(hits[kind, LIMITS[0]], key=lambda h: -h[0])])
        curve = [(r / max(1, demanded[kind]), r / (i + 1)) for i, r in enumerate(right)]
        results.append((each[0], float(np.mean(each)), curve[::max(1, len(curve) // 200)], demanded[kind]))
    return results, found


def drawn(found, names):
    picture, boxes, scores, places = found
    image = Image.fromarray(picture)
    image.thumbnail((480, 480))
    scale, pen = image.width / picture.shape[1], ImageDraw.Draw(image)
    for box, score, kind in zip(boxes, scores, places):
        if score >= 0.25 and kind >= 0:
            pen.rectangle([float(value * scale) for value in box], outline=(255, 80, 40), width=2)
            pen.text((float(box[0] * scale) + 3, float(box[1] * scale) + 2), f"{names[kind]} {score:.2f}", fill=(255, 80, 40))
    return image


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", type=pathlib.Path)
    parser.add_argument("--output", type=pathlib.Path, required=True, help="the weights, .safetensors")
    parser.add_argument("--page", type=pathlib.Path, required=True, help="how well it does, .html")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--rate", type=float, default=5e-4)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--sides", type=int, nargs=2, default=(352, 576), help="smallest and largest square trained on")
    parser.add_argument("--side", type=int, default=640, help="of the squares in which objects are looked for")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    stated = yaml.safe_load((options.dataset / "data.yaml").read_text())
    names = stated["names"]
    names = [names[key] for key in sorted(names)] if isinstance(names, dict) else list(names)
    root = options.dataset / stated.get("path", ".")
    root = root if root.exists() else options.dataset
    paths = listed(options.dataset, stated["train"], root)
    if stated.get("val"):
        held = listed(options.dataset, stated["val"], root)
    else:
        paths, held = [p for i, p in enumerate(paths) if i % 5], paths[::5]
    items, checks = [read(path, len(names)) for path in paths], [read(path, len(names)) for path in held]
    if not items or not checks:
        raise SystemExit("pictures to train on and pictures to validate with are needed")
    print(f"{len(items)} pictures to train on, {len(checks)} to validate with; classes {', '.join(names)}", flush=True)

    losses.PERSON = names.index("person") if "person" in names else -1
    if not any(truth["keypoints"][..., 2].any() for _, truth in items):
        # Nothing is known of joints: what the network knows of them stays.
        losses.GAINS["points"] = losses.GAINS["visibility"] = 0.0
    stored = load_file(SHIPPED)
    shipped = train.network().eval()
    shipped.load_state_dict({name: value.float() for name, value in stored.items()}, strict=False)
    before, _ = judged(shipped, checks, names, [names.index(name) if name in names else None for name in CLASSES], options.side)
    net = tune(widened(names, stored), Pictures(items, options.seed), options)
    state = {name: value.half().contiguous() for name, value in net.state_dict().items() if value.dtype.is_floating_point}
    net.load_state_dict({name: value.float() for name, value in state.items()}, strict=False)
    after, found = judged(net.eval(), checks, names, list(range(len(names))), options.side)
    save_file(state, options.output, metadata={
        "configuration": json.dumps({"generation": "v8", "size": "p", "classes": len(names),
                                     "keypoints": {"count": JOINTS, "dimensions": 3}}),
        "names": json.dumps(dict(enumerate(names))), "imgsz": str(options.side),
        "keypoint_classes": json.dumps([name for name in names if name == "person"]),
        "made_by": f"Weights/detector, trained on with {len(items)} pictures of {options.dataset.name}"})

    page = Page("The detector on your pictures", f"{options.dataset} · {options.output}")
    means = [np.mean([result[0] for result in results]) for results in (before, after)]
    page.notice(f"Mean average precision (overlap 0.5) on {len(checks)} pictures that it was not trained on: {means[1]:.3f}; "
                f"with the shipped weights it was {means[0]:.3f}.")
    page.table(["class", "objects", "AP 0.5, shipped", "trained on", "AP 0.5–0.95, shipped", "trained on"], [
        [name, new[3], f"{old[0]:.3f}", f"{new[0]:.3f}", f"{old[1]:.3f}", f"{new[1]:.3f}"]
        for name, old, new in zip(names, before, after)])
    page.heading("Precision over recall")
    page.curves([(name, [("shipped", old[2]), ("trained on", new[2])]) for name, old, new in zip(names, before, after)])
    page.heading("What it finds")
    page.pictures([(drawn(item, names), path.name) for item, path in list(zip(found, held))[:12]])
    page.write(options.page)
    print(f"mean average precision {means[0]:.3f} before, {means[1]:.3f} after")


if __name__ == "__main__":
    main()
