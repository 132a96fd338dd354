"""Trains the detector on rendered pictures.

    python Weights/detector/training/train.py FOLDER --out checkpoint.pt --minutes 60

FOLDER holds the shards of `generate.py`; more may come while this runs. Pictures are scaled, moved, flipped and tinted, on
a square ground of the grey that pictures are filled up with later; half of them are parts, as large as on squares of 640, so
that small things are learnt from small squares too. Squares of 352 to 480 pixels in the beginning, up to 640 at the end. The
next batch is made while one is learnt from. A checkpoint is written every few minutes; `--resume` goes on from one.
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
    """The pictures of all shards that are there, in any order."""

    def __init__(self, folder, seed):
        self.folder, self.read, self.all, self.rng = folder, set(), [], np.random.default_rng(seed)
        self.refresh()

    def refresh(self):
        for path in sorted(self.folder.glob("train-*.npz")):
            if path not in self.read:
                self.read.add(path)
                self.all += list(generate.load(path))

    def placed(self, side):
        """One picture, or a part of it as large as it will be at 640 pixels, on a square of `side`, and its truth there."""
        rng = self.rng
        data, truth = self.all[rng.integers(len(self.all))]
        picture = Image.open(io.BytesIO(data))
        size = np.array(picture.size)
        close = rng.random() < 0.5
        low, high = (0.7, 1.3) if close else (0.6, 1.5) if rng.random() < 0.5 else (1, 1)
        full = max(side, 640) if close else side
        whole = np.maximum(8, (size * (full / size.max() * np.exp(rng.uniform(np.log(low), np.log(high))))).round())
        scale, spare = whole / size, side - whole
        move = rng.uniform(np.minimum(0, spare), np.maximum(0, spare))
        if close and len(truth["boxes"]):
            low, high = truth["boxes"].reshape(-1, 2, 2)[rng.integers(len(truth["boxes"]))] * scale
            move = np.clip(side * rng.uniform(0.1, 0.9, 2) - (low + high) / 2, np.minimum(0, spare), np.maximum(0, spare))
        move = move.round()
        begin, end = np.maximum(0, move), np.minimum(side, move + whole)
        picture.draft("RGB", tuple(int(n) for n in whole))
        shown = np.concatenate([begin - move, end - move]) / np.tile(whole / picture.size, 2)
        picture = picture.convert("RGB").resize(tuple(int(n) for n in end - begin), Image.BILINEAR, box=tuple(shown))
        if rng.random() < 0.35:
            # As a small picture that was enlarged: edges are soft, and are where they were.
            small = np.maximum(4, (end - begin) * rng.uniform(0.3, 0.8)).round()
            picture = picture.resize(tuple(int(n) for n in small), Image.BILINEAR).resize(picture.size, Image.BILINEAR)
        if rng.random() < 0.7:
            for kind, spread in ((ImageEnhance.Brightness, 0.35), (ImageEnhance.Color, 0.6), (ImageEnhance.Contrast, 0.3)):
                picture = kind(picture).enhance(float(rng.uniform(1 - spread, 1 + spread)))
        square = Image.new("RGB", (side, side), (GREY,) * 3)
        square.paste(picture, tuple(int(n) for n in begin))
        values = np.asarray(square)
        boxes = truth["boxes"].reshape(-1, 2, 2) * scale + move
        points = truth["keypoints"].copy()
        known = points[..., 2] > 0
        points[..., :2] = points[..., :2] * scale + move
        if rng.random() < 0.5:
            values = values[:, ::-1]
            boxes[..., 0] = side - boxes[:, ::-1, 0]
            points[..., 0] = side - points[..., 0]
            points = points[:, list(people.MIRROR)]
            known = points[..., 2] > 0
        whole = (boxes[:, 1] - boxes[:, 0]).prod(1)
        boxes = boxes.clip(0, side)
        left = (boxes[:, 1] - boxes[:, 0]).prod(1) / np.maximum(whole, 1e-6)
        extent = boxes[:, 1] - boxes[:, 0]
        points[..., 2] = known & (points[..., :2] >= 0).all(2) & (points[..., :2] < side).all(2)
        gone = (left < 0.1) | (extent.min(1) < 2)
        ignore = truth["ignore"] | (left < 0.5) | (extent.max(1) < 6)
        keep = ~gone
        return values, boxes.reshape(-1, 4)[keep], truth["classes"][keep], ignore[keep], points[keep]

    def batch(self, sides, size):
        """Squares of one of the `sides`, as many as `size` would be at 320 pixels."""
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
    parser.add_argument("--last", type=float, default=0.25, help="the part of the time for squares of up to 640")
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
    step, sums = 0, {}
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
        now = time.monotonic()
        if now - shown > 30:
            shown = now
            rates = "  ".join(f"{name} {value / max(1, sums_steps(sums, step)):.3f}" for name, value in sums.items() if name != "_")
            print(f"{passed:.3f}  step {step}  seen {seen}  of {len(pictures.all)}  {rates}", flush=True)
            sums = {"_": step}
            ahead.submit(pictures.refresh)
        if now - saved > 120:
            saved = now
            save(options.out, net, average, optimizer, seen)
    save(options.out, net, average, optimizer, seen)


def sums_steps(sums, step):
    return step - sums.get("_", 0)


def save(path, net, average, optimizer, seen):
    part = path.with_suffix(".part")
    torch.save({"net": net.state_dict(), "average": average.state_dict(),
                "optimizer": optimizer.state_dict(), "seen": seen}, part)
    part.rename(path)


if __name__ == "__main__":
    main()
