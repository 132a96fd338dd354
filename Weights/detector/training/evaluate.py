"""Evaluates the shipped weights on held-out pictures.

    python Weights/detector/training/evaluate.py FOLDER [--weights model.safetensors | --onnx FILE] [--side N]

FOLDER holds shards of `generate.py --split held`. Average precision is the area under the precision envelope, at 101 levels
of recall, with at most one match per object; objects marked "ignore" are not counted.
"""

import argparse
import io
import pathlib

import numpy as np
from PIL import Image

import generate
from detecting import Exported, detect, network, overlaps, stated_side
from render import CLASSES

LIMITS = np.arange(0.5, 1.0, 0.05)


def average_precision(hits, demanded):
    """`hits`: (score, 1 for a true and 0 for a false positive) over all pictures."""
    if not hits or not demanded:
        return 0.0
    right = np.array([hit for _, hit in sorted(hits, key=lambda h: -h[0])])
    recall = np.cumsum(right) / demanded
    precision = np.cumsum(right) / np.arange(1, len(right) + 1)
    envelope = np.maximum.accumulate(precision[::-1])[::-1]
    levels = np.searchsorted(recall, np.linspace(0, 1, 101))
    return float(np.mean([envelope[i] if i < len(envelope) else 0 for i in levels]))


def matched(boxes, truth, wanted, limit):
    """For each box, by descending score: the index of the matched object, -1 for a false positive, None if ignored."""
    taken, result = set(), []
    for box in boxes:
        shares = overlaps(box, truth) if len(truth) else np.zeros(0)
        order = [i for i in np.argsort(-shares) if shares[i] >= limit and i not in taken]
        asked = [i for i in order if wanted[i]]
        if asked:
            taken.add(asked[0])
            result.append(asked[0])
        else:
            # Inside an ignored object, or overlapping one.
            low, high = np.maximum(box[:2], truth[:, :2]), np.minimum(box[2:], truth[:, 2:])
            inside = (high - low).clip(0).prod(1) / max((box[2:] - box[:2]).prod(), 1e-9) if len(truth) else np.zeros(0)
            result.append(None if (inside[~wanted] > 0.5).any() or order else -1)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--weights", type=pathlib.Path, default=pathlib.Path(__file__).parents[1] / "shipped/model.safetensors")
    parser.add_argument("--onnx", type=pathlib.Path, help="a network that export.py wrote, instead of weights")
    parser.add_argument("--side", type=int, help="input side (default: as the weights file states)")
    parser.add_argument("--first", type=int, default=0, help="index of the first picture")
    parser.add_argument("--count", type=int, default=10**9)
    options = parser.parse_args()
    net = Exported(options.onnx) if options.onnx else network(options.weights)
    side = options.side or stated_side(options.weights)
    hits = {(kind, limit): [] for kind in range(3) for limit in LIMITS}
    demanded = [0] * 3
    distances, wrists = [], []
    pictures = [item for path in sorted(options.folder.glob("held-*.npz")) for item in generate.load(path)]
    pictures = pictures[options.first:][:options.count]
    for data, truth in pictures:
        picture = np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))
        boxes, scores, classes, points = detect(net, picture, side, confidence=0.001)
        scale = 640 / max(picture.shape[:2])  # distances are in pixels of a 640-pixel picture, independent of the side
        for kind in range(3):
            mine, theirs = classes == kind, truth["classes"] == kind
            wanted = ~truth["ignore"][theirs]
            demanded[kind] += int(wanted.sum())
            for limit in LIMITS:
                pairs = matched(boxes[mine], truth["boxes"][theirs], wanted, limit)
                hits[kind, limit] += [(s, int(p >= 0)) for s, p in zip(scores[mine], pairs) if p is not None]
                if limit != LIMITS[0]:
                    continue
                for place, pair in enumerate(pairs):
                    if pair is None or pair < 0 or scores[mine][place] < 0.25:
                        continue
                    if kind == 0:
                        middle = boxes[mine][place].reshape(2, 2).mean(0)
                        distances.append(np.linalg.norm(middle - truth["centres"][theirs][pair]) * scale)
                    if kind == 2:
                        joints = truth["keypoints"][theirs][pair]
                        for joint in (9, 10):
                            if joints[joint, 2] == 2:
                                wrists.append(np.linalg.norm(points[mine][place, joint, :2] - joints[joint, :2]) * scale)
    print(f"{len(pictures)} held-out pictures, input side {side}, {options.onnx or options.weights}")
    every, tight = [], []
    for kind, name in enumerate(CLASSES):
        each = [average_precision(hits[kind, limit], demanded[kind]) for limit in LIMITS]
        every.append(each[0])
        tight.append(np.mean(each))
        print(f"{name:8} {demanded[kind]:5} objects  mAP50 {each[0]:.4f}  mAP50-95 {np.mean(each):.4f}")
    print(f"{'mean':8}                mAP50 {np.mean(every):.4f}  mAP50-95 {np.mean(tight):.4f}")
    print(f"plate centres: median {np.median(distances):.2f} px, 95 % below {np.percentile(distances, 95):.2f} px")
    print(f"visible wrists: median {np.median(wrists):.2f} px, 90 % below {np.percentile(wrists, 90):.2f} px")


if __name__ == "__main__":
    main()
