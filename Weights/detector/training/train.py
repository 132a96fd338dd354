"""Trains the detector on rendered pictures.

    python Weights/detector/training/train.py FOLDER --out checkpoint.pt --minutes 60

FOLDER holds the shards of `generate.py`; shards that are added during training are picked up. Pictures are scaled, shifted,
mirrored and colour-jittered, on a square filled with the letterbox grey. Half of them are crops at the scale of a square of
640, so that small objects are learned on small squares too. The squares' sides are 352 to 480 pixels at first, and up to 640
at the end. The next batch is prepared in the background. A checkpoint is written every two minutes; `--resume` continues
from one.
"""

import argparse
import copy
import io
import math
import pathlib
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from PIL import Image, ImageEnhance

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "reference"))
import generate
import loss as losses
import people
from yolo import SIZES, YOLOv8

GREY = 114


class Pictures:
    """The pictures of all shards, drawn at random."""

    def __init__(self, folder, seed):
        self.folder, self.read, self.all, self.rng = folder, set(), [], np.random.default_rng(seed)
        self.refresh()

    def refresh(self):
        for path in sorted(self.folder.glob("train-*.npz")):
            if path not in self.read:
                self.read.add(path)
                self.all += list(generate.load(path))

    def placed(self, side):
        """A random picture, augmented on a square of `side`, with its boxes, classes, ignore flags and keypoints there."""
        data, truth = self.all[self.rng.integers(len(self.all))]
        picture = Image.open(io.BytesIO(data))
        size = np.array(picture.size)
        extent, move = placement(self.rng, size, truth["boxes"], side)
        picture, corner = cropped(picture, extent, move, side)
        picture = degraded(self.rng, picture)
        square = Image.new("RGB", (side, side), (GREY,) * 3)
        square.paste(picture, corner)
        values = np.asarray(square)
        boxes = truth["boxes"].reshape(-1, 2, 2) * (extent / size) + move
        points = truth["keypoints"].copy()
        points[..., :2] = points[..., :2] * (extent / size) + move
        if self.rng.random() < 0.5:
            values, boxes, points = mirrored(values, boxes, points, side)
        return values, *visible(boxes, points, truth, side)

    def batch(self, sides, size):
        """A batch of squares with a random side in `sides`, scaled to the work of `size` squares of 320 pixels."""
        side = 32 * int(self.rng.integers(sides[0] // 32, sides[1] // 32 + 1))
        count = max(4, int(size * (320 / side) ** 2))
        rows = [self.placed(side) for _ in range(count)]
        images = torch.from_numpy(np.stack([row[0] for row in rows])).permute(0, 3, 1, 2).float().div_(255)
        most = max(1, max(int((~row[3]).sum()) for row in rows))
        passed = max(1, max(int(row[3].sum()) for row in rows))
        truth, classes = torch.zeros(count, most, 4), torch.zeros(count, most, dtype=torch.long)
        present, points = torch.zeros(count, most, dtype=torch.bool), torch.zeros(count, most, 17, 3)
        ignored = torch.full((count, passed, 5), -1.0)
        for i, (_, boxes, kinds, ignore, joints) in enumerate(rows):
            n = int((~ignore).sum())
            truth[i, :n], classes[i, :n] = torch.from_numpy(boxes[~ignore]).float(), torch.from_numpy(kinds[~ignore])
            present[i, :n], points[i, :n] = True, torch.from_numpy(joints[~ignore]).float()
            ignored[i, :len(kinds) - n, :4] = torch.from_numpy(boxes[ignore]).float()
            ignored[i, :len(kinds) - n, 4] = torch.from_numpy(kinds[ignore]).float()
        return images, truth, classes, present, ignored, points


def placement(rng, size, boxes, side):
    """The size in pixels to which a picture is scaled, and the position of its corner on a square of `side`.

    Half of the pictures are crops at the scale of a square of 640, around a random object if there is one.
    """
    close = rng.random() < 0.5
    low, high = (0.7, 1.3) if close else (0.6, 1.5) if rng.random() < 0.5 else (1, 1)
    full = max(side, 640) if close else side
    extent = np.maximum(8, (size * (full / size.max() * np.exp(rng.uniform(np.log(low), np.log(high))))).round())
    least, most = np.minimum(0, side - extent), np.maximum(0, side - extent)
    move = rng.uniform(least, most)
    if close and len(boxes):
        begin, end = boxes.reshape(-1, 2, 2)[rng.integers(len(boxes))] * (extent / size)
        move = np.clip(side * rng.uniform(0.1, 0.9, 2) - (begin + end) / 2, least, most)
    return extent, move.round()


def cropped(picture, extent, move, side):
    """The part of a picture of size `extent` at `move` that is inside the square, and its corner there."""
    begin, end = np.maximum(0, move), np.minimum(side, move + extent)
    picture.draft("RGB", integers(extent))
    shown = np.concatenate([begin - move, end - move]) / np.tile(extent / picture.size, 2)
    return picture.convert("RGB").resize(integers(end - begin), Image.BILINEAR, box=tuple(shown)), integers(begin)


def degraded(rng, picture):
    """The picture with random blur, as of an enlarged small picture, and colour jitter."""
    if rng.random() < 0.35:
        small = np.maximum(4, np.array(picture.size) * rng.uniform(0.3, 0.8)).round()
        picture = picture.resize(integers(small), Image.BILINEAR).resize(picture.size, Image.BILINEAR)
    if rng.random() < 0.7:
        for kind, spread in ((ImageEnhance.Brightness, 0.35), (ImageEnhance.Color, 0.6), (ImageEnhance.Contrast, 0.3)):
            picture = kind(picture).enhance(float(rng.uniform(1 - spread, 1 + spread)))
    return picture


def mirrored(values, boxes, points, side):
    """Everything flipped from left to right; left and right joints change places."""
    boxes[..., 0] = side - boxes[:, ::-1, 0]
    points[..., 0] = side - points[..., 0]
    return values[:, ::-1], boxes, points[:, list(people.MIRROR)]


def visible(boxes, points, truth, side):
    """The objects of which something is on the square: boxes, classes, ignore flags and keypoints."""
    whole = (boxes[:, 1] - boxes[:, 0]).prod(1)
    boxes = boxes.clip(0, side)
    extent = boxes[:, 1] - boxes[:, 0]
    left = extent.prod(1) / np.maximum(whole, 1e-6)
    points[..., 2] = (points[..., 2] > 0) & (points[..., :2] >= 0).all(2) & (points[..., :2] < side).all(2)
    keep = (left >= 0.1) & (extent.min(1) >= 2)
    ignore = truth["ignore"] | (left < 0.5) | (extent.max(1) < 6)
    return boxes.reshape(-1, 4)[keep], truth["classes"][keep], ignore[keep], points[keep]


def integers(values):
    return tuple(int(value) for value in values)


def network(size="p", classes=3):
    net = YOLOv8(SIZES["v8"][size], classes, (17, 3))
    for module in net.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.momentum = 0.03
    head = net.model[-1]
    for boxes, scores, step in zip(head.cv2, head.cv3, (8, 16, 32)):
        boxes[-1].bias.data[:] = 1.0
        scores[-1].bias.data[:] = math.log(5 / classes / (640 / step) ** 2)
    return net


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--resume", type=pathlib.Path)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sides", type=int, nargs=2, default=(352, 480), help="smallest and largest square")
    parser.add_argument("--last", type=float, default=0.25, help="fraction of the time, at the end, with squares of up to 640")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    net = network().to(memory_format=torch.channels_last)
    average = copy.deepcopy(net).eval()
    seen = 0
    if options.resume:
        stored = torch.load(options.resume, weights_only=True)
        net.load_state_dict(stored["net"])
        average.load_state_dict(stored["average"])
        seen = stored["seen"]
    decayed = [p for p in net.parameters() if p.dim() > 1]
    free = [p for p in net.parameters() if p.dim() <= 1]
    optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.02}, {"params": free, "weight_decay": 0}],
                                  lr=options.rate, betas=(0.9, 0.99))
    if options.resume and "optimizer" in stored:
        optimizer.load_state_dict(stored["optimizer"])
    pictures = Pictures(options.folder, options.seed + seen)
    ahead = ThreadPoolExecutor(1)
    following = ahead.submit(pictures.batch, options.sides, options.batch)
    begin = saved = shown = time.monotonic()
    step, sums, summed = 0, {}, 0
    while (passed := (time.monotonic() - begin) / 60 / options.minutes) < 1:
        for group in optimizer.param_groups:
            group["lr"] = options.rate * min(1, (step + 1) / 100) * (0.01 + 0.99 * (1 + math.cos(math.pi * passed)) / 2)
        is_last = passed > 1 - options.last
        images, *truth = following.result()
        following = ahead.submit(pictures.batch, (480, 640) if is_last else options.sides, options.batch)
        with torch.autocast("cpu", torch.bfloat16):
            maps = net(images.contiguous(memory_format=torch.channels_last))
        total, parts = losses.loss(maps, *truth)
        optimizer.zero_grad(set_to_none=True)
        total.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 10)
        optimizer.step()
        step, seen = step + 1, seen + len(images)
        decay = 0.999 * (1 - math.exp(-step / 200))
        with torch.no_grad():
            for old, new in zip(average.state_dict().values(), net.state_dict().values()):
                if old.dtype.is_floating_point:
                    old.lerp_(new, 1 - decay)
        for name, part in parts.items():
            sums[name] = sums.get(name, 0) + float(part)
        summed += 1
        now = time.monotonic()
        if now - shown > 30:
            shown = now
            means = "  ".join(f"{name} {value / summed:.3f}" for name, value in sums.items())
            print(f"{passed:.3f}  step {step}  seen {seen}  of {len(pictures.all)}  {means}", flush=True)
            sums, summed = {}, 0
            ahead.submit(pictures.refresh)
        if now - saved > 120:
            saved = now
            save(options.out, net, average, optimizer, seen)
    save(options.out, net, average, optimizer, seen)


def save(path, net, average, optimizer, seen):
    part = path.with_suffix(".part")
    torch.save({"net": net.state_dict(), "average": average.state_dict(),
                "optimizer": optimizer.state_dict(), "seen": seen}, part)
    part.rename(path)


if __name__ == "__main__":
    main()
