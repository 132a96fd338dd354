"""Held-out pictures, and PyTorch's detections with the shipped weights.

    python Weights/detector/training/fixtures.py

writes Tests/Fixtures/detector: fifty JPEG files and expected.json, with the boxes, scores, classes and keypoints that
`detecting.detect` finds in float64 at an input side of 320 pixels. Every second picture is 320 pixels long and therefore
not resized.
"""

import argparse
import io
import json
import pathlib

import numpy as np
import torch
from PIL import Image

import detecting
import render

SIDE, COUNT, FIRST = 320, 50, 500_000


def main():
    detector = pathlib.Path(__file__).parents[1]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", type=pathlib.Path, default=detector / "shipped/model.safetensors")
    parser.add_argument("--out", type=pathlib.Path, default=detector.parents[1] / "Tests/Fixtures/detector")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    truth, working = detecting.network(options.weights, torch.float64), detecting.network(options.weights)
    expected, furthest = {}, 0.0
    for index in range(COUNT):
        name = f"{index:02}.jpg"
        path = options.out / name
        if not path.exists():
            longest = SIDE if index % 2 == 0 else int(np.random.default_rng(FIRST + index).integers(200, 421))
            picture, _, _ = render.sample(FIRST + index, "held", longest)
            picture.save(path, "JPEG", quality=90, subsampling=2 * (index // 2 % 2))
        picture = np.asarray(Image.open(io.BytesIO(path.read_bytes())).convert("RGB"))
        boxes, scores, classes, points = detecting.detect(truth, picture, SIDE)
        single = detecting.detect(working, picture, SIDE)
        if len(single[1]) == len(scores):
            furthest = max(furthest, float(np.abs(single[1] - scores).max(initial=0)))
        else:
            print(f"{name}: float32 finds {len(single[1])}, float64 {len(scores)}")
        expected[name] = {
            "width": picture.shape[1], "height": picture.shape[0],
            "boxes": boxes.round(5).tolist(), "scores": scores.round(7).tolist(), "classes": classes.tolist(),
            "keypoints": [person.round(4).tolist() if kind == 2 else [] for person, kind in zip(points, classes)],
        }
    text = json.dumps({"made_by": "Weights/detector/training/fixtures.py", "side": SIDE, "confidence": 0.25, "overlap": 0.45,
                       "pictures": expected}, indent=None, separators=(",", ":"))
    (options.out / "expected.json").write_text(text + "\n")
    size = sum(path.stat().st_size for path in options.out.iterdir())
    print(f"{sum(len(e['scores']) for e in expected.values())} objects, {size} bytes; "
          f"scores of float32 differ by up to {furthest:.1e}")


if __name__ == "__main__":
    main()
