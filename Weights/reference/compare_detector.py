"""Compares `apus detect` with ONNX Runtime and straightforward pre- and post-processing, on photographs.

    python compare_detector.py --apus PATH --models FOLDER --photos FOLDER

FOLDER holds detectors as .onnx: YOLO v8 with the usual metadata, YOLOX without. Every picture is decoded by Pillow, resized
to the network's input in integer arithmetic, run in ONNX Runtime, and decoded as docs/detection.md says. Boxes must agree
in number and class, with an IoU of 0.999 and scores to 1e-4; for models whose name says that they are quantised, to 0.95
and 0.03, since their rounding differs.
"""

import argparse
import ast
import json
import pathlib
import subprocess
import sys

import numpy as np
import onnxruntime
from PIL import Image, ImageOps

from resampling import bilinear

CONFIDENCE, OVERLAP = 0.25, 0.45


def letterboxed(picture, width, height, top_left):
    ratio = min(height / picture.shape[0], width / picture.shape[1])
    new_w, new_h = picture.shape[1] * ratio, picture.shape[0] * ratio
    new_w, new_h = (int(new_w), int(new_h)) if top_left else (round(new_w), round(new_h))
    left, top = (0, 0) if top_left else (round((width - new_w) / 2 - 0.1), round((height - new_h) / 2 - 0.1))
    canvas = np.full((height, width, 3), 114.0)
    canvas[top:top + new_h, left:left + new_w] = bilinear(picture, new_w, new_h)
    return canvas, ratio, left, top


def overlap(a, b):
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0.0
    area = lambda box: (box[2] - box[0]) * (box[3] - box[1])
    return width * height / (area(a) + area(b) - width * height)


def expected(session, names, path):
    picture = np.asarray(ImageOps.exif_transpose(Image.open(path)).convert("RGB"))
    feed = session.get_inputs()[0]
    height, width = feed.shape[2:]
    is_yolox = names is None
    canvas, ratio, left, top = letterboxed(picture, width, height, is_yolox)
    numbers = canvas[:, :, ::-1] if is_yolox else canvas / 255
    output = session.run(None, {feed.name: numbers.transpose(2, 0, 1)[None].astype(np.float32)})[0][0].astype(np.float64)
    if is_yolox:
        cells, steps = [], []
        for step in (8, 16, 32):
            y, x = np.meshgrid(np.arange(height // step), np.arange(width // step), indexing="ij")
            cells.append(np.stack([x, y], 2).reshape(-1, 2))
            steps.append(np.full((cells[-1].shape[0], 1), step))
        cells, steps = np.concatenate(cells), np.concatenate(steps)
        center, size = (output[:, :2] + cells) * steps, np.exp(output[:, 2:4]) * steps
        scores = output[:, 5:] * output[:, 4:5]
    else:
        center, size, scores = output[:2].T, output[2:4].T, output[4:].T
    boxes, best, kinds = np.concatenate([center - size / 2, center + size / 2], 1), scores.max(1), scores.argmax(1)
    chosen = []
    for index in np.argsort(-best, kind="stable"):
        if best[index] <= CONFIDENCE:
            break
        if all(kinds[k] != kinds[index] or overlap(boxes[k], boxes[index]) <= OVERLAP for k in chosen):
            chosen.append(index)
    limit = [picture.shape[1], picture.shape[0]] * 2
    back = np.clip((boxes[chosen] - [left, top, left, top]) / ratio, 0, limit)
    return [(int(kinds[k]), float(best[k]), box) for k, box in zip(chosen, back)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--apus", required=True)
    parser.add_argument("--models", type=pathlib.Path, required=True)
    parser.add_argument("--photos", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    photos = sorted(p for p in arguments.photos.iterdir() if p.suffix in {".jpg", ".png", ".bmp"})
    failures = compared = 0
    for path in sorted(arguments.models.glob("*yolo*.onnx")):
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        text = session.get_modelmeta().custom_metadata_map.get("names")
        names = ast.literal_eval(text) if text else None
        is_quantised = "int8" in path.name
        least, most = (0.95, 0.03) if is_quantised else (0.999, 1e-4)
        command = [arguments.apus, "detect", *map(str, photos), "--model", str(path), "--precision", "exact", "--json"]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
        assert len(lines) == len(photos), f"{len(lines)} lines for {len(photos)} photographs"
        for photo, line in zip(photos, map(json.loads, lines)):
            theirs, ours = expected(session, names, photo), line["detections"]
            worst_overlap, worst_score = 1.0, 0.0
            same = len(theirs) == len(ours)
            for kind, score, box in theirs:
                match = max((d for d in ours if d["class_id"] == kind), key=lambda d: overlap(d["box"], box), default=None)
                if match is None:
                    same = False
                    continue
                worst_overlap = min(worst_overlap, overlap(match["box"], box))
                worst_score = max(worst_score, abs(match["score"] - score))
            same = same and worst_overlap >= least and worst_score <= most
            compared += len(theirs)
            failures += not same
            print(f"{'ok  ' if same else 'DIFF'} {path.name} {photo.name}: {len(ours)} boxes, {len(theirs)} expected, "
                  f"overlap {worst_overlap:.6f}, score {worst_score:.2e}")
    print(f"{compared} boxes compared, {failures} pictures differ")
    if failures or not compared:
        sys.exit(1)


if __name__ == "__main__":
    main()
